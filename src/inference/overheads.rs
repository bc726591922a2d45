//! Overheads of a serving engine: host time in addition to kernels, and scheduling of prefill and decode in a step.

use super::masked::Masked;
use super::multiplies::Multiplies;
use crate::estimate::Footprint;
use crate::system::Corrections;
use crate::units::{Bytes, Seconds};
use crate::workload::AttentionKernel;

/// Overheads and scheduling limits of a serving engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineOverheads {
    /// Host time of a step that no kernel hides: scheduling, inputs, sampling.
    pub step: Seconds,
    /// Host time of a step per request in it.
    pub request: Seconds,
    /// Time from a request's arrival to its first step and from its last to the client: tokenisation, transport.
    pub arrival: Seconds,
    /// Addition to [`Self::arrival`] for each text token of the prompt: tokenisation.
    pub token: Seconds,
    /// Addition to [`Self::arrival`] for each layer with experts. It lengthens the first token alone: other requests decode on
    /// meanwhile. Its cause is not known.
    pub experts: Seconds,
    /// Prefill time in the first burst of a closed loop, when all clients send a request at once, relative to that in the steady
    /// state. Servers tokenise the prompts of the burst together, and their first steps are slower.
    pub first: f64,
    /// Maximum number of tokens in one step, prompts included.
    pub budget: f64,
    /// Maximum number of requests in one step of one attention replica.
    pub slots: f64,
    /// The steps in which prompts are read.
    pub prompt_steps: PromptSteps,
    /// True if the first waiting prompt begins an admission interval (`batch_wait_timeout_iters` of TensorRT-LLM); false if
    /// the scheduler looks for new requests at fixed intervals (`--scheduler-recv-interval` of SGLang).
    pub holds: bool,
    /// Sampling buffers: memory for each token of the vocabulary and each request of the largest step.
    pub sampling: Bytes,
    /// True if room for a request's last token is kept from its beginning.
    pub reserves: bool,
    /// Maximum number of tokens of one batch's prompts in one pass.
    pub slice: f64,
    /// Maximum number of requests of one batch in one pass.
    pub pass: f64,
    /// Host time of a step for each layer that no kernel hides.
    pub layer: Seconds,
    /// Addition to [`Self::layer`] in continuous batching with 16-bit weights. Its cause is not known: published runs with 8-bit
    /// weights show none.
    pub stream_layer: Seconds,
    /// Time of a step for each layer of routed experts whose small kernels the engine does not fuse: routing, norms, conversions.
    pub unfused: Seconds,
    /// Attention kernel of prefill.
    pub prompts: AttentionKernel,
    /// Storage of one attention score, where scores are written to memory.
    pub score: Bytes,
    /// Decode attention of its own, if it has any.
    pub masked: Option<Masked>,
    /// Efficiency of matrix multiplies relative to the calibrated libraries.
    pub multiplies: Multiplies,
    /// GPU memory available to the KV cache.
    pub room: CacheRoom,
    /// Largest number of prompt slices in the stages of a pipeline at once.
    pub in_flight: f64,
}

impl EngineOverheads {
    /// Zero overheads: kernels without a host.
    pub const NONE: Self = Self {
        step: Seconds::ZERO,
        request: Seconds::ZERO,
        arrival: Seconds::ZERO,
        token: Seconds::ZERO,
        experts: Seconds::ZERO,
        first: 1.0,
        budget: 8192.0,
        slots: 65_536.0,
        prompt_steps: PromptSteps::Chunked,
        holds: false,
        sampling: Bytes::ZERO,
        reserves: false,
        slice: f64::INFINITY,
        pass: f64::INFINITY,
        layer: Seconds::ZERO,
        stream_layer: Seconds::ZERO,
        unfused: Seconds::ZERO,
        prompts: AttentionKernel::Flash,
        score: Bytes::new(2.0),
        masked: None,
        multiplies: Multiplies::SAME,
        room: CacheRoom::OfFree(0.9),
        in_flight: f64::INFINITY,
    };

    /// The overheads with a calibration profile's corrections applied.
    #[must_use]
    pub fn corrected(self, corrections: &Corrections) -> Self {
        Self {
            step: self.step * corrections.host,
            request: self.request * corrections.host,
            layer: self.layer * corrections.host,
            stream_layer: self.stream_layer * corrections.host,
            arrival: self.arrival * corrections.step,
            token: self.token * corrections.step,
            experts: self.experts * corrections.step,
            ..self
        }
    }
}

/// The steps in which an engine reads prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptSteps {
    /// Steps without decoding requests; a step may hold a part of a prompt.
    Separate,
    /// Steps that also decode, and hold whole prompts: TensorRT-LLM without `enable_chunked_prefill`. `max_num_tokens` must
    /// be at least the longest prompt.
    Whole,
    /// Steps that also decode, and may hold a part of a prompt (chunked prefill).
    Chunked,
}

impl PromptSteps {
    /// Returns true if a step may hold prompts and running requests together.
    pub const fn mix(self) -> bool {
        !matches!(self, Self::Separate)
    }

    /// Returns true if a step may hold a part of a prompt.
    pub const fn split(self) -> bool {
        !matches!(self, Self::Whole)
    }
}

/// GPU memory available to the KV cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CacheRoom {
    /// This fraction of the memory that weights and activations leave free (TensorRT-LLM's `free_gpu_memory_fraction`).
    OfFree(f64),
    /// The memory that remains when weights, activations and cache fill this fraction of the GPU's memory (vLLM's
    /// `gpu_memory_utilization`, 0.90 in all versions of 2025; SGLang's `mem_fraction_static`, which it sets to 0.9
    /// minus what it reserves for graphs). At least half of the free memory: if weights leave little, the fraction is
    /// set higher.
    UpTo(f64),
    /// [`Self::UpTo`] with a fraction that the question sets. No minimum applies.
    Exactly(f64),
}

impl CacheRoom {
    /// The cache of a GPU whose memory without one is this.
    pub(crate) fn cache(self, empty: &Footprint) -> Bytes {
        let free = empty.capacity - empty.total();
        match self {
            Self::OfFree(share) => free * share,
            Self::UpTo(share) => (empty.capacity * share - empty.total()).max(free * 0.5),
            Self::Exactly(share) => (empty.capacity * share - empty.total()).max(Bytes::ZERO),
        }
    }
}
