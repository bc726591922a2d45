//! Scheduler and memory limits that a question sets in place of the engine's own.

use super::engine::{CacheRoom, EngineOverheads};
use super::load::InferenceLoad;

impl EngineOverheads {
    /// The engine with the limits that a load sets: sequences per step, tokens per step, memory share.
    #[must_use]
    pub fn limited(self, load: &InferenceLoad) -> Self {
        Self {
            slots: load.max_sequences.map_or(self.slots, f64::from),
            budget: load.token_budget.map_or(self.budget, f64::from),
            room: load.memory_share.map_or(self.room, |share| self.room.with(share)),
            ..self
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Footprint;
    use crate::inference::Engine;
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
}
