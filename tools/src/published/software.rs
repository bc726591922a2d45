//! Default behaviour of training software, used where a row does not state it.

use super::row::Row;
use foretoken::training::{Framework, Gradients};
use foretoken::workload::AttentionKernel;

/// Default behaviour of a training framework.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each named")]
pub(super) struct Software {
    pub(super) framework: Framework,
    pub(super) attention: AttentionKernel,
    pub(super) dropout: bool,
    pub(super) gradients: Gradients,
    pub(super) zero: u8,
    pub(super) sequence_parallel: bool,
    pub(super) tensor_overlap: bool,
    pub(super) data_overlap: bool,
}

impl Software {
    /// The defaults for the row's software; unknown software gets typical overheads.
    pub(super) fn of(row: &Row) -> Self {
        let name = row.framework.as_str();
        let has = |word: &str| name.contains(word);
        let plain = Self {
            framework: Framework::Typical,
            attention: AttentionKernel::Flash,
            dropout: false,
            gradients: Gradients::Bf16,
            zero: 0,
            sequence_parallel: false,
            tensor_overlap: false,
            data_overlap: true,
        };
        match () {
            () if has("nanotron") => Self {
                framework: Framework::Nanotron,
                sequence_parallel: true,
                attention: AttentionKernel::Flash2,
                gradients: Gradients::Fp32,
                ..plain
            },
            () if has("Composer") => {
                Self { framework: Framework::Composer, attention: AttentionKernel::Flash2, ..plain }
            }
            () if has("NeMo Megatron") => Self {
                framework: Framework::Megatron,
                attention: AttentionKernel::Unfused,
                sequence_parallel: true,
                ..plain
            },
            // PyTorch's attention is the FlashAttention-2 kernel, which was written for Ampere.
            () if has("torchtitan") => Self {
                framework: match row.parallel.compile {
                    Some(true) => Framework::Compiled,
                    Some(false) => Framework::Eager,
                    None => Framework::Typical,
                },
                attention: AttentionKernel::Flash2,
                // `mixed_precision_reduce` defaults to float32.
                gradients: Gradients::Fp32,
                sequence_parallel: true,
                tensor_overlap: row.parallel.async_tp == Some(true),
                ..plain
            },
            // JAX compiles a step into one program, so the host launches no operators.
            () if has("MaxText") || has("JAX") => Self { framework: Framework::None, ..plain },
            () if has("torch.compile") => {
                Self { framework: Framework::Compiled, attention: AttentionKernel::Flash2, ..plain }
            }
            () if has("NeMo AutoModel") => plain,
            // Megatron-Core and Transformer Engine on AMD's devices.
            () if has("Primus") => Self { framework: Framework::Nemo, zero: 1, ..plain },
            () if has("NeMo") || has("Megatron-Bridge") || has("Megatron-Core") || has("MLPerf") => Self {
                framework: Framework::Nemo,
                zero: 1,
                sequence_parallel: true,
                tensor_overlap: true,
                ..plain
            },
            // Megatron-LM and its derivatives before fused attention.
            () if has("Megatron") || has("DeepSpeed") => Self {
                framework: if has("Megatron") { Framework::Megatron } else { Framework::Typical },
                attention: AttentionKernel::Unfused,
                dropout: true,
                // Gradients of FP16 training are scaled and reduced in 16 bits.
                gradients: if row.precision.contains("BF16") { Gradients::Fp32 } else { Gradients::Bf16 },
                data_overlap: false,
                ..plain
            },
            () => plain,
        }
    }
}
