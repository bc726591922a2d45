//! Mixtures of experts: routed, shared, latent and zero-computation experts.

use serde::{Deserialize, Serialize};

use super::is_default;

/// Mixture of experts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moe {
    /// Experts per layer.
    pub experts: u32,
    /// Experts that a token goes through.
    pub top_k: u32,
    /// Inner width of an expert.
    pub ffn: u32,
    /// Inner width of all shared experts together, which every token goes through.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_ffn: u32,
    /// Layers with a dense feed-forward block instead.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dense_layers: u32,
    /// True if the router has a bias per expert.
    #[serde(default, skip_serializing_if = "is_default")]
    pub router_bias: bool,
    /// True if experts have biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expert_bias: bool,
    /// True if the shared expert is scaled by a gate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_gate: bool,
    /// Width in which routed experts work, one projection before them and one after; 0 for the hidden width (Nemotron 3
    /// Super, Kimi K3).
    #[serde(default, skip_serializing_if = "is_default")]
    pub latent: u32,
    /// Further experts that return their input (LongCat-Flash, arXiv 2509.01322): tokens that go there do no work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub idle_experts: u32,
}

impl Moe {
    /// Width in which routed experts work.
    pub const fn width(&self, hidden: u32) -> u32 {
        if self.latent > 0 { self.latent } else { hidden }
    }

    /// Experts that do work for a token, on average over uniform routing.
    pub fn working(&self) -> f64 {
        let (experts, idle) = (f64::from(self.experts), f64::from(self.idle_experts));
        if self.idle_experts == 0 {
            f64::from(self.top_k)
        } else {
            f64::from(self.top_k) * experts / (experts + idle)
        }
    }

    /// Experts that do work for a token, on average, as a whole number.
    pub fn active(&self) -> u32 {
        libm::round(self.working()) as u32
    }

    /// Elements of the matrices, for `counted` routed experts with `blocks` matrices per block.
    pub fn matrices(&self, hidden: u32, blocks: u64, counted: u32) -> u64 {
        let hidden = u64::from(hidden);
        let latent = u64::from(self.latent);
        let width = if latent > 0 { latent } else { hidden };
        let routed = u64::from(counted) * blocks * width * u64::from(self.ffn);
        let shared = blocks * hidden * u64::from(self.shared_ffn);
        routed
            + shared
            + hidden * (u64::from(self.experts) + u64::from(self.idle_experts))
            + 2 * hidden * latent
    }
}
