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
    /// Time per tensor-parallel collective and member where a pipeline spans domains.
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

const MEGATRON: Overheads =
    Overheads { issue: Seconds::from_micros(79.0), step: Seconds::new(0.039), ..Overheads::NONE };
const NEMO: Overheads =
    Overheads { issue: Seconds::from_micros(112.0), step: Seconds::new(0.024), ..Overheads::NONE };
const COMPOSER: Overheads =
    Overheads { issue: Seconds::from_micros(20.0), step: Seconds::new(0.068), ..Overheads::NONE };
const NANOTRON: Overheads = Overheads {
    issue: Seconds::from_micros(100.0),
    step: Seconds::new(0.05),
    relay: Seconds::from_micros(300.0),
    activations: 1.8,
    copies: Bytes::new(4.0),
};
