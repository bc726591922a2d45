//! Overheads of training frameworks beyond their kernels.

use crate::units::{Bytes, Seconds};

/// The software that trains.
///
/// Kernels alone do not show how fast a host issues them, nor what happens between steps. Each has two such times,
/// fitted to published step times by `make overheads`; the rows are listed in `validation/published/fitted.txt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framework {
    /// Kernels follow one another without a pause.
    #[default]
    None,
    /// Megatron-LM and Megatron-DeepSpeed.
    Megatron,
    /// NeMo and Megatron-Bridge, over Megatron-Core and Transformer Engine.
    Nemo,
    /// Composer, over PyTorch's FSDP.
    Composer,
    /// Nanotron.
    Nanotron,
}

/// Overheads of a framework beyond kernel times and tensor sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameworkOverheads {
    /// Host time per operator that a layer issues.
    pub issue: Seconds,
    /// Exponent that joins the times of host and device over a pass: with few kernels in the queue each waits for the
    /// other now and then, and less the higher it is.
    pub uneven: f64,
    /// Time per step beyond its passes and the optimizer's traffic: data, logging, clipping, waiting for the slowest.
    pub step: Seconds,
    /// Host time per message between stages.
    pub send: Seconds,
    /// Time of elementwise kernels against fused ones: eager execution reads and writes a tensor once per operation.
    pub elementwise: f64,
    /// Time per tensor-parallel collective and member of a group that leaves its scale-up domain.
    pub hop: Seconds,
    /// Extra time per tensor-parallel collective of more than two members where the pipeline spans several domains.
    pub relay: Seconds,
    /// Kept activations against what the backward pass needs at least: copies of eager execution, and what the
    /// allocator loses between blocks.
    pub activations: f64,
    /// What the head keeps against its 32-bit logits alone.
    pub logits: f64,
    /// Bytes per parameter beside weights, gradients and optimizer state, on every replica.
    pub copies: Bytes,
}

impl FrameworkOverheads {
    /// No overheads: kernel times and tensor sizes only.
    pub const NONE: Self = Self {
        issue: Seconds::ZERO,
        uneven: 10.0,
        step: Seconds::ZERO,
        send: Seconds::ZERO,
        elementwise: 1.0,
        hop: Seconds::ZERO,
        relay: Seconds::ZERO,
        activations: 1.0,
        logits: 1.0,
        copies: Bytes::ZERO,
    };
}

impl Framework {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Megatron, Self::Nemo, Self::Composer, Self::Nanotron];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Megatron => "Megatron-LM",
            Self::Nemo => "NeMo, Megatron-Bridge",
            Self::Composer => "Composer, FSDP",
            Self::Nanotron => "Nanotron",
        }
    }

    /// Returns true if pipeline stages are cut by what layers and head cost, rather than by numbers of layers.
    pub(super) const fn balances(self) -> bool {
        matches!(self, Self::Nanotron)
    }

    /// The framework's overheads.
    pub const fn overheads(self) -> FrameworkOverheads {
        match self {
            Self::None => FrameworkOverheads::NONE,
            Self::Megatron => MEGATRON,
            Self::Nemo => NEMO,
            Self::Composer => COMPOSER,
            Self::Nanotron => NANOTRON,
        }
    }
}

// As `make overheads` prints them, with the mean error on the rows that were not fitted (step times, by source).

/// vTrain 8 %, BLOOM 16 %, Korthikanti 2 %, Narayanan 8 % (its ZeRO-3 runs apart).
const MEGATRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(66.9),
    uneven: 2.9,
    step: Seconds::new(0.0044),
    send: Seconds::new(0.00083),
    activations: 1.25,
    copies: Bytes::new(3.0),
    ..FrameworkOverheads::NONE
};

/// DGX Cloud 9 %, Megatron-Bridge 21 % (most of it mixtures of experts), MLPerf 20 %.
const NEMO: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(90.5),
    uneven: 3.1,
    step: Seconds::new(0.048),
    send: Seconds::new(0.00196),
    ..FrameworkOverheads::NONE
};

/// MosaicML 5 %.
const COMPOSER: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(144.1),
    uneven: 1.4,
    step: Seconds::new(0.0565),
    elementwise: 1.48,
    ..FrameworkOverheads::NONE
};

/// Ultra-Scale Playbook 14 to 16 %. The relay is what its pipelines over several nodes show, whose collectives measured
/// beside them are as slow; what causes it is not known. Activations are fitted to the allocated memory of 137 of its
/// rows: eager execution keeps each gate's and norm's copies. Logits are counted: 16 bytes each, in 16 and 32 bits, their
/// exponentials, and the gradients of both, where 4 are Korthikanti's; a regression over the same rows gives 16.4.
const NANOTRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(124.7),
    uneven: 5.2,
    step: Seconds::new(0.047),
    send: Seconds::new(0.00055),
    hop: Seconds::from_micros(27.8),
    relay: Seconds::from_micros(273.8),
    elementwise: 1.05,
    activations: 1.55,
    logits: 4.0,
    copies: Bytes::new(1.0),
};
