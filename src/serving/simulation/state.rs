//! The state of a simulation, and what it has measured so far.

use super::lengths::Lengths;
use super::pool::Handover;
use super::random::Random;
use super::replicas::Replicas;
use super::request::Ended;
use super::results::{Quantiles, Simulated};
use super::scheduler::{Arrivals, Extent};
use super::source::Source;
use super::sums::Sums;

/// A simulation of one attention replica, or of replicas that prefill and replicas that decode.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(super) replicas: Replicas,
    pub(super) handover: Handover,
    pub(super) arrivals: Arrivals,
    pub(super) source: Source,
    pub(super) random: Random,
    /// Simulated time, s.
    pub(super) now: f64,
    /// Time of the next arrival, s; infinite with a constant number of concurrent requests.
    pub(super) next: f64,
    /// True if there is no request any more.
    pub(super) over: bool,
    /// Requests that end with the step in progress.
    pub(super) ended: Vec<Ended>,
    pub(super) sums: Sums,
    pub(super) extent: Extent,
}

impl Simulation {
    /// Returns true if all requests were measured, none is left, or the replicas are overloaded.
    pub fn is_done(&self) -> bool {
        self.over || self.sums.ended >= self.extent.ending() || !self.keeps_up()
    }

    /// Returns true unless a waiting queue shows that its replica is overloaded.
    pub fn keeps_up(&self) -> bool {
        self.replicas.keep_up()
    }

    /// Requests that arrived, that finished, and that are waiting or in flight.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.sums.arrived, self.sums.ended, self.replicas.requests())
    }

    /// Requests that were measured so far.
    pub fn measured(&self) -> u64 {
        self.sums.latency.total()
    }

    /// Output tokens of the finished requests.
    pub const fn tokens(&self) -> f64 {
        self.sums.tokens
    }

    /// Requests of a run that has an end; `None` for an endless stream.
    pub fn run_length(&self) -> Option<u64> {
        Some(self.extent.arriving()).filter(|arriving| *arriving < u64::MAX)
    }

    /// Returns true with a fixed number of concurrent requests.
    pub const fn is_closed(&self) -> bool {
        matches!(self.arrivals, Arrivals::Closed(_))
    }

    /// Distribution of prompt and output lengths.
    pub const fn lengths(&self) -> Lengths {
        self.source.lengths()
    }

    /// Replicas that only prefill, and replicas that decode.
    pub fn replicas(&self) -> (usize, usize) {
        self.replicas.numbers()
    }

    /// Stages of a replica that decodes, each of which works on another group of requests.
    pub const fn stages(&self) -> u32 {
        self.replicas.decode().stages
    }

    /// Simulated time, s.
    pub const fn now(&self) -> f64 {
        self.now
    }

    /// Latencies of the requests measured so far.
    pub fn simulated(&self) -> Simulated {
        let Sums { ttft, tpot, latency, present, since, prompts, cached, .. } = &self.sums;
        let span = (self.now - since).max(f64::MIN_POSITIVE);
        let requests = latency.total();
        Simulated {
            ttft: Quantiles::from(ttft),
            tpot: Quantiles::from(tpot),
            latency: Quantiles::from(latency),
            requests,
            preempted: (self.replicas.preempted() - self.sums.preempted_before) as f64
                / requests.max(1) as f64,
            in_system: present / span,
            rate: requests as f64 / span,
            waiting: self.replicas.waiting(),
            cached: cached.map(|tokens| tokens / prompts.max(1.0)),
            open: self.run_length().is_none() && !self.is_closed(),
        }
    }
}
