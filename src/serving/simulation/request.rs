//! Requests of a simulation.

/// A request in the waiting queue or in prefill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Time of arrival, s.
    pub(super) arrived: f64,
    /// Time of the first output token, s, if the request was preempted after it.
    pub(super) first: Option<f64>,
    /// Tokens to prefill: the prompt, and the output before a preemption.
    pub(super) prompt: u32,
    /// Tokens of the prompt that are prefilled or cached.
    pub(super) read: u32,
    /// Requested number of output tokens.
    pub(super) output: u32,
    /// Output tokens generated before a preemption.
    pub(super) generated: f64,
}

/// A request that decodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// The request as it was admitted.
    pub(super) request: Waiting,
    /// Time of the first output token, s.
    pub(super) first: f64,
    /// Decode steps of the replica before its first one.
    pub(super) begins: u64,
    /// Decode steps of the replica up to its last one.
    pub(super) ends: u64,
}

/// A request that ends with a step: all its tokens are generated, or its prompt is prefilled on a replica that only
/// prefills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// The request as it was admitted.
    pub(super) request: Waiting,
    /// Time of the first output token, s.
    pub(super) first: f64,
}

impl Waiting {
    /// Returns true if the whole prompt is prefilled or cached.
    pub(super) const fn is_read(&self) -> bool {
        self.read >= self.prompt
    }

    /// Tokens that the request caches when it is admitted; with `reserves` also those of its whole output.
    pub(super) fn kept(&self, reserves: bool) -> f64 {
        let rest = if reserves { f64::from(self.output) - self.generated } else { 0.0 };
        f64::from(self.prompt) + rest
    }
}
