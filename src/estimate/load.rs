//! What is served, by what, cut how.

use serde::{Deserialize, Serialize};

use super::engine::Engine;
use crate::system::Precision;

/// How kernels reach the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Launch {
    /// A recorded sequence is replayed (CUDA graph): the host is out of the way.
    #[default]
    Graph,
    /// The host issues each kernel: none takes less time than that. Usual before 2024.
    Stream,
}

/// What is served.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InferenceLoad {
    /// Prompt tokens per request.
    pub input: u32,
    /// Generated tokens per request.
    pub output: u32,
    /// Requests served together, where they start and end together.
    pub batch: u32,
    /// GPUs that share each layer's matrices.
    pub tensor: u32,
    /// Format of weights and matrix operands.
    pub precision: Precision,
    /// Format of cached keys and values.
    pub kv_precision: Precision,
    /// How kernels reach the GPU.
    pub launch: Launch,
    /// The software that serves: its host's time per step.
    pub engine: Engine,
    /// Requests in flight on all GPUs, each replaced by a new one when it ends (continuous batching); 0 serves
    /// one batch from its beginning to its end.
    pub concurrency: u32,
    /// Requests that each client sends one after another; the first of all clients come at once. 0 is an endless
    /// stream, in which that is forgotten.
    pub rounds: u32,
    /// Whether all answers have the same length, so that requests which began together end together.
    pub uniform: bool,
    /// Pipeline stages.
    pub pipeline: u32,
    /// Replicas of the attention blocks inside a worker, each with its own requests; they share all experts.
    pub data: u32,
    /// Parts into which a layer's experts are dealt over a worker's GPUs; inside a part each expert is cut.
    pub expert: u32,
    /// Workers among which requests are divided; they decode where others prefill.
    pub workers: u32,
    /// Workers that only prefill; 0 where every worker does both.
    pub prefill_workers: u32,
    /// GPUs that share each layer's matrices on a worker that only prefills.
    pub prefill_tensor: u32,
    /// Replicas of the attention blocks on a worker that only prefills.
    pub prefill_data: u32,
    /// Parts into which experts are dealt on a worker that only prefills.
    pub prefill_expert: u32,
}

impl Default for InferenceLoad {
    fn default() -> Self {
        Self {
            input: 1024,
            output: 256,
            batch: 1,
            tensor: 8,
            precision: Precision::Bf16,
            kv_precision: Precision::Bf16,
            launch: Launch::Graph,
            engine: Engine::None,
            concurrency: 0,
            rounds: 0,
            uniform: false,
            pipeline: 1,
            data: 1,
            expert: 1,
            workers: 1,
            prefill_workers: 0,
            prefill_tensor: 1,
            prefill_data: 1,
            prefill_expert: 1,
        }
    }
}

impl InferenceLoad {
    /// GPUs of one worker.
    pub const fn worker_gpus(&self) -> u32 {
        self.tensor.saturating_mul(self.data).saturating_mul(self.pipeline)
    }

    /// GPUs of all workers.
    pub const fn gpus(&self) -> u32 {
        let prefill = self.prefill_tensor.saturating_mul(self.prefill_data);
        let decode = self.worker_gpus().saturating_mul(self.workers);
        decode.saturating_add(prefill.saturating_mul(self.prefill_workers))
    }

    /// The load of a worker that only prefills.
    #[must_use]
    pub const fn prefilling(&self) -> Self {
        Self {
            tensor: self.prefill_tensor,
            data: self.prefill_data,
            expert: self.prefill_expert,
            workers: self.prefill_workers,
            pipeline: 1,
            prefill_workers: 0,
            ..*self
        }
    }
}
