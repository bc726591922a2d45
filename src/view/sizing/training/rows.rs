//! Training runs with their costs, ranked.

use crate::catalog::Accelerator;
use crate::economics::{Economics, Terms};
use crate::figure::{Against, FleetPoint};
use crate::scenario::{Scenario, View, link};
use crate::sizing::SizingObjective;
use crate::sizing::training::{Run, Search};
use crate::units::{Amount, Seconds, Unit, format};
use crate::view::sizing::confidence::{self, SURE};
use crate::view::sizing::rank::{Rank, sort};

/// A run with its device.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) run: &'a Run,
    pub(super) device: &'a Accelerator,
    /// True if the cost is within the budget; `None` without a budget or without a price.
    pub(super) within: Option<bool>,
}

/// The runs of a search, ranked by the question's objective.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) search: &'a Search,
    /// All runs in the order of [`Rows::of`].
    pub(super) all: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    /// Ranks runs. The criteria, in this order: within the budget, above it, without a price; known value of the objective;
    /// value of the objective; GPUs; time.
    pub(super) fn of(scenario: &'a Scenario, search: &'a Search) -> Self {
        let budget = scenario.sizing.budget;
        let row = |run: &'a Run| {
            let candidate = &search.candidates()[run.device];
            let device = &candidate.accelerator;
            let within = budget.zip(run.bill.usd).map(|(budget, usd)| usd <= budget);
            Row { run, device, within }
        };
        let mut all: Vec<Row<'a>> = search.runs().iter().map(row).collect();
        let by = scenario.sizing.by;
        // Without a budget every run is within it.
        let tier = |row: &Row<'_>| match row.within {
            Some(false) => 1,
            None if budget.is_some() => 2,
            Some(true) | None => 0,
        };
        sort(&mut all, |row| Rank {
            announced: row.device.announced,
            tier: tier(row),
            cost: row.cost(by),
            gpus: row.run.found.gpus,
            time: row.run.bill.time,
        });
        Self { scenario, search, all }
    }

    /// The deadline as text, e.g. `30.0 days`.
    pub(super) fn deadline(&self) -> String {
        format::time(self.allowed())
    }

    fn allowed(&self) -> Seconds {
        Seconds::from_days(self.scenario.sizing.days)
    }

    /// Probability that a run meets the deadline.
    pub(super) fn probability(&self, row: &Row<'_>) -> Option<f64> {
        confidence::in_time(&self.question(row), row.run.bill.time, self.allowed())
    }

    /// Probability that a run meets the deadline, as text.
    pub(super) fn in_time(&self, row: &Row<'_>) -> Option<String> {
        self.probability(row).map(confidence::spoken)
    }

    /// The best run that meets the deadline with probability [`SURE`], of those within the budget like the best one.
    pub(super) fn surest(&self) -> Option<&Row<'a>> {
        let within = self.all.first()?.within;
        let mut alike = self.all.iter().filter(|row| row.within == within);
        alike.find(|row| self.probability(row).is_some_and(|sure| sure >= SURE))
    }

    /// The run that is best by an objective, of those within the budget like the best one, on devices that are sold.
    pub(super) fn best_by(&self, by: SizingObjective) -> Option<&Row<'a>> {
        let within = self.all.first()?.within;
        let alike = self.all.iter().filter(|row| row.within == within && !row.device.announced);
        let known = alike.filter_map(|row| Some((row.cost(by)?.value, row)));
        known.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, row)| row)
    }

    /// Prices of a run's device.
    pub(super) fn economics(&self, row: &Row<'_>) -> &Economics {
        &self.search.candidates()[row.run.device].economics
    }

    /// Cost of a run on other terms, US dollars.
    pub(super) fn usd_on(&self, row: &Row<'_>, terms: Terms) -> Option<f64> {
        let hourly = self.economics(row).on(terms).hourly_usd(row.device)?;
        Some(row.run.bill.gpu_hours * hourly)
    }

    /// A run as a question of the Training view.
    pub(super) fn question(&self, row: &Row<'_>) -> Scenario {
        let found = &row.run.found;
        let there = self.scenario.on(&row.device.id);
        let mut question = Scenario { view: View::Training, parallelism: found.plan, ..there };
        question.system.gpus = found.gpus;
        question
    }

    /// The link of [`Rows::question`].
    pub(super) fn link(&self, row: &Row<'_>) -> String {
        link::encode(&self.question(row))
    }

    /// Chart points of the runs with known cost, and the cost's name with its unit.
    pub(super) fn points(&self) -> (Vec<FleetPoint<'a>>, &'static str) {
        let by = self.scenario.sizing.by;
        let point = |row: &Row<'a>| {
            Some(FleetPoint {
                name: row.name(),
                group: &row.device.architecture,
                reach: row.run.bill.time.to_days(),
                cost: row.cost(by)?,
                link: self.link(row),
            })
        };
        (self.all.iter().filter_map(point).collect(), Against::Days.measure(by))
    }
}

impl Row<'_> {
    /// Number and device, as of a fleet, e.g. `128 × H100 SXM`.
    pub(super) fn machines(&self) -> String {
        format!("{} × {}", Amount::count(self.run.found.gpus), self.device.listed_name())
    }

    /// Name with the plan, e.g. `128 × H100 SXM (TP 1, PP 1, DP 128, microbatch 1)`.
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.machines(), self.run.found.name())
    }

    /// Energy of the run.
    pub(super) fn energy(&self) -> Option<Amount> {
        self.run.bill.kwh.map(|kwh| Amount::new(kwh, Unit::KilowattHours))
    }

    /// The quantity that the objective minimises: US dollars, GPUs, or energy.
    pub(super) fn cost(&self, by: SizingObjective) -> Option<Amount> {
        match by {
            SizingObjective::Cost => self.run.bill.usd.map(Amount::usd),
            SizingObjective::Gpus => Some(Amount::count(self.run.found.gpus)),
            SizingObjective::Energy => self.energy(),
        }
    }
}
