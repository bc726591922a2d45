//! Running sums of a simulation.

use super::histogram::Histogram;
use super::request::Waiting;

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

impl Sums {
    /// Measures a request that finished at time `now`, s, and whose first output token came at time `first`, s; `arrival`: time
    /// from its client to the scheduler and back, s.
    pub(super) fn measure(&mut self, request: &Waiting, first: f64, now: f64, arrival: f64) {
        self.ttft.add(first - request.arrived + arrival);
        self.latency.add(now - request.arrived + arrival);
        if request.output > 1 {
            self.tpot.add((now - first) / f64::from(request.output - 1));
        }
    }

    /// Starts the means over time at the end of the warm-up, after this many preemptions.
    pub(super) const fn end_warm_up(&mut self, now: f64, preempted: u64) {
        (self.present, self.since, self.preempted_before) = (0.0, now, preempted);
    }
}
