//! Running sums of a simulation.

use super::histogram::Histogram;

/// Counts and times of a simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Requests that arrived.
    pub(super) arrived: u64,
    /// Requests that finished.
    pub(super) ended: u64,
    /// Output tokens of the finished requests.
    pub(super) tokens: f64,
    /// Preemptions during the warm-up.
    pub(super) preempted_before: u64,
    /// TTFT of the measured requests, s.
    pub(super) ttft: Histogram,
    /// TPOT of the measured requests, s.
    pub(super) tpot: Histogram,
    /// Latency of the measured requests, s.
    pub(super) latency: Histogram,
    /// Integral over time of the requests in the system since the warm-up, requests × s.
    pub(super) present: f64,
    /// Prompt tokens of the requests that arrived.
    pub(super) prompts: f64,
    /// Of these, tokens that were cached on the GPUs, in host memory and on SSDs.
    pub(super) cached: [f64; 3],
    /// End of the warm-up, s.
    pub(super) since: f64,
}
