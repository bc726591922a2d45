//! Builds the simulation of an [`InferenceJob`].

use super::{Arrivals, Extent, Lengths, Reach, Scheduler, Simulation};
use crate::inference::InferenceJob;

/// Seed of every simulation, so that a question always gives the same percentiles.
const SEED: u64 = 0x5EED;

/// Requests per replica above which a run is simulated as a stream: its beginning no longer changes the 99th percentile.
const LONGEST_RUN: f64 = 16_384.0;

impl InferenceJob<'_> {
    /// A simulation of one attention replica: of a whole run where the load has an end, else of a steady stream, measured
    /// over `requests` requests.
    ///
    /// `None` for a single batch, disaggregated prefill, context parallelism, or if no request fits into memory: these
    /// are not simulated.
    pub fn simulation(&self, lengths: Lengths, requests: u32) -> Option<Simulation> {
        let load = self.load;
        if !load.is_stream() || load.prefill_workers > 0 || load.context > 1 || !self.has_room() {
            return None;
        }
        let replicas = load.replicas();
        let arrivals = if load.rate > 0.0 {
            Arrivals::Poisson(load.rate / replicas)
        } else {
            Arrivals::Closed(libm::ceil(f64::from(load.concurrency) / replicas) as u32)
        };
        let (room, fixed, per_token) = self.cache_room();
        let overheads = &self.overheads;
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
        let means = (self.prompt(), f64::from(load.output));
        let running = (2.0 * self.places()).min(overheads.slots).clamp(2.0, 4096.0);
        let reach = Reach { running, context: means.0 + means.1, tokens: overheads.budget + running };
        let own = libm::ceil(f64::from(load.run_requests()) / replicas);
        let runs = own > 0.0 && own <= LONGEST_RUN;
        let extent = if runs { Extent::Run(own as u32) } else { Extent::Stream(requests) };
        Some(Simulation::new(self.pace(reach), rules, arrivals, (lengths, means), (extent, SEED)))
    }
}
