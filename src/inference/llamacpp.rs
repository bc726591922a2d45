//! Overheads of llama.cpp, fitted by `make engines`.

use super::multiplies::Multiplies;
use super::overheads::{EngineOverheads, PromptSteps};
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

/// [`CURRENT`] with flash attention (`-fa on`). Versions since August 2025 use it by default on devices that have the
/// kernels (ggml-org/llama.cpp#15434).
pub(super) const FLASH: EngineOverheads = EngineOverheads { prompts: AttentionKernel::Flash, ..CURRENT };

/// llamafile 0.9 (Mozilla-Ocho/llamafile@cfa861a), whose llama.cpp is that of 16 August 2024: kernels are launched one by one
/// instead of from recorded CUDA graphs, and AMD's matrix instructions are not used. Fitted to rows of `LocalScore` in
/// `tests/measured/local.jsonl`; constants that are not named here are those of [`GGML`].
pub(super) const LLAMAFILE: EngineOverheads = EngineOverheads {
    multiplies: Multiplies {
        dequantising: Some(Dequantising {
            cuda: Reading { dram: GGML.cuda.dram, launch: Seconds::from_micros(27.6) },
            hip: Reading { dram: 0.636, launch: Seconds::from_micros(85.0) },
            metal: Reading { dram: 0.8, launch: Seconds::from_micros(60.0) },
            cycle: 4.9,
            cycle16: Some(4.9),
            wmma: UnitTimes { matrix: 8.0, vector: 0.75 },
            dot: UnitTimes { matrix: 5.6, vector: 0.0 },
            vector: UnitTimes { matrix: 0.0, vector: 1.6 },
            ..GGML
        }),
        ..CURRENT.multiplies
    },
    ..CURRENT
};

/// Versions until May 2024. Matrix units need 16-bit weights there, so quantised weights are unpacked before prompts are
/// multiplied by them.
pub(super) const MAY_2024: EngineOverheads = EngineOverheads {
    // `-b` of `llama-server`: a step holds one token of each running request and up to this many tokens in all (`update_slots`
    // in `tools/server/server-context.cpp`). It runs in passes of `-ub` tokens, the slice.
    budget: 2048.0,
    slice: 512.0,
    prompt_steps: PromptSteps::Chunked,
    in_flight: 4.0,
    prompts: AttentionKernel::Unfused,
    score: Bytes::new(4.0),
    multiplies: Multiplies {
        prompts: 3.024,
        dequantising: Some(Dequantising {
            cuda: Reading { dram: 0.955, launch: Seconds::from_micros(28.4) },
            cached: 0.955,
            cycle: 5.71,
            cycle16: Some(5.71),
            mma: None,
            ..GGML
        }),
        wide_prompts: 1.72,
    },
    ..EngineOverheads::NONE
};

/// Constants of GGML's kernels, fitted to rows of `llama-bench` in `tests/measured/local.jsonl`. docs/accuracy.md lists the
/// errors on the other rows (source `local`), which are of devices without fitted rows.
///
/// `cached` is fitted to five rows of the RTX 5080 and the RTX 4070 Ti, whose mean error is 9 to 10 % from 0.96 to 1.05 and 20 %
/// at 0.796. The row of the largest dense model, for which launches matter least, gives 0.96.
///
/// `xeon` and `xeon_dot` belong to one socket of a Xeon 6980P: the launch, a barrier of 128 threads, and the dot products are
/// fitted to Llama-3-70B in `Q8_0` (`cpu.jsonl`), the fraction of DRAM bandwidth is that of measured streams.
///
/// `wide_cycle` is fitted to the row of the MI60; those of the MI50 and the MI210 are scored.
pub(super) const GGML: Dequantising = Dequantising {
    cuda: Reading { dram: 0.796, launch: Seconds::from_micros(8.25) },
    cached: 0.96,
    hip: Reading { dram: 0.701, launch: Seconds::ZERO },
    wide_cycle: 3.17,
    metal: Reading { dram: 0.9, launch: Seconds::from_micros(30.9) },
    vulkan: Reading { dram: 0.515, launch: Seconds::ZERO },
    cycle: 6.75,
    cycle16: None,
    token: 0.0193,
    unpacked: 0.0147,
    mma: Some(UnitTimes { matrix: 2.94, vector: 0.177 }),
    wmma: UnitTimes { matrix: 1.31, vector: 0.55 },
    dot: UnitTimes { matrix: 3.52, vector: 0.0 },
    xeon: Reading { dram: 0.8, launch: Seconds::from_micros(248.0) },
    xeon_dot: UnitTimes { matrix: 18.9, vector: 0.0 },
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
        "Ampere" | "Ada Lovelace" | "Blackwell" => {
            let pair = rates.int8.zip(rates.fp16);
            pair.map_or(1.0, |(integers, halves)| (0.5 * integers / halves).max(1.0))
        }
        _ => 1.0,
    }
}
