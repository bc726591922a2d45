//! Fleets with their costs, ranked.

use super::rank::{Rank, sort};
use crate::catalog::Accelerator;
use crate::economics::{Economics, Terms};
use crate::figure::{Against, FleetPoint};
use crate::scenario::{Scenario, View, link};
use crate::sizing::{Fleet, Search, SizingObjective};
use crate::system::Precision;
use crate::units::{Amount, Unit};

/// Number of best fleets whose percentiles are simulated.
pub(super) const SIMULATED: usize = 50;

/// A fleet with its device and costs.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) fleet: &'a Fleet,
    pub(super) device: &'a Accelerator,
    /// Device of the prefill workers, if it is another.
    pub(super) prefill: Option<&'a Accelerator>,
    /// Prices of the device, and the terms of both.
    pub(super) economics: Economics,
    /// Cost of all replicas, US dollars per hour.
    pub(super) usd: Option<f64>,
    /// US dollars per million output tokens, including the cost of prefill.
    pub(super) usd_per_million: Option<f64>,
    /// Power of all servers including PUE, W.
    pub(super) watts: Option<f64>,
    /// Format of the KV cache, if it is another than the question's.
    pub(super) cache: Option<Precision>,
}

/// The fleets of a search, ranked by the question's objective.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) search: &'a Search,
    /// All fleets in the order of [`Rows::of`].
    pub(super) all: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    /// Ranks fleets. The criteria, in this order: service levels met at the question's percentile; known value of the
    /// objective; value of the objective; GPUs; TPOT.
    pub(super) fn of(scenario: &'a Scenario, search: &'a Search) -> Self {
        let row = |fleet: &'a Fleet| {
            let device = |place: usize| &search.candidates()[place].accelerator;
            let (prefill, device) = (fleet.prefill_device.map(device), device(fleet.device));
            let economics = search.candidates()[fleet.device].economics;
            let of = |by: SizingObjective| by.of_fleet(fleet, &economics, device, prefill);
            let (usd, watts) = (of(SizingObjective::Cost), of(SizingObjective::Energy));
            let usd_per_million = usd.map(|usd| fleet.usd_per_million(usd));
            let cache = fleet.load.kv_precision;
            let cache = (cache != scenario.inference.kv_precision).then_some(cache);
            Row { fleet, device, prefill, economics, usd, usd_per_million, watts, cache }
        };
        let mut all: Vec<Row<'a>> = search.fleets().iter().map(row).collect();
        let by = scenario.sizing.by;
        let level = scenario.sizing.percentile;
        // Simulated fleets that meet the levels, then fleets not yet simulated, then fleets that miss a level.
        let tier = |row: &Row<'_>| match (row.fleet.holds(level), row.fleet.simulated) {
            (true, Some(_)) => 0,
            (true, None) => 1,
            (false, _) => 2,
        };
        sort(&mut all, |row| Rank {
            tier: tier(row),
            announced: row.device.announced || row.prefill.is_some_and(|device| device.announced),
            cost: row.cost(by),
            gpus: row.fleet.gpus(),
            time: row.fleet.tpot(),
        });
        Self { scenario, search, all }
    }

    /// Indices, in the search's list of fleets, of the best `most` fleets.
    pub(super) fn best_places(&self, most: usize) -> Vec<usize> {
        let fleets = self.search.fleets();
        let place = |row: &Row<'_>| fleets.iter().position(|fleet| std::ptr::eq(fleet, row.fleet));
        self.all.iter().take(most).filter_map(place).collect()
    }

    /// The best fleet, if it meets the service levels.
    pub(super) fn best(&self) -> Option<&Row<'a>> {
        self.all.first().filter(|row| row.fleet.holds(self.scenario.sizing.percentile))
    }

    /// A fleet as a question of the Inference view.
    pub(super) fn question(&self, row: &Row<'_>) -> Scenario {
        let mut there =
            Scenario { view: View::Inference, inference: row.fleet.load, ..self.scenario.on(&row.device.id) };
        if let Some(prefill) = row.prefill {
            there.system.prefill.clone_from(&prefill.id);
        }
        there
    }

    /// Chart points of the fleets with known cost, and the cost's name with its unit.
    pub(super) fn points(&self) -> (Vec<FleetPoint<'a>>, &'static str) {
        let by = self.scenario.sizing.by;
        let point = |row: &Row<'a>| {
            Some(FleetPoint {
                name: row.name(),
                group: &row.device.architecture,
                reach: row.fleet.per_user(),
                cost: row.cost(by)?,
                link: link::encode(&self.question(row)),
            })
        };
        (self.all.iter().filter_map(point).collect(), Against::Speed.measure(by))
    }
}

impl Row<'_> {
    /// Name with format and deployment, e.g. `2 × 4 H100 SXM (FP8, TP 4)`.
    pub(super) fn name(&self) -> String {
        format!("{} ({}, {})", self.machines(), self.formats(), self.deployment())
    }

    /// Format of the weights, and of the KV cache if it is another than the question's.
    pub(super) fn formats(&self) -> String {
        let weights = self.fleet.load.precision.name();
        match self.cache {
            Some(cache) => format!("{weights}, KV cache in {}", cache.name()),
            None => weights.to_owned(),
        }
    }

    /// The deployment in a line, with its draft if there is one, e.g. `TP 4, draft of 2`.
    pub(super) fn deployment(&self) -> String {
        let load = &self.fleet.load;
        match load.draft {
            0 => load.deployment(),
            draft => format!("{}, draft of {draft}", load.deployment()),
        }
    }

    /// Cost of all replicas on other terms, US dollars per hour.
    pub(super) fn usd_on(&self, terms: Terms) -> Option<f64> {
        let economics = self.economics.on(terms);
        SizingObjective::Cost.of_fleet(self.fleet, &economics, self.device, self.prefill)
    }

    /// Replicas × GPUs per replica and device, e.g. `2 × 4 H100 SXM`, or `2 H100 SXM` for replicas of one GPU; of a disaggregated
    /// fleet, workers that prefill, then workers that decode, e.g. `1 × 2 + 2 × 4 H100 SXM` or `4 L40S + 2 × 4 H100 SXM`.
    pub(super) fn machines(&self) -> String {
        let load = &self.fleet.load;
        let of = |count: u32, each: u32| match each {
            1 => Amount::count(count).to_string(),
            _ => format!("{} × {each}", Amount::count(count)),
        };
        let decoding =
            format!("{} {}", of(self.fleet.replicas(), load.worker_gpus()), self.device.listed_name());
        match self.fleet.prefill_workers() {
            0 => decoding,
            workers => {
                let other =
                    self.prefill.map_or_else(String::new, |device| format!(" {}", device.listed_name()));
                format!("{}{other} + {decoding}", of(workers, load.prefill_worker_gpus()))
            }
        }
    }

    /// The quantity that the objective minimises: US dollars per hour, GPUs, or power in kW.
    pub(super) fn cost(&self, by: SizingObjective) -> Option<Amount> {
        match by {
            SizingObjective::Cost => self.usd.map(Amount::usd),
            SizingObjective::Gpus => Some(Amount::count(self.fleet.gpus())),
            SizingObjective::Energy => self.watts.map(|watts| Amount::new(watts * 1e-3, Unit::None)),
        }
    }
}
