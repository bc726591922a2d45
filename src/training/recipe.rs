//! The training recipe: batch, sequence, number formats and token budget.

use serde::{Deserialize, Serialize};

use super::framework::Framework;
use crate::system::Precision;
use crate::units::Bytes;
use crate::workload::AttentionKernel;

/// The training recipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingRecipe {
    /// Sequences per step over all replicas.
    pub batch: u32,
    /// Tokens per sequence.
    pub sequence: u32,
    /// Format of matrix operands; weights and activations stay in 16 bits.
    pub precision: Precision,
    /// Kernel that computes attention.
    pub attention: AttentionKernel,
    /// True if dropout runs.
    pub dropout: bool,
    /// Format in which gradients are summed over microbatches and replicas: 32 or 16 bits.
    pub gradients: Gradients,
    /// True if the weights are frozen and only small adapters are trained (LoRA).
    pub frozen: bool,
    /// The software, whose overheads are added.
    pub framework: Framework,
    /// Tokens of the whole run.
    pub tokens: f64,
}

impl Default for TrainingRecipe {
    fn default() -> Self {
        Self {
            batch: 1024,
            sequence: 8192,
            precision: Precision::Bf16,
            attention: AttentionKernel::Flash,
            dropout: false,
            gradients: Gradients::Fp32,
            frozen: false,
            framework: Framework::Typical,
            tokens: 15e12,
        }
    }
}

/// Format in which gradients are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Gradients {
    /// 32 bits.
    #[default]
    Fp32,
    /// 16 bits.
    Bf16,
}

impl Gradients {
    /// Storage of one.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Fp32 => 4.0,
            Self::Bf16 => 2.0,
        })
    }
}
