//! What is known of a search: headline, figures, tables.

use super::fragment;
use crate::answer::{self, Files, html};
use crate::catalog::Accelerator;
use crate::figure::{self, Scaled, Size};
use crate::scenario::{Problem, Scenario, View, link};
use crate::search::{Found, Objective, Outcome, Scope, Search, Subject};
use crate::units::format;

/// A search and its question.
pub(super) struct Answer<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) search: &'a Search,
}

impl Answer<'_> {
    /// Everything that is known so far.
    pub(super) fn all(&self, size: Size) -> Result<answer::Answer, Vec<Problem>> {
        let device = self.scenario.system.accelerator().map_err(|problem| vec![problem])?;
        let limit = self.search.question().limit();
        let points = self.scaled(&device);
        let drawn = vec![figure::plans(self.search.asked(), limit, size), figure::scaling(&points, size)];
        let (ranking, ranked) = self.ranking(&device);
        let (stopped, reasons) = self.stopped();
        let (axes, space) = self.axes();
        let there = fragment(self.scenario, Scope { of: Subject::Features, ..self.scenario.search.clone() });
        let link =
            html::link("search-features", &there, "What other systems would gain: sweeps of their features");
        let figures = [
            ranking,
            html::each(&drawn, html::figure),
            stopped,
            axes,
            format!(r#"<p class="finding">{link}</p>"#),
        ];
        let tables = vec![("ranking", ranked), ("stopped", reasons), ("axes", space)];
        Ok(answer::Answer {
            headline: self.numbers(&points),
            figures: figures.concat(),
            files: Files { figures: drawn, tables, operators: None },
        })
    }

    /// The question of a plan, for the Training view.
    pub(super) fn there(&self, found: &Found) -> String {
        let mut scenario =
            Scenario { view: View::Training, parallelism: found.plan, ..self.scenario.clone() };
        scenario.system.gpus = found.gpus;
        link::encode(&scenario)
    }

    /// A plan with what it costs.
    pub(super) fn costed(&self, found: &Found, device: &Accelerator) -> Scaled {
        Scaled {
            found: *found,
            mfu: self.search.question().mfu(found),
            bill: self.scenario.economics.bill(device, found.gpus, found.step),
        }
    }

    /// The best plan of each number of GPUs on which one fits, fewest first.
    fn scaled(&self, device: &Accelerator) -> Vec<Scaled> {
        let mut outcomes: Vec<&Outcome> = self.search.outcomes().iter().collect();
        outcomes.sort_by_key(|outcome| outcome.gpus);
        outcomes.iter().filter_map(|outcome| outcome.best()).map(|found| self.costed(found, device)).collect()
    }

    fn numbers(&self, points: &[Scaled]) -> String {
        let asked = self.search.asked();
        let tried = format::grouped(asked.tried as f64);
        let fit = html::card(
            "feasible",
            "Plans that fit",
            &format::grouped(asked.feasible as f64),
            &format!("of {tried} on {} GPUs", format::grouped(f64::from(asked.gpus))),
        );
        let Some(best) = points.iter().find(|point| point.found.gpus == asked.gpus) else {
            return fit + &self.nearest();
        };
        let Scaled { found, mfu, bill } = best;
        let by = self.scenario.search.by;
        let step = format!("best by {}", by.name().to_lowercase());
        let usd = bill.usd.map_or("–".to_owned(), |usd| format!("{} $", format::digits(usd)));
        let held = format!("{} of the fullest GPU", format::traffic(found.memory));
        let kwh = bill.kwh.map_or("–".to_owned(), |kwh| format!("{} kWh", format::digits(kwh)));
        [
            html::card("step", "Step time", &format::time(found.step), &step),
            html::card("mfu", "MFU", &format::percent(*mfu), &found.name()),
            html::card("memory", "Memory per GPU", &format::memory(found.memory), &held),
            html::card("cost", "Cost per step", &usd, &kwh),
            fit,
            cheapest(points, by),
        ]
        .concat()
    }

    /// Where else the job can run.
    fn nearest(&self) -> String {
        let Some(nearest) = self.search.nearest() else { return String::new() };
        let (least, most) = nearest.range();
        let card = |id: &str, label: &str, found: Option<&Found>, none: String| match found {
            Some(found) => {
                let gpus = format!("{} GPUs", format::grouped(f64::from(found.gpus)));
                html::card(id, label, &gpus, &found.name())
            }
            None => html::card(id, label, "none", &none),
        };
        let fewer = format!("down to {}", format::grouped(f64::from(least)));
        let more = format!("up to {}", format::grouped(f64::from(most)));
        [
            card("below", "Nearest fewer that fit", nearest.below(), fewer),
            card("above", "Nearest more that fit", nearest.above(), more),
        ]
        .concat()
    }
}

/// The number of GPUs with the least cost or energy, where that is what is searched for.
fn cheapest(points: &[Scaled], by: Objective) -> String {
    let value = |point: &Scaled| match by {
        Objective::Cost => point.bill.usd,
        Objective::Energy => point.bill.kwh,
        Objective::Time | Objective::Memory => None,
    };
    let known = points.iter().filter_map(|point| Some((point, value(point)?)));
    let Some((point, value)) = known.min_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let gpus = format!("{} GPUs", format::grouped(f64::from(point.found.gpus)));
    let (label, note) = if by == Objective::Cost {
        ("Cheapest number of GPUs", format!("{} $ per step", format::digits(value)))
    } else {
        ("Number of GPUs with least energy", format!("{} kWh per step", format::digits(value)))
    };
    html::card("cheapest", label, &gpus, &note)
}
