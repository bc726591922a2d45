//! Simulates chosen fleets, and adds replicas to fleets whose queue grows or that exceed a limit.

use std::sync::Arc;

use super::fleet::MOST_REPLICAS;
use super::work_order::{Searcher, WorkOrder};
use super::{Candidate, Fleet};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::serving::ThinkingUsers;
use crate::serving::simulation::{Lengths, Level, Replay, Simulation};

/// Requests measured per fleet.
const REQUESTS: u32 = 4000;

/// Engine steps after which a simulation with [`FEWEST`] measured requests ends: replicas under a light load take hundreds
/// of steps per request.
const MOST_STEPS: u32 = 500_000;

/// Requests from which percentiles are read.
const FEWEST: u64 = 1000;

/// Replicas by the simulation over those by the mean-field model, at most; 2 more are allowed.
const MOST_GROWTH: f64 = 2.0;

/// Difference between a sufficient number of replicas and one that is too small, over the latter, at which the search for
/// the smallest sufficient number ends.
const NEAR: f64 = 0.05;

/// Replicas over those by the mean-field model that are tried in turn until the levels are held. [`MOST_GROWTH`] follows.
const TRIED: [f64; 2] = [1.15, 1.4];

/// Time over its limit, as a ratio, at which a number of replicas counts as too small after [`FEWEST`] requests. The standard
/// error of the 99th percentile of 1,000 exponential times is 7 % (√(0.99 / (1,000 × 0.01)) of their mean, over 4.6 means).
const FAR_OVER: f64 = 1.25;

/// Simulations of some fleets, one after another.
#[derive(Clone, Debug)]
pub(super) struct Percentiles {
    /// Indices of the fleets to simulate.
    places: Vec<usize>,
    /// The fleets that are done, by their place in this list.
    order: WorkOrder,
    /// Users whose request rate depends on the number of replicas.
    thinking: Option<ThinkingUsers>,
    /// The statistic that the service levels limit.
    level: Level,
    lengths: Lengths,
    /// The trace whose requests are simulated.
    replay: Option<Arc<Replay>>,
    /// The fleet in progress.
    at: Option<At>,
}

/// The search for the smallest number of replicas of a fleet that holds its levels.
#[derive(Clone, Debug)]
struct At {
    /// Place in the list of fleets to simulate.
    rank: usize,
    simulation: Simulation,
    /// Engine steps simulated so far.
    steps: u32,
    /// The fleet with the mean-field model's number of replicas.
    base: Fleet,
    /// The fleet with the number of replicas that is simulated.
    trial: Fleet,
    /// The largest number of replicas that is known to be too small.
    low: u32,
    /// The fleet with the smallest number of replicas that is known to suffice.
    held: Option<Fleet>,
    /// Maximum replicas to try.
    most: u32,
}

impl Percentiles {
    pub(super) fn new(
        places: Vec<usize>,
        thinking: Option<ThinkingUsers>,
        level: Level,
        (lengths, replay): (Lengths, Option<Arc<Replay>>),
        searcher: Searcher,
    ) -> Self {
        let order = WorkOrder::new(places.len(), searcher);
        Self { order, places, thinking, level, lengths, replay, at: None }
    }

    /// Returns true if the requests of a trace are simulated.
    pub(super) const fn replays(&self) -> bool {
        self.replay.is_some()
    }

    fn simulation(&self, job: &InferenceJob<'_>) -> Option<Simulation> {
        match &self.replay {
            Some(replay) => job.trace_simulation(replay, REQUESTS),
            None => job.simulation(self.lengths, REQUESTS),
        }
    }

    /// Number of fleets that are simulated, and of all fleets to simulate.
    pub(super) fn progress(&self) -> (usize, usize) {
        (self.order.done(), self.order.all())
    }

    /// The index of the fleet at a place in the list of fleets to simulate.
    pub(super) fn place(&self, rank: usize) -> Option<usize> {
        self.places.get(rank).copied()
    }

    /// Takes a fleet that another worker has simulated. It is ignored if it is done, or of another deployment.
    pub(super) fn take(&mut self, rank: usize, simulated: &Fleet, fleets: &mut [Fleet]) {
        let Some(fleet) = self.place(rank).and_then(|place| fleets.get_mut(place)) else { return };
        let replicas = InferenceLoad {
            workers: fleet.load.workers,
            prefill_workers: fleet.load.prefill_workers,
            // With a think time they depend on the number of replicas.
            rate: fleet.load.rate,
            turn_interval_s: fleet.load.turn_interval_s,
            ..simulated.load
        };
        if simulated.device == fleet.device && replicas == fleet.load && self.order.end(rank) {
            *fleet = *simulated;
            self.at.take_if(|at| at.rank == rank);
        }
    }

    /// Simulates up to `steps` engine steps. A fleet that does not hold its levels gets the fewest replicas, within
    /// [`NEAR`], with which the simulation holds them; if none do, it keeps the most that were tried. Returns the place in the
    /// list of the fleet whose simulation ends within these steps.
    pub(super) fn advance(
        &mut self,
        steps: u32,
        candidates: &[Candidate],
        fleets: &mut [Fleet],
    ) -> Option<usize> {
        let mut at = self.at.take().or_else(|| self.next(candidates, fleets))?;
        at.simulation.advance(steps);
        at.steps = at.steps.saturating_add(steps);
        if !(at.is_measured() || at.exceeds(self.level)) {
            self.at = Some(at);
            return None;
        }
        at.trial.simulated = Some(at.simulation.simulated());
        if at.trial.holds(self.level) {
            at.held = Some(at.trial);
        } else {
            at.low = at.trial.load.workers;
        }
        *fleets.get_mut(self.place(at.rank)?)? = at.held.unwrap_or(at.trial);
        if let Some(workers) = at.next_size() {
            let shared = at.base.shared_by(workers, self.thinking, candidates);
            let next =
                shared.zip(candidates.get(at.trial.device)).and_then(|((load, service), candidate)| {
                    let simulated = |job: &InferenceJob<'_>| (candidate.used(job), self.simulation(job));
                    let (used, simulation) = at.base.with_job(candidates, &load, simulated)?;
                    Some((Fleet { load, service, used, ..at.trial }, simulation?))
                });
            if let Some((trial, simulation)) = next {
                at.trial = trial;
                self.at = Some(At { simulation, steps: 0, ..at });
                return None;
            }
        }
        self.order.end(at.rank);
        Some(at.rank)
    }

    /// Begins the simulation of the next fleet that can be simulated.
    fn next(&mut self, candidates: &[Candidate], fleets: &[Fleet]) -> Option<At> {
        loop {
            let rank = self.order.next()?;
            let fleet = self.place(rank).and_then(|place| fleets.get(place));
            let simulation = fleet.and_then(|fleet| {
                fleet.with_job(candidates, &fleet.load, |job| self.simulation(job)).flatten()
            });
            let (Some(fleet), Some(simulation)) = (fleet, simulation) else {
                self.order.end(rank);
                continue;
            };
            let workers = fleet.load.workers;
            let most = (f64::from(workers) * MOST_GROWTH + 2.0).min(MOST_REPLICAS) as u32;
            let low = workers.saturating_sub(1);
            let (base, trial) = (*fleet, *fleet);
            return Some(At { rank, simulation, steps: 0, base, trial, low, held: None, most });
        }
    }
}

impl At {
    /// Returns true if the simulation has ended, or has measured enough requests for its steps.
    fn is_measured(&self) -> bool {
        self.simulation.is_done() || (self.steps >= MOST_STEPS && self.simulation.measured() >= FEWEST)
    }

    /// Returns true if the requests measured so far show that there are too few replicas.
    fn exceeds(&self, level: Level) -> bool {
        let so_far = || Fleet { simulated: Some(self.simulation.simulated()), ..self.trial };
        self.simulation.measured() >= FEWEST && so_far().exceeds(level, FAR_OVER)
    }

    /// The number of replicas to simulate next: a larger one if no number is known to suffice, else by bisection. `None`
    /// at the end.
    fn next_size(&self) -> Option<u32> {
        let Some(held) = &self.held else {
            let base = f64::from(self.base.load.workers);
            let mut tried = TRIED.into_iter().map(|growth| libm::ceil(base * growth) as u32);
            let next = tried.find(|workers| *workers > self.low).unwrap_or(self.most).min(self.most);
            return (self.low < self.most).then_some(next);
        };
        let gap = held.load.workers - self.low;
        let near = (f64::from(self.low) * NEAR) as u32;
        (gap > near.max(1)).then_some(self.low + gap / 2)
    }
}
