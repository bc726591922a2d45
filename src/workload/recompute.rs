//! Activation recomputation.

use super::operator::{Operator, Role};
use crate::system::Work;

/// Activations that the backward pass recomputes instead of reading them (Korthikanti et al. 2022).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recompute {
    /// Everything the backward pass needs is kept.
    None,
    /// Only the attention core (scores, softmax, weighted values) is recomputed.
    #[default]
    Selective,
    /// Norms, activation functions and up-projections of latents run again (Megatron-Core's `--recompute-modules layernorm
    /// moe_act mla_up_proj`; DeepSeek-V3 report, arXiv 2412.19437, section 3.2.3).
    Outputs,
    /// Every second multiply and all elementwise operators run again; the attention core and what collectives brought
    /// are kept (torchtitan's selective checkpointing by operator, `torchtitan/models/llama3/infra/parallelize.py`).
    Operators,
    /// Each layer's whole forward pass runs again from its input.
    Full,
}

impl Recompute {
    /// All kinds, from the least recomputation to the most.
    pub const ALL: [Self; 5] = [Self::None, Self::Selective, Self::Outputs, Self::Operators, Self::Full];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "Nothing",
            Self::Selective => "Attention core",
            Self::Outputs => "Norms, activations, up-projections",
            Self::Operators => "Alternate multiplies",
            Self::Full => "Every layer",
        }
    }

    /// The share of an operator of the forward pass that runs again.
    pub fn share_of(self, operator: &Operator) -> f64 {
        match (self, &operator.work) {
            (Self::None, _)
            | (Self::Operators, Work::Collective(_) | Work::Exchange(_) | Work::Broadcasts(_)) => 0.0,
            (Self::Selective, _) => f64::from(u8::from(operator.is_core())),
            (Self::Outputs, _) => f64::from(u8::from(operator.role == Role::Expansion)),
            (Self::Operators, _) if operator.is_core() => 0.0,
            (Self::Full, _) | (Self::Operators, Work::Stream(_)) => 1.0,
            (Self::Operators, _) => self.multiplies(),
        }
    }

    /// The share of the forward pass's multiplies that runs again, without the up-projections of latents.
    pub const fn multiplies(self) -> f64 {
        match self {
            Self::None | Self::Selective | Self::Outputs => 0.0,
            Self::Operators => 0.5,
            Self::Full => 1.0,
        }
    }
}
