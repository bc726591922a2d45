//! The whole load on replicas of one deployment. With a think time its rate depends on them.

use super::choice::longest_latency;
use super::{Candidate, Demand, Fleet};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::serving::{LoadPoint, Service, ThinkingUsers};
use crate::units::Seconds;

impl Demand {
    /// A job under the whole load, and its service. `largest` is the largest load of one of its replicas. Users with a think time need
    /// it, or the rate of the job's load, which is then near theirs. `None` if TPOT is not below `tpot`.
    pub(super) fn on(
        &self,
        job: &InferenceJob<'_>,
        largest: Option<&LoadPoint>,
        tpot: Seconds,
    ) -> Option<(InferenceLoad, Service)> {
        let Some(users) = self.thinking else {
            let load = job.load.at(self.axis, self.amount);
            let service = InferenceJob { load: &load, ..*job }.service();
            return (service.tpot < tpot).then_some((load, service));
        };
        let found = match largest {
            Some(largest) => {
                let most = LoadPoint { load: largest.load * f64::from(job.load.workers), ..*largest };
                job.of_users(&users, &most, tpot)
            }
            None => job.of_users_near(&users, tpot),
        };
        found.filter(|(_, service)| service.tpot < tpot)
    }

    /// The smallest number of replicas above that of a job's load which meets the service levels, with the largest load of a replica.
    /// Times can jump just below the largest load of a replica, so that the counted number of replicas misses the levels. `None` if
    /// an eighth more replicas miss them too.
    pub(super) fn more_replicas(
        &self,
        job: &InferenceJob<'_>,
        largest: &LoadPoint,
    ) -> Option<(u32, Option<LoadPoint>)> {
        // With a think time, the request rate depends on the number of replicas.
        if self.thinking.is_some() {
            return None;
        }
        let first = job.load.workers;
        let keeps = |more: u32| {
            let load = InferenceLoad { workers: first.saturating_add(more), ..*job.load };
            let job = InferenceJob { load: &load, ..*job };
            let found = self.on(&job, Some(largest), Seconds::new(f64::INFINITY));
            found.is_some_and(|(load, service)| load.keeps(&service))
        };
        let (mut low, mut high) = (0_u32, 1_u32);
        while !keeps(high) {
            (low, high) = (high, high.saturating_mul(2));
            if high > first / 8 {
                return None;
            }
        }
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if keeps(middle) { high = middle } else { low = middle }
        }
        let workers = first.saturating_add(high);
        Some((workers, Some(LoadPoint { load: self.amount / f64::from(workers), ..*largest })))
    }

    /// A request rate from which workers are counted: that of the whole load, or of users with a think time who wait as long as the
    /// levels allow.
    pub(super) fn first_rate(&self, load: &InferenceLoad) -> f64 {
        self.thinking.map_or(self.amount, |users| users.rate(longest_latency(load)))
    }

    /// The request rate if requests take as long as in this service: the given rate, or that of users with a think time.
    pub(super) fn asked_at(&self, rate: f64, load: &InferenceLoad, service: &Service) -> f64 {
        let [_, _, latency] = service.times(load);
        self.thinking.map_or(rate, |users| users.rate(latency))
    }

    /// Returns true if users with a think time get as many answers from a fleet of this load and service as they ask for. They may
    /// get fewer at the largest load: it is found along the number of running requests, of which several may belong to a rate,
    /// and the service at a rate is that of the fewest.
    pub(super) fn is_served(&self, load: &InferenceLoad, service: &Service) -> bool {
        self.thinking.is_none_or(|users| users.are_answered(load, service))
    }
}

impl Fleet {
    /// The fleet's load shared by `workers` replicas, which are no fewer than it has, and its service. Users with a think time
    /// then send more requests, since answers take less time.
    pub fn shared_by(
        &self,
        workers: u32,
        thinking: Option<ThinkingUsers>,
        candidates: &[Candidate],
    ) -> Option<(InferenceLoad, Service)> {
        let load = self.load.on_workers(workers);
        let more = f64::from(workers) / f64::from(self.load.workers);
        self.with_job(candidates, &load, |job| match thinking {
            None => Some((load, job.service())),
            Some(users) => {
                let most = LoadPoint { load: self.load.rate * more, service: self.service };
                job.of_users(&users, &most, Seconds::new(f64::INFINITY))
            }
        })?
    }
}
