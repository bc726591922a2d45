//! The search over devices and their deployments.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::pairs::Pairs;
use super::percentiles::Percentiles;
use super::walk::{DeviceFleets, Terms, Walk};
use super::work_order::{Searcher, WorkOrder};
use super::{Candidate, Demand, Fleet, Miss, SizingChoice};
use crate::order;
use crate::search::NumberFormats;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::{Lengths, Level, Replay};

/// A search through all deployments of one replica on all devices, in steps of bounded work. Several programs can share it: each
/// has a search of its own and takes the others' results ([`Share`]) instead of computing them. What is found does not depend
/// on their number.
#[derive(Clone, Debug)]
pub struct Search {
    candidates: Vec<Candidate>,
    terms: Terms,
    searcher: Searcher,
    /// The devices that are done.
    order: WorkOrder,
    /// Number of devices for which prefill workers on others were tried.
    paired: usize,
    /// Prefill workers of each device, for decode workers on others.
    pairs: Pairs,
    /// State of the device in progress.
    walk: Option<Walk>,
    /// Number of deployments tried.
    tried: usize,
    fleets: Vec<Fleet>,
    misses: Vec<Miss>,
    percentiles: Option<Percentiles>,
    /// Simulated fleets that came before the fleets to simulate were set, with their ranks.
    early: Vec<(usize, Fleet)>,
}

/// A result that one searcher sends to the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// The fleets of a device.
    Device(Box<DeviceFleets>),
    /// A fleet whose percentiles are simulated.
    Simulated {
        /// Its place among the fleets that are simulated.
        rank: usize,
        /// The fleet.
        fleet: Box<Fleet>,
    },
}

/// Work of trying prefill workers on other devices for the decode workers of one device, in the units of
/// [`Search::advance`].
const PAIRED: u32 = 240;

/// Maximum number of simulated fleets that are kept until the fleets to simulate are set.
const MOST_EARLY: usize = 256;

impl Search {
    /// A search that has not begun.
    pub fn new(candidates: Vec<Candidate>, demand: Demand, choice: &SizingChoice) -> Self {
        Self {
            order: WorkOrder::new(candidates.len(), Searcher::ALONE),
            candidates,
            terms: Terms::new(demand, choice),
            searcher: Searcher::ALONE,
            paired: 0,
            pairs: Pairs::default(),
            walk: None,
            tried: 0,
            fleets: Vec::new(),
            misses: Vec::new(),
            percentiles: None,
            early: Vec::new(),
        }
    }

    /// This search, before it has begun, as one of several that share it.
    #[must_use]
    pub fn shared(self, searcher: Searcher) -> Self {
        Self { order: WorkOrder::new(self.candidates.len(), searcher), searcher, ..self }
    }

    /// The devices.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The load that every fleet carries.
    pub const fn demand(&self) -> Demand {
        self.terms.demand
    }

    /// Fleets, device by device: for each number format those that are Pareto-optimal in GPUs and TPOT. Those that prefill on
    /// another device follow.
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
        self.order.done()
    }

    /// Steps that are done, and steps in all: one for each device, and a second one where prefill workers on other devices
    /// are tried.
    pub fn progress(&self) -> (usize, usize) {
        let devices = self.candidates.len();
        (self.done() + self.paired, if self.pairs_devices() { 2 * devices } else { devices })
    }

    /// Returns true if every device is done.
    pub fn is_done(&self) -> bool {
        let (done, all) = self.progress();
        done >= all
    }

    /// Returns true if fleets whose prompts are prefilled on another device are tried.
    fn pairs_devices(&self) -> bool {
        self.candidates.first().is_some_and(|candidate| self.terms.disaggregates(&candidate.problem))
    }

    /// Tries deployments for about `work` units of work; a deployment that meets the service levels takes 24. Returns the
    /// results of the devices whose search ends within it.
    pub fn advance(&mut self, work: u32) -> Vec<Share> {
        let mut left = work;
        let mut shares = Vec::new();
        while left > 0 && !self.is_done() {
            let Some(device) = self.walk.as_ref().map(|walk| walk.device).or_else(|| self.order.next())
            else {
                self.pair(self.paired);
                self.paired += 1;
                left = left.saturating_sub(PAIRED);
                continue;
            };
            let Some(candidate) = self.candidates.get(device) else { break };
            let terms = self.terms;
            let mut walk = self.walk.take().unwrap_or_else(|| Walk::of(device, &candidate.problem, &terms));
            if let Some(work) = walk.advance(&candidate.problem, &terms) {
                left = left.saturating_sub(work);
                self.walk = Some(walk);
            } else {
                let found = walk.end(candidate, &terms);
                shares.push(Share::Device(Box::new(found.clone())));
                self.end(found);
            }
        }
        shares
    }

    /// Takes a result of another searcher. It is ignored if it is known already or cannot be one of this search.
    pub fn take(&mut self, share: Share) {
        match share {
            Share::Device(found) => {
                self.walk.take_if(|walk| walk.device == found.device);
                self.end(*found);
            }
            Share::Simulated { rank, fleet } => match &mut self.percentiles {
                Some(percentiles) => percentiles.take(rank, &fleet, &mut self.fleets),
                None if self.early.len() < MOST_EARLY => self.early.push((rank, *fleet)),
                None => {}
            },
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
        if self.percentiles.is_some() {
            return;
        }
        let (thinking, requests) = (self.terms.demand.thinking, (lengths, replay));
        let mut percentiles = Percentiles::new(places.collect(), thinking, level, requests, self.searcher);
        for (rank, fleet) in self.early.drain(..) {
            percentiles.take(rank, &fleet, &mut self.fleets);
        }
        self.percentiles = Some(percentiles);
    }

    /// Returns true if percentiles are simulated with the requests of a trace.
    pub fn replays(&self) -> bool {
        self.percentiles.as_ref().is_some_and(Percentiles::replays)
    }

    /// Number of fleets that are simulated, and of all to simulate; `None` before [`Search::simulate`].
    pub fn simulations(&self) -> Option<(usize, usize)> {
        self.percentiles.as_ref().map(Percentiles::progress)
    }

    /// Simulates up to `steps` engine steps. Returns the fleet whose simulation ends within them.
    pub fn advance_simulations(&mut self, steps: u32) -> Option<Share> {
        let percentiles = self.percentiles.as_mut()?;
        let rank = percentiles.advance(steps, &self.candidates, &mut self.fleets)?;
        let fleet = self.fleets.get(percentiles.place(rank)?)?;
        Some(Share::Simulated { rank, fleet: Box::new(*fleet) })
    }

    /// Searches every device at once, without simulations.
    pub fn run(&mut self) {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
    }

    /// Adds the result of a device, in the order of devices, unless it is known.
    fn end(&mut self, found: DeviceFleets) {
        if !self.order.end(found.device) {
            return;
        }
        self.tried += found.tried;
        self.pairs.extend(found.readers);
        let place = self.fleets.partition_point(|fleet| fleet.device < found.device);
        self.fleets.splice(place..place, found.fleets);
        let place = self.misses.partition_point(|miss| miss.device < found.device);
        self.misses.splice(place..place, found.miss);
    }

    /// Tries prefill workers on other devices for the decode workers of a device. Its fleets become those that cost least at
    /// their TPOT among all of the device and a number format.
    fn pair(&mut self, device: usize) {
        let Some(candidate) = self.candidates.get(device) else { return };
        let mut found = Vec::new();
        for formats in candidate.problem.number_formats() {
            let asked = (self.terms.by, self.terms.demand);
            let tried = self.pairs.try_on(device, formats, &self.candidates, asked);
            self.tried += tried.len();
            let mut paired: Vec<Fleet> = tried
                .into_iter()
                .filter_map(|(prefill, load, service)| {
                    let prefill = (prefill, self.candidates.get(prefill)?);
                    self.terms.fleet((device, candidate), Some(prefill), &load, service, None)
                })
                .collect();
            let time = |fleet: &Fleet| fleet.service.tpot.get();
            order::sort(&mut paired, |a, b| {
                self.cost(a).total_cmp(&self.cost(b)).then(time(a).total_cmp(&time(b)))
            });
            for fleet in paired {
                let better = |other: &Fleet| {
                    (other.device, NumberFormats::of(&other.load)) == (device, formats)
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
        let Some(Candidate { accelerator, economics, .. }) = self.candidates.get(fleet.device) else {
            return f64::INFINITY;
        };
        let prefill = fleet.prefill_device.and_then(|place| self.candidates.get(place));
        let prefill = prefill.map(|candidate| &candidate.accelerator);
        self.terms.by.of_fleet(fleet, economics, accelerator, prefill).unwrap_or(f64::INFINITY)
    }
}

impl Demand {
    /// Returns true if the load is finite and positive, and a concurrency is at least 1.
    pub fn is_positive(&self) -> bool {
        self.amount.is_finite()
            && if self.axis == LoadAxis::Rate { self.amount > 0.0 } else { self.amount >= 1.0 }
    }
}
