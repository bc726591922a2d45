//! How a job is cut over GPUs: parallel degrees, microbatches, what is recomputed.

pub mod law;

use serde::{Deserialize, Serialize};

pub use law::Law;

/// Which activations the backward pass recomputes rather than reads (Korthikanti et al. 2022).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Everything the backward pass needs is kept.
    None,
    /// Only the attention core (scores, softmax, weighted values) runs again.
    #[default]
    Selective,
    /// Each layer's whole forward pass runs again from its input.
    Full,
}

/// How training is cut over GPUs and time.
///
/// Data parallelism is what remains: GPUs / (tensor × pipeline).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// GPUs that share each layer's matrices (1D tensor parallelism).
    pub tensor: u32,
    /// Pipeline stages.
    pub pipeline: u32,
    /// Model chunks per stage (interleaved 1F1B); 1 is plain 1F1B.
    pub interleave: u32,
    /// Whether norms and dropouts are sharded along the sequence over the tensor group.
    pub sequence_parallel: bool,
    /// 0 keeps the optimizer state on every replica; 1 shards it over the data-parallel group.
    pub zero: u8,
    /// Sequences that go through the pipeline together, per replica.
    pub microbatch: u32,
    /// Which activations are recomputed.
    pub recompute: Recompute,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            tensor: 8,
            pipeline: 1,
            interleave: 1,
            sequence_parallel: true,
            zero: 1,
            microbatch: 1,
            recompute: Recompute::Selective,
        }
    }
}

impl Plan {
    /// Layers on the fullest stage, as a fraction of all: stages that do not divide the layers are uneven.
    pub fn fullest_share(&self, layers: u32) -> f64 {
        f64::from(layers.div_ceil(self.pipeline)) / f64::from(layers)
    }

    /// Whether every stage holds as many layers as any other.
    pub const fn even(&self, layers: u32) -> bool {
        layers.is_multiple_of(self.pipeline)
    }
}
