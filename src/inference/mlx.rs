//! Overheads of MLX, fitted by `make engines`.

use super::llamacpp::GGML;
use super::multiplies::Multiplies;
use super::overheads::{EngineOverheads, PromptSteps};
use crate::system::{Dequantising, Precision, Reading, UnitTimes};
use crate::units::Seconds;

/// mlx-lm reads prompts in slices of 2,048 tokens (ml-explore/mlx-lm, `prefill_step_size`) and attends to them by a fused
/// kernel (`mx.fast.scaled_dot_product_attention`). Its server decodes at most 32 requests together (`--decode-concurrency`).
pub(super) const MLX: EngineOverheads = EngineOverheads {
    slice: 2048.0,
    slots: 32.0,
    prompt_steps: PromptSteps::Separate,
    multiplies: Multiplies { dequantising: Some(KERNELS), ..Multiplies::SAME },
    ..EngineOverheads::NONE
};

/// MLX's kernels for Metal. The share of the DRAM bandwidth is that of GGML's: the fit's error differs by 1 % between 0.85 and 1.05.
/// For matrix units, which came with the M5, nothing was fitted, and GGML's constants are used.
const KERNELS: Dequantising = Dequantising {
    metal: Reading { dram: GGML.metal.dram, launch: Seconds::from_micros(23.3) },
    vector: UnitTimes { matrix: 0.0, vector: 1.44 },
    ..GGML
};

/// Returns true if MLX multiplies weights of this format: 16 bits, its own formats, and those of OCP MX and NVIDIA's FP4. It has
/// no FP8 with scales per channel or per block.
pub(super) const fn loads(format: Precision) -> bool {
    use Precision as P;
    format.is_mlx() || matches!(format, P::Bf16 | P::Fp16 | P::Mxfp4 | P::Mxfp8 | P::Fp4)
}
