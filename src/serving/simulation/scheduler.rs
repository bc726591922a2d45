//! The arrival process, and the rules of an engine's scheduler.

use crate::inference::PromptSteps;

/// The arrival process of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Poisson arrivals at this rate, requests per second.
    Poisson(f64),
    /// Arrivals at the times of a trace, or turn by turn in sessions.
    Timed,
    /// A constant number of concurrent requests: a request that ends is replaced at once.
    Closed(u32),
}

/// Arrivals of requests, and the requests that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// An endless stream: this number of requests is measured after a warm-up, and all others that end in the last step.
    Stream(u32),
    /// A run of this number of requests, all measured, the first of which arrive at an idle replica, as benchmarks send
    /// them.
    Run(u32),
}

impl Extent {
    /// Requests that arrive in all; `u64::MAX` in an endless stream.
    pub(super) fn arriving(self) -> u64 {
        match self {
            Self::Stream(_) => u64::MAX,
            Self::Run(all) => u64::from(all),
        }
    }

    /// Requests of the warm-up, which end before the first that is measured.
    pub(super) fn warm_up(self) -> u64 {
        /// Requests of the warm-up over measured requests.
        const WARM: f64 = 0.2;
        match self {
            Self::Stream(wanted) => libm::ceil(f64::from(wanted) * WARM) as u64,
            Self::Run(_) => 0,
        }
    }

    /// Requests that end until all to be measured are.
    pub(super) fn ending(self) -> u64 {
        let (Self::Stream(wanted) | Self::Run(wanted)) = self;
        self.warm_up() + u64::from(wanted)
    }
}

/// The rules by which an engine fills a step, and the KV cache of a replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheduler {
    /// Maximum requests in a step (`max_num_seqs`).
    pub slots: u32,
    /// Maximum tokens in a step, prompts included (`max_num_batched_tokens`).
    pub budget: u32,
    /// Decode steps between two admissions of new requests, at least 1.
    pub admission: u32,
    /// True if the first waiting request begins an admission interval, false if intervals follow one another.
    pub holds: bool,
    /// The steps in which prompts are read.
    pub prompt_steps: PromptSteps,
    /// True if a request reserves KV cache for its whole output when it is admitted.
    pub reserves: bool,
    /// Tokens that a step verifies for a decoding request: one, and those that a draft model proposed.
    pub checked: u32,
    /// Output tokens per decoding request and step, on average.
    pub yielded: f64,
    /// Size of the KV cache on one GPU, bytes.
    pub room: f64,
    /// KV-cache bytes on one GPU of a request, whatever its length.
    pub fixed: f64,
    /// KV-cache bytes on one GPU per cached token.
    pub per_token: f64,
    /// Share of each prompt that the prefix cache holds, 0 to 1.
    pub cached: f64,
    /// Time from the client to the scheduler and back, s.
    pub arrival: f64,
}
