//! The search over devices and their deployments.

use std::sync::Arc;

use super::pairs::Pairs;
use super::percentiles::Percentiles;
use super::pools;
use super::{Demand, Fleet, Miss, Shortfall, SizingChoice};
use crate::catalog::Accelerator;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::order;
use crate::search::serving::DeploymentProblem;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::{Lengths, Level, Replay};
use crate::serving::{LoadPoint, Service};
use crate::system::{Fabric, Precision};
use crate::units::{Bytes, Seconds};

/// A device, with the search problem of the deployments on it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The device.
    pub accelerator: Accelerator,
    /// Model, system and load on the device.
    pub problem: DeploymentProblem,
    /// The fabric of its question.
    pub fabric: Fabric,
    /// The quantity that the objective minimises, per GPU: US dollars per hour, 1, or W. `None` if unknown.
    pub cost: Option<f64>,
    /// True if the device is as the catalogue has it, so that prefill workers on it can be named beside decode workers on
    /// another.
    pub listed: bool,
}

/// A search through all deployments of one replica on all devices, in steps of bounded work.
#[derive(Clone, Debug)]
pub struct Search {
    candidates: Vec<Candidate>,
    demand: Demand,
    /// Spare replicas of every fleet.
    spare: u32,
    /// True if fleets with disaggregated prefill are tried too.
    disaggregated: bool,
    /// True if decode workers with GPUs of their own for experts are tried too.
    experts_apart: bool,
    /// True if deployments with speculative decoding are tried too.
    speculative: bool,
    /// Index of the candidate in progress.
    at: usize,
    /// Prefill workers of each device, for decode workers on others.
    pairs: Pairs,
    /// State of the candidate in progress.
    walk: Option<Walk>,
    /// Number of deployments tried.
    tried: usize,
    fleets: Vec<Fleet>,
    misses: Vec<Miss>,
    percentiles: Option<Percentiles>,
}

/// Replicas of a deployment, with the largest load of one. It is not known yet for disaggregated fleets.
type Sized = (InferenceLoad, Option<LoadPoint>);

/// State of the search on one device.
#[derive(Clone, Debug)]
struct Walk {
    /// Deployments that are not tried yet.
    left: Vec<InferenceLoad>,
    /// Deployments that meet the service levels, with the largest load of a replica.
    held: Vec<(InferenceLoad, LoadPoint)>,
    /// Least memory per GPU, without a request, of the deployments that do not fit.
    least: Bytes,
    /// Shortest TTFT of the deployments that miss a level with one request.
    ttft: Seconds,
    /// Shortest TPOT of the deployments that miss a level with one request.
    tpot: Seconds,
}

/// Tokens of the drafts that are tried. With an acceptance of 0.7 a draft of three yields 2.5 tokens a pass, one of six 3.1.
const DRAFTS: [u32; 3] = [0, 1, 3];

/// Work of a deployment without room for a request, in the units of [`Search::advance`].
const ROOMLESS: u32 = 1;

/// Work of finding the largest load of a deployment, in the units of [`Search::advance`].
const LOADED: u32 = 24;

/// Work of trying prefill workers on other devices for the decode workers of one device, in the units of
/// [`Search::advance`].
const PAIRED: u32 = 240;

/// Maximum replicas of a fleet.
pub(super) const MOST_REPLICAS: f64 = 65_536.0;

impl Search {
    /// A search that has not begun.
    pub fn new(candidates: Vec<Candidate>, demand: Demand, choice: &SizingChoice) -> Self {
        let SizingChoice { spare, disaggregated, experts_apart, speculative, .. } = *choice;
        let (fleets, misses) = (Vec::new(), Vec::new());
        Self {
            candidates,
            demand,
            spare,
            disaggregated,
            experts_apart,
            speculative,
            at: 0,
            pairs: Pairs::default(),
            walk: None,
            tried: 0,
            fleets,
            misses,
            percentiles: None,
        }
    }

    /// The devices, in the order of the search.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The load that every fleet carries.
    pub const fn demand(&self) -> Demand {
        self.demand
    }

    /// Fleets, device by device: for each number format those that are Pareto-optimal in GPUs and TPOT.
    pub fn fleets(&self) -> &[Fleet] {
        &self.fleets
    }

    /// Devices without a fleet, with the reasons.
    pub fn misses(&self) -> &[Miss] {
        &self.misses
    }

    /// Number of deployments tried.
    pub const fn tried(&self) -> usize {
        self.tried
    }

    /// Number of devices that are done, prefill workers on other devices apart.
    pub fn done(&self) -> usize {
        self.at.min(self.candidates.len())
    }

    /// Steps that are done, and steps in all: one for each device, and a second one where prefill workers on other devices
    /// are tried.
    pub fn progress(&self) -> (usize, usize) {
        let devices = self.candidates.len();
        (self.at, if self.pairs_devices() { 2 * devices } else { devices })
    }

    /// Returns true if every device is done.
    pub fn is_done(&self) -> bool {
        let (done, all) = self.progress();
        done >= all
    }

    /// Returns true if fleets whose prompts are prefilled on another device are tried.
    fn pairs_devices(&self) -> bool {
        self.candidates.first().is_some_and(|candidate| self.disaggregates(&candidate.problem))
    }

    fn disaggregates(&self, problem: &DeploymentProblem) -> bool {
        self.disaggregated && self.demand.axis == LoadAxis::Rate && problem.load.engine.disaggregates()
    }

    /// Tries deployments for about `work` units of work; a deployment that meets the service levels takes 24.
    pub fn advance(&mut self, work: u32) {
        let mut left = work;
        while left > 0 && !self.is_done() {
            let Some(candidate) = self.candidates.get(self.at) else {
                self.pair(self.at - self.candidates.len());
                self.at += 1;
                left = left.saturating_sub(PAIRED);
                continue;
            };
            let problem = &candidate.problem;
            let walk = self.walk.get_or_insert_with(|| Walk::of(problem, self.speculative));
            let Some(load) = walk.left.pop() else {
                if let Some(walk) = self.walk.take() {
                    self.end(&walk);
                }
                self.at += 1;
                continue;
            };
            self.tried += 1;
            left = left.saturating_sub(walk.attempt(problem, &load, self.demand));
        }
    }

    /// Sets the fleets whose percentiles are simulated, by their indices, with requests of these lengths, or of a trace. Only
    /// the first call has an effect.
    pub fn simulate(
        &mut self,
        places: impl Iterator<Item = usize>,
        level: Level,
        lengths: Lengths,
        replay: Option<Arc<Replay>>,
    ) {
        self.percentiles.get_or_insert_with(|| Percentiles::new(places.collect(), level, (lengths, replay)));
    }

    /// Returns true if percentiles are simulated with the requests of a trace.
    pub fn replays(&self) -> bool {
        self.percentiles.as_ref().is_some_and(Percentiles::replays)
    }

    /// Number of fleets that are simulated, and of all to simulate; `None` before [`Search::simulate`].
    pub fn simulations(&self) -> Option<(usize, usize)> {
        self.percentiles.as_ref().map(Percentiles::progress)
    }

    /// Simulates up to `steps` engine steps.
    pub fn advance_simulations(&mut self, steps: u32) {
        if let Some(percentiles) = &mut self.percentiles {
            percentiles.advance(steps, &self.candidates, &mut self.fleets);
        }
    }

    /// Searches every device at once, without simulations.
    pub fn run(&mut self) {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
    }

    /// Records the fleets of the device that is done, or its shortfall.
    fn end(&mut self, walk: &Walk) {
        let (device, problem) = (self.at, &self.candidates[self.at].problem);
        let mut found = Vec::new();
        let mut too_many = false;
        for precision in problem.formats() {
            let of = |(load, _): &&(InferenceLoad, LoadPoint)| load.precision == precision;
            let known = |(load, largest): &(InferenceLoad, LoadPoint)| (*load, Some(*largest));
            let mut sized: Vec<Sized> = walk.held.iter().filter(of).map(known).collect();
            for (load, largest) in &mut sized {
                let replicas = largest.map_or(1.0, |largest| self.demand.replicas(largest.load));
                too_many |= replicas > MOST_REPLICAS;
                load.workers = replicas.min(MOST_REPLICAS + 1.0) as u32;
            }
            sized.retain(|(load, _)| f64::from(load.workers) <= MOST_REPLICAS);
            if self.disaggregates(problem) {
                let (tried, kinds) = pools::kinds(problem, precision, self.demand.amount);
                let prefill = pools::prefilling(problem, &kinds);
                self.tried += tried;
                let fewest =
                    prefill.iter().min_by_key(|all| (all.load.prefill_gpus(), all.load.prefill_workers));
                if let Some(fewest) = fewest {
                    self.tried += kinds.len();
                    let mut decode = pools::decoding(problem, &kinds);
                    if self.experts_apart {
                        let alternating = pools::alternating(problem, &fewest.load);
                        self.tried += alternating.len();
                        decode.extend(pools::decoding(problem, &alternating));
                    }
                    let apart = pools::fleets(problem, &problem.system, fewest, &decode);
                    sized.extend(apart.into_iter().map(|(load, _)| (load, None)));
                }
                self.pairs.learn(device, &self.candidates[device], &prefill);
            }
            // At equal GPUs fewer and larger workers come first: they are the faster ones more often.
            order::sort(&mut sized, |a, b| a.0.gpus().cmp(&b.0.gpus()).then(a.0.workers.cmp(&b.0.workers)));
            self.front(device, &sized, precision, &mut found);
        }
        if found.is_empty() {
            // A level that a replica meets at its largest load may be missed at every whole number of replicas.
            let nearest = walk
                .held
                .iter()
                .map(|(_, largest)| largest.service)
                .min_by(|a, b| a.tpot.get().total_cmp(&b.tpot.get()));
            let shortfall = match nearest {
                Some(_) if too_many => Shortfall::Replicas,
                Some(nearest) => Shortfall::Levels { ttft: nearest.ttft, tpot: nearest.tpot },
                None if walk.tpot.get().is_finite() => Shortfall::Levels { ttft: walk.ttft, tpot: walk.tpot },
                _ => Shortfall::Memory { needs: walk.least, has: problem.system.device.capacity },
            };
            self.misses.push(Miss { device, shortfall });
        }
        self.fleets.append(&mut found);
    }

    /// Appends the deployments of one number format that are Pareto-optimal in GPUs and TPOT. They are given in
    /// ascending order of GPUs.
    fn front(&self, device: usize, sized: &[Sized], precision: Precision, found: &mut Vec<Fleet>) {
        let problem = &self.candidates[device].problem;
        for (load, largest) in sized {
            let load = load.at(self.demand.axis, self.demand.amount);
            let gpus = load.gpus();
            let fastest = found.iter().rev().find(|fleet| fleet.load.precision == precision);
            let service = problem.job(&load).service();
            let slower = fastest.is_some_and(|fastest| fastest.service.tpot <= service.tpot);
            // Requests in flight per replica are whole numbers, so that a level kept at the largest load may be missed
            // below it.
            if slower || !load.keeps(&service) {
                continue;
            }
            let Some(fleet) = self.fleet((device, None), &load, service, *largest) else { continue };
            match found.last_mut() {
                Some(last) if last.load.precision == precision && last.load.gpus() == gpus => *last = fleet,
                _ => found.push(fleet),
            }
        }
    }

    /// A fleet on a device, with that of its prefill workers if it is another. `largest` is the largest load of a replica up
    /// to the demand, if it is known.
    fn fleet(
        &self,
        (device, prefill_device): (usize, Option<usize>),
        load: &InferenceLoad,
        service: Service,
        largest: Option<LoadPoint>,
    ) -> Option<Fleet> {
        let candidate = self.candidates.get(device)?;
        let system = candidate.system(prefill_device.and_then(|place| self.candidates.get(place)));
        let job = InferenceJob { system: &system, ..candidate.problem.job(load) };
        // One replica may exceed the demand.
        let known = largest.filter(|_| load.workers > 1);
        let largest = known.or_else(|| job.load_within(f64::INFINITY).ok()).or(largest)?;
        let each =
            if load.prefill_workers > 0 { largest.load / f64::from(load.workers) } else { largest.load };
        let largest = LoadPoint { load: each, ..largest };
        let spare = self.spare;
        Some(Fleet { device, prefill_device, load: *load, spare, largest, service, simulated: None })
    }

    /// Tries prefill workers on other devices for the decode workers of a device. Its fleets become those that cost least at
    /// their TPOT among all of the device and a number format.
    fn pair(&mut self, device: usize) {
        let Some(candidate) = self.candidates.get(device) else { return };
        let mut found = Vec::new();
        for precision in candidate.problem.formats() {
            let tried = self.pairs.try_on(device, precision, &self.candidates, self.demand.amount);
            self.tried += tried.len();
            let mut paired: Vec<Fleet> = tried
                .into_iter()
                .filter_map(|(prefill, load, service)| {
                    self.fleet((device, Some(prefill)), &load, service, None)
                })
                .collect();
            let time = |fleet: &Fleet| fleet.service.tpot.get();
            order::sort(&mut paired, |a, b| {
                self.cost(a).total_cmp(&self.cost(b)).then(time(a).total_cmp(&time(b)))
            });
            for fleet in paired {
                let better = |other: &Fleet| {
                    (other.device, other.load.precision) == (device, precision)
                        && self.cost(other) <= self.cost(&fleet)
                        && other.service.tpot <= fleet.service.tpot
                };
                if !self.fleets.iter().chain(&found).any(better) {
                    found.push(fleet);
                }
            }
        }
        if !found.is_empty() {
            self.misses.retain(|miss| miss.device != device);
        }
        self.fleets.append(&mut found);
    }

    /// The quantity that the objective minimises, of all GPUs of a fleet; infinite if unknown.
    fn cost(&self, fleet: &Fleet) -> f64 {
        let of = |place: usize| self.candidates.get(place).and_then(|candidate| candidate.cost);
        fleet.total(of(fleet.device), fleet.prefill_device.and_then(of)).unwrap_or(f64::INFINITY)
    }
}

impl Walk {
    /// The state before the first deployment. With `speculative`, each of one stage is tried with drafts of [`DRAFTS`] tokens,
    /// and without.
    fn of(problem: &DeploymentProblem, speculative: bool) -> Self {
        let mut left = problem.whole_workers();
        if speculative {
            let own: Vec<InferenceLoad> = left.iter().filter(|load| load.pipeline == 1).copied().collect();
            let drafts = DRAFTS.into_iter().filter(|draft| *draft != problem.load.draft);
            for draft in drafts {
                let drafted = own.iter().map(|load| InferenceLoad { draft, ..*load });
                left.extend(drafted.filter(|load| problem.allows(load)));
            }
        }
        let never = Seconds::new(f64::INFINITY);
        Self { left, held: Vec::new(), least: Bytes::new(f64::INFINITY), ttft: never, tpot: never }
    }

    /// Finds the largest load at which a deployment meets the service levels. Returns the work that this took.
    fn attempt(&mut self, problem: &DeploymentProblem, load: &InferenceLoad, demand: Demand) -> u32 {
        let load = load.at(demand.axis, demand.amount.max(1.0));
        let job = problem.job(&load);
        if !job.has_room() {
            let needs = job.memory(0).total();
            if needs < self.least {
                self.least = needs;
            }
            return ROOMLESS;
        }
        match job.load_within(demand.amount) {
            Ok(largest) => {
                self.held.push((load, largest));
                LOADED
            }
            Err(service) => {
                self.ttft = self.ttft.min(service.ttft);
                self.tpot = self.tpot.min(service.tpot);
                LOADED / 8
            }
        }
    }
}

impl Demand {
    /// Returns true if the load is finite and positive, and a concurrency is at least 1.
    pub fn is_positive(&self) -> bool {
        self.amount.is_finite()
            && if self.axis == LoadAxis::Rate { self.amount > 0.0 } else { self.amount >= 1.0 }
    }
}
