//! Builds the simulation of an [`InferenceJob`].

use std::sync::Arc;

use super::replay::{Dealt, Playing};
use super::session_source::{SessionSource, Traffic};
use super::{
    Arrivals, Extent, Handover, Lengths, Pool, Reach, Reload, Replay, Scheduler, Simulation, Source,
};
use crate::inference::InferenceJob;
use crate::units::Seconds;

/// Seed of every simulation, so that a question always gives the same percentiles.
const SEED: u64 = 0x5EED;

/// Requests per replica above which a run is simulated as a stream: its beginning no longer changes the 99th percentile.
const LONGEST_RUN: f64 = 16_384.0;

/// Maximum number of replicas that are simulated together.
const MOST_REPLICAS: u32 = 64;

/// Replicas that are simulated, as a part of all.
struct Part {
    prefill: u32,
    decode: u32,
    /// Number of such parts that share the load.
    parts: f64,
    /// Probability that a prompt of these prefill replicas goes to one of these decode replicas.
    simulated: f64,
}

impl InferenceJob<'_> {
    /// A simulation of one attention replica, or with disaggregated serving of some replicas that prefill and some that
    /// decode: of a whole run where the load has an end, else of a steady stream, measured over `requests` requests per
    /// replica that decodes.
    ///
    /// `None` for a single batch, context parallelism, more than 64 replicas that have to be simulated together, sessions whose
    /// turns are so far apart that too many are between two, or if no request fits into memory: these are not simulated.
    pub fn simulation(&self, lengths: Lengths, requests: u32) -> Option<Simulation> {
        let traffic = self.simulated_part().and_then(|part| self.traffic(&part, lengths));
        if traffic.is_some_and(|traffic| !traffic.is_short()) {
            return None;
        }
        self.simulated(requests, |_, arrivals, means, extent| {
            let Some(traffic) = traffic else { return (arrivals, (lengths, means).into(), extent) };
            let arrivals = match arrivals {
                Arrivals::Closed(_) => arrivals,
                Arrivals::Poisson(_) | Arrivals::Timed => Arrivals::Timed,
            };
            (arrivals, SessionSource::new(traffic).into(), extent)
        })
    }

    /// The sessions' traffic at the simulated replicas; `None` if requests have nothing in common. In a closed loop sessions go on
    /// as requests end, at the mean-field model's rate.
    fn traffic(&self, part: &Part, lengths: Lengths) -> Option<Traffic> {
        let (session, cache) = (self.session()?, self.session_cache()?);
        let load = self.load.with_shares(cache.shares);
        let service = InferenceJob { load: &load, ..*self }.service();
        let all = match load.rate {
            rate if rate > 0.0 => rate,
            _ => self.request_rate(&service),
        };
        let [.., kept_for] = cache.kept_for;
        Some(Traffic {
            session,
            lengths,
            rate: all / part.parts,
            answered: self.residence(&service).get(),
            kept_for: kept_for.get(),
            tiers: self.cache_tiers(),
            replicas: part.prefill.max(1) as usize,
        })
    }

    /// A simulation with the requests of a trace: where the load is a rate, at the trace's own times, scaled so that its busiest
    /// minute has that rate; with a number of concurrent requests, one after another. A run that has an end has lengths of its
    /// own.
    ///
    /// Requests are dealt to replicas at random. So many replicas are simulated one after another that about `requests`
    /// requests are measured.
    pub fn trace_simulation(&self, replay: &Arc<Replay>, requests: u32) -> Option<Simulation> {
        if self.load.run_requests() > 0 {
            return self.simulation(Lengths::Constant, requests);
        }
        self.simulated(requests, |part, arrivals, means, extent| {
            let (replicas, tiers) = (part.prefill.max(1) as usize, self.cache_tiers());
            let dealt = Dealt { parts: part.parts, replicas, tiers, means };
            if let Arrivals::Closed(_) = arrivals {
                return (arrivals, Playing::closed(replay, &dealt).into(), extent);
            }
            let playing = Playing::open(replay, self.load.rate, &dealt, requests);
            let all = u32::try_from(playing.len()).unwrap_or(u32::MAX);
            (Arrivals::Timed, playing.into(), Extent::Run(all))
        })
    }

    /// A simulation whose arrivals, requests and extent `source` gives, from those of a stream or run.
    fn simulated(
        &self,
        requests: u32,
        source: impl FnOnce(&Part, Arrivals, (f64, f64), Extent) -> (Arrivals, Source, Extent),
    ) -> Option<Simulation> {
        let load = self.load;
        if !load.is_stream() || load.context > 1 || !self.has_room() {
            return None;
        }
        let part = self.simulated_part()?;
        let arrivals = if load.rate > 0.0 {
            Arrivals::Poisson(load.rate / part.parts)
        } else {
            Arrivals::Closed(libm::ceil(f64::from(load.concurrency) / part.parts) as u32)
        };
        let means = (self.prompt(), f64::from(load.output));
        let own = libm::ceil(f64::from(load.run_requests()) / part.parts);
        let runs = own > 0.0 && own <= LONGEST_RUN * f64::from(part.decode);
        let stream = requests.saturating_mul(part.decode);
        let extent = if runs { Extent::Run(own as u32) } else { Extent::Stream(stream) };
        let (arrivals, source, extent) = source(&part, arrivals, means, extent);
        let per_token = self.reload_times().map(Seconds::get);
        let reload = Reload { shares: [load.cached_host, load.cached_ssd], per_token };
        let source = source.reloading(reload);
        let (decode, extent) = (self.pool(part.decode), (extent, SEED));
        if part.prefill == 0 {
            return Some(Simulation::of(None, decode, arrivals, source, extent));
        }
        let load = load.prefilling();
        let mut prefill = self.reader(&load).pool(part.prefill);
        // A prompt leaves once it is prefilled.
        prefill.rules.reserves = false;
        let handover =
            Handover { transfer: self.transfer().get() / self.prompt(), simulated: part.simulated };
        Some(Simulation::disaggregated((prefill, decode, handover), arrivals, source, extent))
    }

    /// The replicas that stand for all: without disaggregation one. Of an endless stream with disaggregation, one that
    /// decodes and the prefill replicas whose prompts suffice for it, since Poisson arrivals that are split at random stay
    /// Poisson. A closed loop or a run takes the smallest part with the ratio of prefill to decode.
    fn simulated_part(&self) -> Option<Part> {
        let load = self.load;
        let all = load.replicas();
        if load.prefill_workers == 0 {
            return Some(Part { prefill: 0, decode: 1, parts: all, simulated: 1.0 });
        }
        let readers = self.readers();
        let part = if load.rate > 0.0 && load.run_requests() == 0 {
            let prefill = libm::ceil(readers / all);
            Part {
                prefill: prefill as u32,
                decode: 1,
                parts: readers / prefill,
                simulated: readers / (all * prefill),
            }
        } else {
            let parts = common_divisor(all as u64, readers as u64) as f64;
            Part { prefill: (readers / parts) as u32, decode: (all / parts) as u32, parts, simulated: 1.0 }
        };
        (part.prefill.saturating_add(part.decode) <= MOST_REPLICAS).then_some(part)
    }

    /// A pool of `replicas` attention replicas of this job.
    fn pool(&self, replicas: u32) -> Pool {
        let (load, overheads) = (self.load, &self.overheads);
        let (room, fixed, per_token) = self.cache_room();
        let stages = self.stages();
        let slots = overheads.slots / stages;
        let rules = Scheduler {
            slots: slots.max(1.0) as u32,
            budget: overheads.budget as u32,
            admission: load.admission.max(1),
            holds: overheads.holds,
            prompt_steps: overheads.prompt_steps,
            reserves: overheads.reserves,
            checked: 1 + load.draft,
            yielded: load.yielded(),
            room: room / stages,
            fixed,
            per_token,
            cached: load.cached,
            arrival: self.arrival().get(),
        };
        let running = (2.0 * self.places() / stages).min(slots).clamp(2.0, 4096.0);
        let context = self.prompt() + f64::from(load.output);
        // Prompts that are not split are up to about twice the mean length.
        let whole = if overheads.prompt_steps.split() { 0.0 } else { 2.0 * self.prompt() };
        let reach = Reach { running, context, tokens: overheads.budget.max(whole) + running };
        Pool { replicas, stages: stages as u32, pace: self.pace(reach), rules }
    }
}

/// The greatest common divisor; `one` if the other is 0. At least 1.
const fn common_divisor(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    if one == 0 { 1 } else { one }
}
