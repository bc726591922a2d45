//! What training software adds to its kernels.

use serde::{Deserialize, Serialize};

use crate::units::Seconds;

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

/// Times that kernels do not show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// Host time per operator that a layer issues.
    pub issue: Seconds,
    /// Time per step beyond its passes and the optimizer's traffic: data, logging, clipping, waiting for the slowest.
    pub step: Seconds,
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

    /// Its times.
    pub const fn overheads(self) -> Overheads {
        match self {
            Self::None => Overheads { issue: Seconds::ZERO, step: Seconds::ZERO },
            Self::Megatron => OVERHEADS[0],
            Self::Nemo => OVERHEADS[1],
            Self::Composer => OVERHEADS[2],
            Self::Nanotron => OVERHEADS[3],
        }
    }
}

const OVERHEADS: [Overheads; 4] = [
    Overheads { issue: Seconds::ZERO, step: Seconds::ZERO },
    Overheads { issue: Seconds::ZERO, step: Seconds::ZERO },
    Overheads { issue: Seconds::ZERO, step: Seconds::ZERO },
    Overheads { issue: Seconds::ZERO, step: Seconds::ZERO },
];
