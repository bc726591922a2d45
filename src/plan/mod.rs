//! How a job is cut over GPUs: parallel degrees, microbatches, what is recomputed.

pub mod law;
pub mod order;
pub mod schedule;

use serde::{Deserialize, Serialize};

pub use law::Law;
pub use order::{Slot, Task};
pub use schedule::{Passes, Pipeline, Schedule};

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

impl Recompute {
    /// All of them, from the least that runs again to the most.
    pub const ALL: [Self; 3] = [Self::None, Self::Selective, Self::Full];

    /// What runs again, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "Nothing",
            Self::Selective => "Attention core",
            Self::Full => "Every layer",
        }
    }
}

/// How training is cut over GPUs and time.
///
/// Data parallelism is what remains: GPUs / (tensor × context × pipeline). Ranks are placed in the order tensor,
/// context, data, pipeline, and for experts expert tensor, expert, data, pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// GPUs that share each layer's matrices (1D tensor parallelism).
    pub tensor: u32,
    /// Pipeline stages.
    pub pipeline: u32,
    /// In which order stages work on microbatches.
    pub schedule: Schedule,
    /// Model chunks per stage (interleaved 1F1B); 1 is plain 1F1B.
    pub interleave: u32,
    /// Whether norms and dropouts are sharded along the sequence over the tensor group.
    pub sequence_parallel: bool,
    /// What is sharded over replicas (ZeRO, Rajbhandari et al. 2019): 0 nothing, 1 the optimizer state, 2 gradients
    /// too, 3 weights too (FSDP).
    pub zero: u8,
    /// Sequences that go through the pipeline together, per replica.
    pub microbatch: u32,
    /// Which activations are recomputed.
    pub recompute: Recompute,
    /// How many layers of each stage are recomputed where whole layers are, if not all (Megatron-LM's block method).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompute_layers: Option<u32>,
    /// GPUs that share each sequence: every one has a part of the queries and sees all keys in turn.
    pub context: u32,
    /// GPUs over which experts are spread; tokens travel to them and back.
    pub expert: u32,
    /// GPUs that share each expert's matrices, if not as many as share the other matrices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_tensor: Option<u32>,
    /// GPUs over which ZeRO-2 and 3 shard, if not over all replicas: the groups sum their gradients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard_group: Option<u32>,
    /// Whether tensor-parallel communication goes on while the multiplies beside it run.
    pub tensor_overlap: bool,
    /// Whether gradients are reduced and weights gathered while the passes beside them run.
    pub data_overlap: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            tensor: 8,
            pipeline: 1,
            schedule: Schedule::Alternating,
            interleave: 1,
            sequence_parallel: true,
            zero: 1,
            microbatch: 1,
            recompute: Recompute::Selective,
            recompute_layers: None,
            context: 1,
            expert: 1,
            expert_tensor: None,
            shard_group: None,
            tensor_overlap: false,
            data_overlap: true,
        }
    }
}

impl Plan {
    /// GPUs that hold one replica of the model.
    pub const fn replica(&self) -> u32 {
        self.tensor.saturating_mul(self.context).saturating_mul(self.pipeline)
    }

    /// GPUs that share each expert's matrices.
    pub fn expert_tensor(&self) -> u32 {
        self.expert_tensor.unwrap_or(self.tensor)
    }

    /// The pipeline, for this many microbatches.
    pub const fn pipeline(&self, microbatches: u32) -> Pipeline {
        let Self { schedule, pipeline: stages, interleave, .. } = *self;
        Pipeline { schedule, stages, interleave, microbatches }
    }

    /// Share of a stage's layers that is recomputed whole, of `layers` in the model.
    pub fn recomputed_share(&self, layers: u32) -> f64 {
        match (self.recompute, self.recompute_layers) {
            (Recompute::Full, Some(chosen)) => f64::from(chosen) / f64::from(layers.div_ceil(self.pipeline)),
            (Recompute::Full, None) => 1.0,
            _ => 0.0,
        }
    }

    /// Whether every stage holds as many layers as any other.
    pub const fn even(&self, layers: u32) -> bool {
        layers.is_multiple_of(self.pipeline)
    }
}
