//! Builds the simulation of an [`InferenceJob`].

use super::{Arrivals, Extent, Lengths, Pool, Reach, Scheduler, Simulation};
use crate::inference::InferenceJob;

/// Seed of every simulation, so that a question always gives the same percentiles.
const SEED: u64 = 0x5EED;

/// Requests per replica above which a run is simulated as a stream: its beginning no longer changes the 99th percentile.
const LONGEST_RUN: f64 = 16_384.0;

/// Replicas that decode up to which each has its own share of the measured requests. With more, the requests that are
/// measured on one of them become fewer.
const MOST_MEASURED: u32 = 8;

impl InferenceJob<'_> {
    /// A simulation of one attention replica, or with disaggregated serving of the smallest group of replicas that has the
    /// deployment's ratio of prefill to decode: of a whole run where the load has an end, else of a steady stream,
    /// measured over `requests` requests per replica that decodes.
    ///
    /// `None` for a single batch, context parallelism, or if no request fits into memory: these are not simulated.
    pub fn simulation(&self, lengths: Lengths, requests: u32) -> Option<Simulation> {
        let load = self.load;
        if !load.is_stream() || load.context > 1 || !self.has_room() {
            return None;
        }
        let replicas = load.replicas() as u32;
        let prefilling = if load.prefill_workers > 0 { self.readers() as u32 } else { 0 };
        let groups = common_divisor(replicas, prefilling);
        let decoding = replicas / groups;
        let arrivals = if load.rate > 0.0 {
            Arrivals::Poisson(load.rate / f64::from(groups))
        } else {
            Arrivals::Closed(load.concurrency.div_ceil(groups))
        };
        let means = (self.prompt(), f64::from(load.output));
        let own = load.run_requests().div_ceil(groups);
        let runs = own > 0 && f64::from(own) <= LONGEST_RUN * f64::from(decoding);
        let stream = requests.saturating_mul(decoding.min(MOST_MEASURED));
        let extent = (if runs { Extent::Run(own) } else { Extent::Stream(stream) }, SEED);
        let decode = self.pool(decoding);
        if prefilling == 0 {
            return Some(Simulation::new(decode.pace, decode.rules, arrivals, (lengths, means), extent));
        }
        let load = load.prefilling();
        let mut prefill = self.reader(&load).pool(prefilling / groups);
        // A prompt leaves once it is prefilled.
        prefill.rules.reserves = false;
        let transfer = self.transfer().get() / self.prompt();
        Some(Simulation::disaggregated((prefill, decode, transfer), arrivals, (lengths, means), extent))
    }

    /// So many attention replicas of this job.
    fn pool(&self, replicas: u32) -> Pool {
        let (load, overheads) = (self.load, &self.overheads);
        let (room, fixed, per_token) = self.cache_room();
        let rules = Scheduler {
            slots: overheads.slots as u32,
            budget: overheads.budget as u32,
            mixes: overheads.mixes,
            reserves: overheads.reserves,
            checked: 1 + load.draft,
            yielded: load.yielded(),
            room,
            fixed,
            per_token,
            cached: load.cached,
            arrival: overheads.arrival.get(),
        };
        let running = (2.0 * self.places()).min(overheads.slots).clamp(2.0, 4096.0);
        let context = self.prompt() + f64::from(load.output);
        let reach = Reach { running, context, tokens: overheads.budget + running };
        Pool { replicas, pace: self.pace(reach), rules }
    }
}

/// The greatest common divisor; `one` if the other is 0. At least 1.
const fn common_divisor(one: u32, other: u32) -> u32 {
    let (mut one, mut other) = (one, other);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    if one == 0 { 1 } else { one }
}
