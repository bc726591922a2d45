//! Limits of a load: those of the scheduler and of memory that a question sets in place of the engine's own, and the longest
//! context that memory allows.

use super::engine::Engine;
use super::job::InferenceJob;
use super::load::InferenceLoad;
use super::overheads::{CacheRoom, EngineOverheads, PromptSteps};
use crate::units::{Bytes, Seconds};

impl EngineOverheads {
    /// The engine with what a load sets: sequences and tokens per step, whether prompts share steps with running requests,
    /// memory share.
    #[must_use]
    pub fn limited(self, load: &InferenceLoad) -> Self {
        let stream_layer =
            if load.is_stream() && load.precision.is_half() { self.stream_layer } else { Seconds::ZERO };
        Self {
            layer: self.layer + stream_layer,
            slots: load.max_sequences.map_or(self.slots, f64::from),
            budget: load.token_budget.map_or(self.budget, f64::from),
            prompt_steps: match load.engine.product() {
                Engine::Sglang if load.mixed => PromptSteps::Chunked,
                _ => self.prompt_steps,
            },
            room: load.memory_share.map_or(self.room, |share| self.room.with(share)),
            ..self
        }
    }

    /// [`Self::limited`] by a load of another engine, whose memory share applies only if both define it alike.
    #[must_use]
    pub fn limited_as(self, load: &InferenceLoad, other: &Self) -> Self {
        let alike = matches!(self.room, CacheRoom::OfFree(_)) == matches!(other.room, CacheRoom::OfFree(_));
        let memory_share = load.memory_share.filter(|_| alike);
        self.limited(&InferenceLoad { memory_share, ..*load })
    }

    /// Memory share of the KV cache, as defined by the engine's own flag.
    pub const fn memory_share(&self) -> f64 {
        self.room.share()
    }
}

impl CacheRoom {
    /// The room with a share that the question sets, by the same definition of the share.
    const fn with(self, share: f64) -> Self {
        match self {
            Self::OfFree(_) => Self::OfFree(share),
            Self::UpTo(_) | Self::Exactly(_) => Self::Exactly(share),
        }
    }

    const fn share(self) -> f64 {
        match self {
            Self::OfFree(share) | Self::UpTo(share) | Self::Exactly(share) => share,
        }
    }
}

impl InferenceJob<'_> {
    /// The longest context of the load's requests that fits, in tokens of prompt and output together: the output keeps its
    /// length and the prompt's text grows. At most as long as the model was made for. `None` if requests keep nothing that grows
    /// with their length, or if not even a prompt of one token fits.
    pub fn longest_context(&self) -> Option<u32> {
        if self.kv_bytes_per_token() <= Bytes::ZERO {
            return None;
        }
        // Images and audio keep their tokens too.
        let kept = self.load.output.saturating_add(self.encoded_tokens() as u32);
        let holds = |length: u32| {
            let load = InferenceLoad { input: length - kept, ..*self.load };
            InferenceJob { load: &load, ..*self }.holds_requests()
        };
        let (mut fits, mut beyond) = (kept, self.architecture.max_sequence.saturating_add(1));
        while fits.saturating_add(1) < beyond {
            let middle = fits + (beyond - fits) / 2;
            if holds(middle) {
                fits = middle;
            } else {
                beyond = middle;
            }
        }
        (fits > kept).then_some(fits)
    }

    /// Returns true if the batch fits at its full length. Of a stream, the concurrent requests have to fit by the length
    /// that the engine counts; if a rate is given, one per attention replica.
    fn holds_requests(&self) -> bool {
        let load = self.load;
        if load.is_stream() {
            let each = libm::ceil(f64::from(load.concurrency) / load.replicas());
            return self.has_room() && self.places() >= each;
        }
        self.fits(load.batch) && self.memory_of_reader().is_none_or(|memory| memory.fits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Footprint;
    use crate::inference::Engine;
    use crate::system::Precision;
    use crate::units::Bytes;

    #[test]
    fn limits_replace_those_of_the_engine() {
        let load = InferenceLoad {
            max_sequences: Some(64),
            token_budget: Some(2048),
            memory_share: Some(0.5),
            ..InferenceLoad::default()
        };
        let (own, set) = (Engine::Vllm.overheads(), Engine::Vllm.overheads().limited(&load));
        assert_eq!((set.slots, set.budget, set.room), (64.0, 2048.0, CacheRoom::Exactly(0.5)));
        assert_eq!(own.limited(&InferenceLoad::default()), own);
        assert_eq!(Engine::Trtllm.overheads().limited(&load).room, CacheRoom::OfFree(0.5));
        let gib = |gib: f64| Bytes::new(gib * 1_073_741_824.0);
        let empty = Footprint { weights: gib(20.0), capacity: gib(80.0), ..Footprint::default() };
        assert_eq!(set.room.cache(&empty), gib(20.0));
        assert_eq!(CacheRoom::Exactly(0.1).cache(&empty), Bytes::ZERO);
    }

    #[test]
    fn only_streams_wait_in_each_layer() {
        let layer = |concurrency: u32, precision: Precision| {
            let load = InferenceLoad { concurrency, batch: 1, precision, ..InferenceLoad::default() };
            Engine::Tensorrt.overheads().limited(&load).layer.get()
        };
        assert!(layer(8, Precision::Bf16) > 1e-5);
        assert_eq!(layer(8, Precision::Fp8).to_bits(), 0.0_f64.to_bits());
        assert_eq!(layer(0, Precision::Bf16).to_bits(), 0.0_f64.to_bits());
    }
}
