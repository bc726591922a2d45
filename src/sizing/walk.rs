//! The deployments of one device, one after another.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::fleet::MOST_REPLICAS;
use super::pairs::Reader;
use super::pools::{self, Prefill};
use super::{Candidate, Demand, Fleet, Miss, Shortfall, SizingChoice, SizingObjective};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::order;
use crate::search::NumberFormats;
use crate::search::serving::DeploymentProblem;
use crate::serving::capacity::LoadAxis;
use crate::serving::{LoadPoint, Service};
use crate::units::{Bytes, Seconds};

/// Result of the search on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceFleets {
    /// Index of the device among the search's candidates.
    pub device: usize,
    /// Number of deployments tried.
    pub(super) tried: usize,
    /// For each number format the fleets that are Pareto-optimal in GPUs and TPOT.
    pub(super) fleets: Vec<Fleet>,
    /// The reason why there is none.
    pub(super) miss: Option<Miss>,
    /// Prefill workers for decode workers on other devices.
    pub(super) readers: Vec<Reader>,
}

/// Load and options of a search, which are the same on every device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The load that every fleet carries.
    pub(super) demand: Demand,
    /// Spare replicas of every fleet.
    spare: u32,
    /// True if fleets with disaggregated prefill are tried too.
    disaggregated: bool,
    /// True if decode workers with GPUs of their own for experts are tried too.
    experts_apart: bool,
    /// True if deployments with speculative decoding are tried too.
    speculative: bool,
    /// The objective, which the best fleet minimises.
    pub(super) by: SizingObjective,
}

/// State of the search on one device.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// Index of the device.
    pub(super) device: usize,
    /// Deployments that are not tried yet.
    left: Vec<InferenceLoad>,
    /// Number of deployments tried.
    tried: usize,
    /// Deployments that meet the service levels, with the largest load of a replica.
    held: Vec<(InferenceLoad, LoadPoint)>,
    /// Least memory per GPU, without a request, of the deployments that do not fit.
    least: Bytes,
    /// Shortest TTFT of the deployments that miss a level with one request.
    ttft: Seconds,
    /// Shortest TPOT of the deployments that miss a level with one request.
    tpot: Seconds,
}

/// Replicas of a deployment, with the largest load of one. It is not known yet for disaggregated fleets.
type Sized = (InferenceLoad, Option<LoadPoint>);

/// Tokens of the drafts that are tried. With an acceptance of 0.7 a draft of three yields 2.5 tokens a pass, one of six 3.1.
pub(crate) const DRAFTS: [u32; 3] = [0, 1, 3];

/// Work of a deployment without room for a request, in the units of [`super::Search::advance`].
const ROOMLESS: u32 = 1;

/// Work of finding the largest load of a deployment, in the units of [`super::Search::advance`].
const LOADED: u32 = 24;

/// GPUs and workers of a fleet, by which deployments are ordered.
const fn size(load: &InferenceLoad) -> (u32, u32) {
    (load.gpus(), load.workers)
}

impl Terms {
    pub(super) const fn new(demand: Demand, choice: &SizingChoice) -> Self {
        let SizingChoice { spare, disaggregated, experts_apart, speculative, by, .. } = *choice;
        Self { demand, spare, disaggregated, experts_apart, speculative, by }
    }

    /// Returns true if disaggregated fleets of a device are tried. Their workers are counted for a request rate.
    pub(super) fn disaggregates(&self, problem: &DeploymentProblem) -> bool {
        let rate = self.demand.axis == LoadAxis::Rate;
        self.disaggregated && rate && problem.load.engine.disaggregates()
    }

    /// A fleet on a device, with that of its prefill workers if it is another. `largest` is the largest load of a replica up
    /// to the demand, if it is known.
    pub(super) fn fleet(
        &self,
        (device, candidate): (usize, &Candidate),
        prefill: Option<(usize, &Candidate)>,
        load: &InferenceLoad,
        service: Service,
        largest: Option<LoadPoint>,
    ) -> Option<Fleet> {
        let system = candidate.system(prefill.map(|(_, candidate)| candidate));
        let job = InferenceJob { system: &system, ..candidate.problem.job(load) };
        // One replica may exceed the demand.
        let known = largest.filter(|_| load.workers > 1);
        let largest = known.or_else(|| job.load_within(f64::INFINITY).ok()).or(largest)?;
        let each =
            if load.prefill_workers > 0 { largest.load / f64::from(load.workers) } else { largest.load };
        let largest = LoadPoint { load: each, ..largest };
        let prefill_device = prefill.map(|(place, _)| place);
        let capacity = job.sustained_rate() / f64::from(load.workers);
        let (load, spare, used) = (*load, self.spare, candidate.used(&job));
        Some(Fleet { device, prefill_device, load, spare, largest, capacity, service, used, simulated: None })
    }
}

impl Walk {
    /// The state before the first deployment. With speculative decoding, each deployment of one stage is tried with drafts of
    /// [`DRAFTS`] tokens, and without.
    pub(super) fn of(device: usize, problem: &DeploymentProblem, terms: &Terms) -> Self {
        let mut left = problem.whole_workers();
        if terms.speculative {
            let own: Vec<InferenceLoad> = left.iter().filter(|load| load.pipeline == 1).copied().collect();
            let drafts = DRAFTS.into_iter().filter(|draft| *draft != problem.load.draft);
            for draft in drafts {
                let drafted = own.iter().map(|load| InferenceLoad { draft, ..*load });
                left.extend(drafted.filter(|load| problem.allows(load)));
            }
        }
        let never = Seconds::new(f64::INFINITY);
        Self {
            device,
            left,
            tried: 0,
            held: Vec::new(),
            least: Bytes::new(f64::INFINITY),
            ttft: never,
            tpot: never,
        }
    }

    /// Tries the next deployment. Returns the work that this took, or `None` if every deployment was tried.
    pub(super) fn advance(&mut self, problem: &DeploymentProblem, terms: &Terms) -> Option<u32> {
        let load = self.left.pop()?;
        self.tried += 1;
        Some(self.attempt(problem, &load, terms.demand))
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

    /// The fleets of the device, or its shortfall, once every deployment was tried.
    pub(super) fn end(mut self, candidate: &Candidate, terms: &Terms) -> DeviceFleets {
        let problem = &candidate.problem;
        let (mut fleets, mut readers) = (Vec::new(), Vec::new());
        let mut too_many = false;
        for formats in problem.number_formats() {
            let mut sized: Vec<Sized> = Vec::new();
            for (load, largest) in self.held.iter().filter(|(load, _)| NumberFormats::of(load) == formats) {
                let replicas = terms.demand.replicas_at(largest, load);
                if replicas <= MOST_REPLICAS {
                    sized.push((InferenceLoad { workers: replicas as u32, ..*load }, Some(*largest)));
                } else {
                    too_many = true;
                }
            }
            if terms.disaggregates(problem) {
                let prefill = self.apart(problem, formats, terms, &mut sized);
                readers.extend(Reader::best(self.device, candidate, &prefill, terms.by));
            }
            // At equal GPUs fewer and larger workers come first: they are the faster ones more often.
            order::sort(&mut sized, |a, b| size(&a.0).cmp(&size(&b.0)));
            self.front(candidate, terms, sized.into(), &mut fleets);
        }
        let miss = fleets.is_empty().then(|| self.miss(problem, too_many));
        let Self { device, tried, .. } = self;
        DeviceFleets { device, tried, fleets, miss, readers }
    }

    /// Adds the disaggregated fleets of number formats. Returns their prefill workers.
    fn apart(
        &mut self,
        problem: &DeploymentProblem,
        formats: NumberFormats,
        terms: &Terms,
        sized: &mut Vec<Sized>,
    ) -> Vec<Prefill> {
        let (tried, kinds) = pools::kinds(problem, formats, terms.demand);
        let prefill = pools::prefilling(problem, &kinds);
        self.tried += tried;
        let fewest = prefill.iter().min_by_key(|all| (all.load.prefill_gpus(), all.load.prefill_workers));
        if let Some(fewest) = fewest {
            let (tried, mut decode) = pools::decoders(problem, &kinds);
            self.tried += tried;
            if terms.experts_apart {
                let alternating = pools::alternating(problem, &fewest.load);
                self.tried += alternating.len();
                decode.extend(pools::decoding(problem, &alternating));
            }
            let apart = pools::fleets(problem, &problem.system, terms.demand, fewest, &decode);
            sized.extend(apart.into_iter().map(|(load, _)| (load, None)));
        }
        prefill
    }

    /// Appends the deployments of one pair of number formats that are Pareto-optimal in GPUs and TPOT. They are given in ascending
    /// order of GPUs.
    fn front(
        &self,
        candidate: &Candidate,
        terms: &Terms,
        mut sized: VecDeque<Sized>,
        found: &mut Vec<Fleet>,
    ) {
        let problem = &candidate.problem;
        let first = found.len();
        while let Some((load, largest)) = sized.pop_front() {
            let (demand, never) = (&terms.demand, Seconds::new(f64::INFINITY));
            let tpot = found[first..].last().map_or(never, |fastest| fastest.service.tpot);
            let job = problem.job(&load);
            // More replicas may meet the levels with a shorter TPOT, so the TPOT found so far is no bound. With a think time it is one,
            // because the search for the request rate takes long.
            let bound = if demand.thinking.is_some() { tpot } else { never };
            let Some((carried, service)) = demand.on(&job, largest.as_ref(), bound) else { continue };
            let more = if !demand.is_served(&carried, &service) {
                Some((load.workers.saturating_add(1), largest))
            } else if carried.keeps(&service) {
                None
            } else {
                match largest.and_then(|largest| demand.more_replicas(&job, &largest)) {
                    None => continue,
                    more => more,
                }
            };
            if let Some((workers, largest)) = more {
                let more = InferenceLoad { workers, ..load };
                let place = sized.partition_point(|(other, _)| size(other) <= size(&more));
                sized.insert(place, (more, largest));
                continue;
            }
            if service.tpot >= tpot {
                continue;
            }
            let fleet = terms.fleet((self.device, candidate), None, &carried, service, largest);
            let Some(fleet) = fleet else { continue };
            match found[first..].last_mut() {
                Some(last) if last.load.gpus() == carried.gpus() => *last = fleet,
                _ => found.push(fleet),
            }
        }
    }

    /// The reason why no deployment is a fleet.
    fn miss(&self, problem: &DeploymentProblem, too_many: bool) -> Miss {
        // A level that a replica meets at its largest load may be missed at every whole number of replicas.
        let nearest = self
            .held
            .iter()
            .map(|(_, largest)| largest.service)
            .min_by(|a, b| a.tpot.get().total_cmp(&b.tpot.get()));
        let shortfall = match nearest {
            _ if problem.formats().is_empty() => Shortfall::Format,
            Some(_) if too_many => Shortfall::Replicas,
            Some(nearest) => Shortfall::Levels { ttft: nearest.ttft, tpot: nearest.tpot },
            None if self.tpot.get().is_finite() => Shortfall::Levels { ttft: self.ttft, tpot: self.tpot },
            _ => Shortfall::Memory { needs: self.least, has: problem.system.device.capacity },
        };
        Miss { device: self.device, shortfall }
    }
}
