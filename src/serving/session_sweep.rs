//! Sweep of the capacity of the prefix cache under sessions.

use serde::Serialize;

use super::sessions::{Gap, SessionCache};
use super::spacing::logarithmic;
use crate::inference::InferenceJob;
use crate::units::{Bytes, Seconds};

/// Prompt tokens to prefill against the capacity of the prefix cache, at one request rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionSweep {
    /// Capacity in GiB per GPU, rising, and prompt tokens of a mean request that are not cached.
    pub points: Vec<(f64, f64)>,
    /// Capacity of each tier of this deployment together with those above it, GiB per GPU.
    pub tiers: [f64; 3],
    /// Tokens of a mean prompt.
    pub prompt: f64,
    /// Mean time between two turns: that of the load, or that of an answer if it takes longer.
    pub interval: Seconds,
    /// The prefix cache of this deployment.
    pub cache: SessionCache,
}

/// Characteristic times over the mean interval between two turns at which the sweep begins and ends: 1 % and 99.3 % of the turns
/// come within them.
const SWEPT: (f64, f64) = (0.01, 5.0);

impl InferenceJob<'_> {
    /// Prompt tokens to prefill at `points` capacities of the prefix cache; `None` without sessions. The request rate and the time
    /// in which a request is answered are those of this deployment.
    pub fn session_sweep(&self, points: usize) -> Option<SessionSweep> {
        let (session, cache) = (self.session()?, self.session_cache()?);
        let load = self.load.with_shares(cache.shares);
        let service = InferenceJob { load: &load, ..*self }.service();
        let rate = self.request_rate(&service) / self.readers();
        let gap = Gap::of(&session, self.residence(&service));
        let prompt = self.prompt();
        let per_token = Bytes::new(self.cache_bytes_per_token()).to_gib();
        let tiers = self.cache_tiers().up_to();
        let [low, high] = [SWEPT.0, SWEPT.1]
            .map(|share| session.shared + session.taken(share * session.interval, rate, &gap));
        if tiers[0] <= 0.0 {
            return None;
        }
        let (low, high) = (low.min(tiers[0]), high.max(tiers[2]));
        let fresh = |capacity: f64| {
            let found = gap.within(session.kept_for(capacity - session.shared, rate, &gap));
            let shared = if capacity >= session.shared { session.shared } else { 0.0 };
            prompt - shared - found * session.repeated()
        };
        Some(SessionSweep {
            points: logarithmic(low, high, points)
                .map(|capacity| (capacity * per_token, fresh(capacity)))
                .collect(),
            tiers: tiers.map(|tokens| tokens * per_token),
            prompt,
            interval: Seconds::new(gap.mean()),
            cache,
        })
    }
}
