//! Overheads of llama.cpp, fitted by `make engines`.

use super::engine::EngineOverheads;
use super::multiplies::Multiplies;
use crate::catalog::Accelerator;
use crate::system::{Dequantising, Reading, UnitTimes};
use crate::units::{Bytes, Seconds};
use crate::workload::AttentionKernel;

/// Versions since June 2024, which multiply prompts by quantised weights as 8-bit integers in matrix units
/// (ggml-org/llama.cpp#8075). Prompts are multiplied by 16-bit weights with the device's library, as before.
pub(super) const CURRENT: EngineOverheads = EngineOverheads {
    multiplies: Multiplies { prompts: 1.0, dequantising: Some(GGML), ..MAY_2024.multiplies },
    ..MAY_2024
};

/// Versions until May 2024. Matrix units need 16-bit weights there, so quantised weights are unpacked before prompts are
/// multiplied by them.
pub(super) const MAY_2024: EngineOverheads = EngineOverheads {
    slice: 512.0,
    mixes: false,
    in_flight: 4.0,
    prompts: AttentionKernel::Unfused,
    score: Bytes::new(4.0),
    multiplies: Multiplies {
        prompts: 3.23,
        dequantising: Some(Dequantising {
            cuda: Reading { dram: 0.955, launch: Seconds::from_micros(28.4) },
            cycle: 5.71,
            mma: None,
            ..GGML
        }),
        wide_prompts: 1.67,
    },
    ..EngineOverheads::NONE
};

/// Constants of GGML's kernels, fitted to rows of `llama-bench` in `tests/measured/local.jsonl`. docs/accuracy.md lists the
/// errors on the other rows (source `local`), which are of devices without fitted rows.
pub(super) const GGML: Dequantising = Dequantising {
    cuda: Reading { dram: 0.796, launch: Seconds::from_micros(8.25) },
    hip: Reading { dram: 0.701, launch: Seconds::ZERO },
    metal: Reading { dram: 0.9, launch: Seconds::from_micros(30.9) },
    vulkan: Reading { dram: 0.515, launch: Seconds::ZERO },
    cycle: 6.75,
    unpacked: 0.0147,
    mma: Some(UnitTimes { matrix: 2.94, vector: 0.177 }),
    wmma: UnitTimes { matrix: 1.31, vector: 0.55 },
    dot: UnitTimes { matrix: 3.52, vector: 0.0 },
    half: UnitTimes { matrix: 2.7, vector: 0.0 },
    vector: UnitTimes { matrix: 0.0, vector: 1.36 },
};

/// Matrix rate that llama.cpp reaches with 16-bit operands on a device, as a fraction of the rate of the measured libraries.
///
/// On Hopper, Ampere's `mma` instructions, which llama.cpp uses, reach 62.9 % of the peak rate (Luo et al. 2024, arXiv
/// 2402.13499). llama.cpp accumulates in 16 bits, at half the rate of 8-bit integers. GeForce devices accumulate in 32
/// bits, as libraries do, at half of that rate (NVIDIA, Ada GPU architecture whitepaper, appendix A), so the fraction
/// exceeds 1 there.
pub(super) fn halves_share(accelerator: &Accelerator) -> f64 {
    let rates = &accelerator.matrix_tflops;
    match accelerator.architecture.as_str() {
        "Hopper" => 0.629,
        "Ampere" | "Ada Lovelace" => {
            let pair = rates.int8.zip(rates.fp16);
            pair.map_or(1.0, |(integers, halves)| (0.5 * integers / halves).max(1.0))
        }
        _ => 1.0,
    }
}
