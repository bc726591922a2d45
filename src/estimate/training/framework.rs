//! What training software adds to its kernels.

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Seconds};

/// The software that trains.
///
/// Kernels alone do not show how fast a host issues them, nor what happens between steps. Each has two such times,
/// fitted to published step times by `make overheads`; the rows are listed in `validation/published/fitted.txt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// What kernels and tensors do not show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// Host time per operator that a layer issues.
    pub issue: Seconds,
    /// Time per step beyond its passes and the optimizer's traffic: data, logging, clipping, waiting for the slowest.
    pub step: Seconds,
    /// Host time per message between stages.
    pub send: Seconds,
    /// Time of elementwise kernels against fused ones: eager execution reads and writes a tensor once per operation.
    pub elementwise: f64,
    /// Time per tensor-parallel collective and member of a group that leaves its scale-up domain.
    pub hop: Seconds,
    /// The same of every tensor-parallel collective of more than two members where a pipeline leaves the domain.
    pub relay: Seconds,
    /// Kept activations against what the backward pass needs at least: copies of eager execution, and what the
    /// allocator loses between blocks.
    pub activations: f64,
    /// Bytes per parameter beside weights, gradients and optimizer state, on every replica.
    pub copies: Bytes,
}

impl Overheads {
    /// Nothing but kernels and tensors.
    pub const NONE: Self = Self {
        issue: Seconds::ZERO,
        step: Seconds::ZERO,
        send: Seconds::ZERO,
        elementwise: 1.0,
        hop: Seconds::ZERO,
        relay: Seconds::ZERO,
        activations: 1.0,
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

    /// What it adds.
    pub const fn overheads(self) -> Overheads {
        match self {
            Self::None => Overheads::NONE,
            Self::Megatron => MEGATRON,
            Self::Nemo => NEMO,
            Self::Composer => COMPOSER,
            Self::Nanotron => NANOTRON,
        }
    }
}

// As `make overheads` prints them, with the mean error on the rows that were not fitted (step times, by source).

/// vTrain 9 %, BLOOM 16 %, Korthikanti 2 %, Narayanan 8 % (its ZeRO-3 runs apart).
const MEGATRON: Overheads = Overheads {
    issue: Seconds::from_micros(65.8),
    step: Seconds::new(0.0167),
    send: Seconds::new(0.00068),
    activations: 1.3,
    copies: Bytes::new(2.5),
    ..Overheads::NONE
};

/// DGX Cloud 9 %, Megatron-Bridge 18 % (most of it mixtures of experts), MLPerf 19 %.
const NEMO: Overheads = Overheads {
    issue: Seconds::from_micros(109.7),
    step: Seconds::new(0.0514),
    send: Seconds::new(0.00107),
    ..Overheads::NONE
};

/// MosaicML 4 %.
const COMPOSER: Overheads = Overheads {
    issue: Seconds::from_micros(150.0),
    step: Seconds::new(0.0748),
    elementwise: 1.46,
    ..Overheads::NONE
};

/// Ultra-Scale Playbook 20 %. The relay is what its pipelines over several nodes show, whose collectives measured
/// beside them are as slow; what causes it is not known. Activations are fitted to the allocated memory of 137 of its
/// rows: eager execution keeps each gate's and norm's copies.
const NANOTRON: Overheads = Overheads {
    issue: Seconds::from_micros(141.1),
    step: Seconds::new(0.0514),
    hop: Seconds::from_micros(27.9),
    relay: Seconds::from_micros(320.1),
    activations: 1.95,
    ..Overheads::NONE
};
