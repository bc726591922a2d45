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
