//! Overheads of llama.cpp, fitted by `make engines`.

use super::engine::EngineOverheads;
use super::multiplies::Multiplies;
use crate::catalog::Accelerator;
use crate::system::{Ggml, Reading, UnitTimes};
use crate::units::{Bytes, Seconds};
use crate::workload::AttentionKernel;

/// Since June 2024, when prompts began to be multiplied as 8-bit integers in matrix units (ggml-org/llama.cpp#8075).
/// 16-bit weights go through the device's library as before.
pub(super) const CURRENT: EngineOverheads = EngineOverheads {
    multiplies: Multiplies { prompts: 1.0, ggml: Some(GGML), ..MAY_2024.multiplies },
    ..MAY_2024
};

/// Until May 2024: for matrix units, weights were unpacked to 16 bits before they were multiplied by prompts.
pub(super) const MAY_2024: EngineOverheads = EngineOverheads {
    slice: 512.0,
    mixes: false,
    in_flight: 4.0,
    prompts: AttentionKernel::Unfused,
    score: Bytes::new(4.0),
    multiplies: Multiplies {
        prompts: 3.23,
        ggml: Some(Ggml {
            cuda: Reading { dram: 0.955, launch: Seconds::from_micros(28.4) },
            cycle: 5.71,
            mma: None,
            ..GGML
        }),
        wide_prompts: 1.67,
    },
    ..EngineOverheads::NONE
};

/// GGML's kernels. Error on rows of `llama-bench` that were not fitted, all of other devices: prompts and decode by
/// `make validate` in docs/accuracy.md, source `local`.
const GGML: Ggml = Ggml {
    cuda: Reading { dram: 0.796, launch: Seconds::from_micros(8.25) },
    hip: Reading { dram: 0.749, launch: Seconds::ZERO },
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

/// Share of the matrix rate of 16-bit operands that llama.cpp reaches on a device, relative to the measured libraries;
/// above 1 where it adds up products in 16 bits and the device does that faster.
///
/// Its instructions are those of Ampere (`mma`), which reach 62.9 % of the rate on Hopper (Luo et al. 2024, arXiv
/// 2402.13499). It adds up in 16 bits, at half of the rate of 8-bit integers: GeForce devices add up in 32 bits at half of
/// that (NVIDIA's Ada whitepaper, appendix A).
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
