//! The prefix cache under sessions: how much of each prompt the replica still has from the turns before.
//!
//! Caches evict what was used least recently (LRU). The approximation of Che, Tung and Wang (2002, "Hierarchical web caching
//! systems") replaces the cache by a characteristic time: whatever was used within it is still there. The time follows from the
//! capacity, which it fills. docs/method/inference.md has the equations.

use serde::Serialize;

use super::capacity::{LoadAxis, LoadPoint};
use super::crossing::crossing;
use super::open::FULL;
use super::service::Service;
use crate::inference::{InferenceJob, InferenceLoad, Session};
use crate::units::Seconds;

/// Steady state of the prefix cache of one replica that prefills. Tiers are GPU memory, host memory and SSDs, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SessionCache {
    /// Time for which each tier, with those above it, keeps what is not used again; infinite if it never fills.
    pub kept_for: [Seconds; 3],
    /// Probability that each tier, or one above it, has the session's earlier turns when the next one comes.
    pub found: [f64; 3],
    /// Share of the prompt tokens that each tier has, over all turns.
    pub shares: [f64; 3],
    /// Share of the prompt tokens that repeat earlier ones: what an endless cache would have.
    pub repeated: f64,
}

/// Rounds in which cached shares and service times converge.
const ROUNDS: u32 = 60;

/// Relative change from round to round at which they have converged.
const SETTLED: f64 = 1e-6;

/// Relative tolerance of the request rate in searches for the largest load of thousands of deployments.
const NEARLY_SETTLED: f64 = 1e-3;

/// Bisections by which the saturation is found.
const SATURATION_HALVINGS: u32 = 14;

/// Steps by which a largest load is lowered until it keeps the service levels with its own cached shares, and the factor of each.
const LOWERED: (u32, f64) = (24, 0.99);

/// Bisections by which a characteristic time is found.
const HALVINGS: u32 = 50;

impl InferenceJob<'_> {
    /// The prefix cache in the steady state of the load; `None` without sessions.
    pub fn session_cache(&self) -> Option<SessionCache> {
        self.session().map(|session| self.steady_cache(&session, &mut self.services()))
    }

    /// The service in the steady state of the load with sessions; `None` without them.
    pub(super) fn session_service(&self) -> Option<Service> {
        let session = self.session()?;
        let mut cached = self.services();
        let cache = self.steady_cache(&session, &mut cached);
        Some(cached(cache.shares))
    }

    /// The service with constant cached shares.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over its job's lifetime"
    )]
    fn services(&self) -> impl FnMut([f64; 3]) -> Service {
        self.by_shares(|job| job.service())
    }

    /// Solves this job with constant cached shares. The last result is known: a cache that holds all has the same shares in each
    /// round.
    fn by_shares<T: Copy>(&self, solve: impl Fn(&InferenceJob<'_>) -> T) -> impl FnMut([f64; 3]) -> T {
        let mut known: Option<([f64; 3], T)> = None;
        move |shares| match known {
            Some((of, result)) if of.map(f64::to_bits) == shares.map(f64::to_bits) => result,
            _ => {
                let load = self.load.with_shares(shares);
                let result = solve(&InferenceJob { load: &load, ..*self });
                known = Some((shares, result));
                result
            }
        }
    }

    /// The prefix cache in the steady state of the load, from the service with constant cached shares.
    fn steady_cache(&self, session: &Session, cached: &mut dyn FnMut([f64; 3]) -> Service) -> SessionCache {
        let endless = SessionCache::endless(session, self.prompt());
        let first = cached(endless.shares);
        if self.load.rate > 0.0 {
            // The faster an answer, the more of the session is still there at the next turn. From an endless cache on, times grow
            // until they belong to what is cached: the least of what may be several steady states.
            let mut residence = self.residence(&first);
            for _ in 0..ROUNDS {
                let cache = self.cache_at(session, self.load.rate / self.readers(), residence);
                let next = self.residence(&cached(cache.shares));
                let moved = (next / residence - 1.0).abs();
                residence = next;
                if moved <= SETTLED {
                    break;
                }
            }
            return self.cache_at(session, self.load.rate / self.readers(), residence);
        }
        // In a closed loop the rate follows from the time of an answer: more requests per second leave less in the cache.
        let in_flight = f64::from(self.load.concurrency);
        let at = |rate: f64| self.cache_at(session, rate / self.readers(), Seconds::new(in_flight / rate));
        let rate =
            crossing(self.request_rate(&first), SETTLED, |rate| self.request_rate(&cached(at(rate).shares)));
        at(rate)
    }

    /// The load with the cached shares that follow from its sessions, and without them.
    pub(super) fn settled(&self) -> Option<InferenceLoad> {
        self.session_cache().map(|cache| self.load.with_shares(cache.shares))
    }

    /// The largest sustained rate with sessions, requests per second: at larger ones the cache no longer has what it takes.
    pub(super) fn largest_session_rate(&self, session: &Session) -> f64 {
        let endless = SessionCache::endless(session, self.prompt());
        let with = |shares: [f64; 3]| {
            let load = self.load.with_shares(shares);
            InferenceJob { load: &load, ..*self }.largest_rate()
        };
        let sustained = |rate: f64| {
            let load = self.load.at(LoadAxis::Rate, rate);
            let cache = InferenceJob { load: &load, ..*self }.session_cache();
            cache.is_some_and(|cache| with(cache.shares) * FULL >= rate)
        };
        let high = with(endless.shares);
        if sustained(high * FULL) {
            return high;
        }
        let (mut low, mut high) = (with([0.0; 3]), high);
        for _ in 0..SATURATION_HALVINGS {
            let middle = 0.5 * (low + high);
            if sustained(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// Requests per second of all GPUs.
    pub(crate) fn request_rate(&self, service: &Service) -> f64 {
        service.tokens_per_second / f64::from(self.load.output.max(1))
    }

    /// Time from arrival to the last token.
    pub(super) fn residence(&self, service: &Service) -> Seconds {
        self.load.request_latency(service.ttft, service.tpot)
    }

    /// The prefix cache of a replica to which `rate` requests per second come, each of which is served for `residence`.
    pub(super) fn cache_at(&self, session: &Session, rate: f64, residence: Seconds) -> SessionCache {
        let capacities = self.cache_tiers().up_to();
        let prompt = self.prompt();
        let gap = Gap::of(session, residence);
        let kept_for = capacities.map(|capacity| session.kept_for(capacity - session.shared, rate, &gap));
        let found = kept_for.map(|time| gap.within(time));
        let mut above = 0.0;
        let shares = [0, 1, 2].map(|tier| {
            // Every request uses the shared prefix: the first tier that can hold it always has it.
            let holds = capacities[tier] >= session.shared;
            let tokens = if holds { session.shared + found[tier] * session.repeated() } else { 0.0 };
            (tokens - std::mem::replace(&mut above, tokens)) / prompt
        });
        SessionCache {
            kept_for: kept_for.map(Seconds::new),
            found,
            shares,
            repeated: (session.shared + session.repeated()) / prompt,
        }
    }

    /// The largest load that `solve` finds with constant cached shares, at the shares that follow from it. It keeps the service
    /// levels with them.
    pub(super) fn with_sessions(
        &self,
        session: &Session,
        solve: impl Fn(&InferenceJob<'_>) -> Result<LoadPoint, Service>,
    ) -> Result<LoadPoint, Service> {
        let mut solved = self.by_shares(solve);
        // Even a lone request with everything cached may exceed a limit.
        let mut point = solved(SessionCache::endless(session, self.prompt()).shares)?;
        let rate = crossing(self.request_rate(&point.service), NEARLY_SETTLED, |rate| {
            let cache = self.cache_at(session, rate / self.readers(), self.residence(&point.service));
            match solved(cache.shares) {
                Ok(found) => {
                    point = found;
                    self.request_rate(&found.service)
                }
                Err(_) => 0.0,
            }
        });
        let axis = self.load.axis();
        // Service times have steps, at which the load that is solved for falls below the rate of its own cached shares.
        let mut load = if axis == LoadAxis::Rate { point.load.max(rate) } else { point.load };
        let mut service = self.service_at(axis, load);
        for _ in 0..LOWERED.0 {
            if self.load.keeps(&service) {
                return Ok(LoadPoint { load, service });
            }
            load *= LOWERED.1;
            if axis == LoadAxis::Concurrency {
                load = libm::floor(load).max(1.0);
            }
            service = self.service_at(axis, load);
        }
        Err(service)
    }
}

impl InferenceLoad {
    /// This load without sessions, with shares of each prompt that the GPUs, host memory and SSDs have cached.
    #[must_use]
    pub(super) const fn with_shares(&self, [cached, cached_host, cached_ssd]: [f64; 3]) -> Self {
        Self { turns: 1, shared_prefix: 0, cached, cached_host, cached_ssd, ..*self }
    }
}

impl SessionCache {
    /// A cache on GPUs that never fills.
    pub(super) fn endless(session: &Session, prompt: f64) -> Self {
        let repeated = (session.shared + session.repeated()) / prompt;
        Self {
            kept_for: [Seconds::new(f64::INFINITY); 3],
            found: [1.0; 3],
            shares: [repeated, 0.0, 0.0],
            repeated,
        }
    }
}

/// Time between the arrivals of two turns: the first is answered, then the user thinks for an exponentially distributed time.
pub(super) struct Gap {
    /// Time in which a turn is answered, s.
    answered: f64,
    /// Mean time to think, s.
    thought: f64,
}

/// Least mean time to think, as a share of the interval between two turns.
const LEAST_THOUGHT: f64 = 0.01;

impl Gap {
    pub(super) fn of(session: &Session, residence: Seconds) -> Self {
        let answered = residence.get();
        let thought = (session.interval - answered).max(LEAST_THOUGHT * session.interval);
        Self { answered, thought }
    }

    /// Mean of the gap, s.
    pub(super) const fn mean(&self) -> f64 {
        self.answered + self.thought
    }

    /// Probability that the next turn comes within a time, s.
    pub(super) fn within(&self, time: f64) -> f64 {
        if time > self.answered { 1.0 - libm::exp((self.answered - time) / self.thought) } else { 0.0 }
    }

    /// Mean of the gap, or of a time if that is shorter, s.
    fn mean_up_to(&self, time: f64) -> f64 {
        if time > self.answered { self.answered + self.thought * self.within(time) } else { time }
    }
}

impl Session {
    /// Characteristic time of a cache of `capacity` tokens beside the shared prefix, s, to which `rate` requests per second come.
    ///
    /// The tokens of a turn stay until the next one comes, or for the characteristic time T; those of a session's last turn stay
    /// for T. The capacity is what all of them take on average: C = λ (Σ (c_k / N) E[min(gap, T)] + (c_N / N) T).
    pub(super) fn kept_for(&self, capacity: f64, rate: f64, gap: &Gap) -> f64 {
        if capacity <= 0.0 {
            return 0.0;
        }
        // The last turns alone fill the cache in this time.
        let (mut low, mut high) = (0.0, capacity / self.ended_per_second(rate));
        if !high.is_finite() {
            return f64::INFINITY;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.taken(middle, rate, gap) < capacity { low = middle } else { high = middle }
        }
        low
    }

    /// Tokens beside the shared prefix that were used within a time, s, with the states of their requests.
    pub(super) fn taken(&self, time: f64, rate: f64, gap: &Gap) -> f64 {
        let others = 1.0 - 1.0 / f64::from(self.turns);
        let repeated = self.repeated() + others * self.state;
        rate * repeated * gap.mean_up_to(time) + self.ended_per_second(rate) * time
    }

    /// Tokens of the sessions that end in a second, with their states.
    fn ended_per_second(&self, rate: f64) -> f64 {
        rate * (self.kept() + self.state) / f64::from(self.turns)
    }
}
