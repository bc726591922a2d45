//! Training frameworks, and how they execute a layer.

use crate::units::Bytes;

/// Training software.
///
/// Kernel times do not show how fast the host launches kernels or how long the software takes between steps.
/// `make overheads` fits both to published step times; `tools/src/published/fitted.txt` lists the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framework {
    /// Unnamed software, with the median overheads of the named frameworks.
    #[default]
    Typical,
    /// Unnamed software with fused kernels, the loss among them.
    Fused,
    /// PyTorch with layers that `torch.compile` compiles, and the loss in eager mode: torchtitan, Transformers.
    Compiled,
    /// Unnamed software that launches one kernel per operation.
    Eager,
    /// No overheads: kernels run back to back.
    None,
    /// Megatron-LM and Megatron-DeepSpeed.
    Megatron,
    /// NeMo and Megatron-Bridge, over Megatron-Core and Transformer Engine.
    Nemo,
    /// Composer, over PyTorch's FSDP.
    Composer,
    /// Nanotron.
    Nanotron,
    /// Transformers and its Trainer, with PEFT's adapters, in PyTorch's eager mode.
    Transformers,
}

/// Execution of a layer's elementwise operations. Fusion reduces kernel launches, and fused operations read and write
/// their tensors only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Fused kernels for several elementwise operations each.
    Fused,
    /// One kernel per operation.
    Eager,
}

impl Framework {
    /// All variants, in the order of the form.
    pub const ALL: [Self; 10] = [
        Self::Typical,
        Self::Fused,
        Self::Compiled,
        Self::Eager,
        Self::None,
        Self::Megatron,
        Self::Nemo,
        Self::Composer,
        Self::Nanotron,
        Self::Transformers,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typical => "Other software: typical",
            Self::Fused => "Other software: fused kernels",
            Self::Compiled => "PyTorch, compiled layers",
            Self::Eager => "Other software: eager",
            Self::None => "None: kernels alone",
            Self::Megatron => "Megatron-LM",
            Self::Nemo => "NeMo, Megatron-Bridge",
            Self::Composer => "Composer, FSDP",
            Self::Nanotron => "Nanotron",
            Self::Transformers => "Transformers, PEFT",
        }
    }

    /// Execution of elementwise operations; `None` if it is unknown.
    pub const fn execution(self) -> Option<Execution> {
        match self {
            Self::Typical | Self::None => None,
            // Megatron-LM's own fused kernels, and Transformer Engine's.
            Self::Fused | Self::Compiled | Self::Megatron | Self::Nemo => Some(Execution::Fused),
            Self::Eager | Self::Composer | Self::Nanotron | Self::Transformers => Some(Execution::Eager),
        }
    }

    /// Returns true if inputs of 8-bit multiplies are kept in 8 bits for the backward pass, as Transformer Engine does.
    pub(super) const fn keeps_narrow_inputs(self) -> bool {
        matches!(self, Self::Typical | Self::None | Self::Fused | Self::Megatron | Self::Nemo)
    }

    /// Returns true if attention runs in PyTorch's own kernels.
    pub(super) const fn attends_with_pytorch(self) -> bool {
        matches!(self, Self::Compiled | Self::Eager | Self::Transformers)
    }

    /// Returns true if gradients are allocated in the backward pass and freed after the optimizer's step, as by PyTorch's
    /// `zero_grad`. Megatron-LM and Nanotron keep buffers for them, and unnamed software may.
    pub(super) const fn frees_gradients(self) -> bool {
        matches!(self, Self::Transformers | Self::Compiled)
    }

    /// Returns true if adapters are multiplied in 32 bits where autocasting does not prevent it, so that their inputs are
    /// converted (`_cast_input_dtype` in PEFT's `lora/layer.py`).
    pub(super) const fn casts_adapters(self) -> bool {
        matches!(self, Self::Transformers)
    }

    /// Returns true if pipeline stages are balanced by the cost of layers and output head instead of by numbers of
    /// layers.
    pub(super) const fn balances(self) -> bool {
        matches!(self, Self::Nanotron)
    }

    /// Fixed size of the buckets in which 16-bit gradients are all-reduced during the backward pass without ZeRO, if the framework
    /// has one. Nanotron uses PyTorch's `DistributedDataParallel` with `ddp_bucket_cap_mb` = 25.
    pub(super) const fn bucket(self) -> Option<Bytes> {
        match self {
            Self::Nanotron => Some(Bytes::new(25.0 * 1_048_576.0)),
            _ => None,
        }
    }

    /// Returns true if gradients are all-reduced under ZeRO-1 instead of reduce-scattered. Nanotron issues one all-reduce of its
    /// 32-bit gradient buffer after the last backward pass, and all-gathers weights after the optimizer step (`train_step`,
    /// huggingface/nanotron@e3b886c).
    pub(super) const fn reduces_all_gradients(self) -> bool {
        matches!(self, Self::Nanotron)
    }

    /// Returns true if sends between the chunks of an interleaved pipeline overlap computation: NeMo and Megatron-Bridge set
    /// `overlap_p2p_comm`. The published runs of Megatron-LM are older than that.
    pub(super) const fn overlaps_sends(self) -> bool {
        matches!(self, Self::Nemo)
    }

    /// The framework whose host time per operator this one has: its own, but for NeMo, which runs Megatron Core's operators. Its
    /// published runs do not determine the time: between 60 and 88 µs their median error changes by 0.2 points.
    #[must_use]
    pub const fn issues_as(self) -> Self {
        if matches!(self, Self::Nemo) { Self::Megatron } else { self }
    }
}
