//! Tables of a search: the best plans, why the others are infeasible, and the candidates of each axis.

use super::links::{elsewhere, opened};
use super::plans::Plans;
use crate::catalog::Accelerator;
use crate::figure::{Cell, Column, Scaled, Table};
use crate::order;
use crate::search::{AXES, PlanProblem, Reason};
use crate::units::{Amount, Unit};
use crate::view::TablePart;

const RANKING: &str = "Best first. A plan's name opens it in the Training view; back returns here";
const STOPPED: &str = "Each plan is counted once, under the first reason that was found";
const TRIED: &str = "The search tries every combination; a fixed axis keeps the Training view's value";

/// The best plans, each of which opens as a question.
pub(super) fn ranking(plans: &Plans<'_>, device: &Accelerator) -> TablePart {
    let mut table = Table::under([
        Column::new("Plan"),
        Column::of("Step", "s"),
        Column::of("MFU", "%"),
        Column::of("Memory", "GiB"),
        Column::of("Cost per step", "US$"),
        Column::of("Energy per step", "kWh"),
    ]);
    let asked = plans.asked();
    for found in asked.best.found() {
        let Scaled { mfu, bill, .. } = plans.costed(found, device);
        table.push([
            Cell::text(found.name()).opening(opened(plans.scenario, found)),
            Cell::amount(Amount::time(found.step)),
            Cell::percent(mfu),
            Cell::number(found.memory.to_gib(), Amount::memory(found.memory).to_string()),
            Cell::known(bill.usd.map(Amount::usd)),
            Cell::known(bill.kwh.map(|kwh| Amount::new(kwh, Unit::KilowattHours))),
        ]);
    }
    let gpus = Amount::new(f64::from(asked.gpus), Unit::Gpus);
    let title = format!("Best plans on {gpus} by {}", plans.scenario.search.by.name().to_lowercase());
    TablePart::new("ranking", title, RANKING, table)
}

/// Why the other plans do not run, most frequent first.
pub(super) fn stopped(plans: &Plans<'_>) -> TablePart {
    let mut table = Table::under([Column::new("Reason"), Column::new("Plans"), Column::new("For example")]);
    let mut reasons: Vec<_> = plans.asked().stopped.iter().collect();
    order::sort(&mut reasons, |(_, a), (_, b)| b.cmp(a));
    for (reason, count) in reasons {
        let (name, example) = explained(plans.question, reason);
        let count = Amount::new(*count as f64, Unit::Count);
        table.push([Cell::text(name), Cell::amount(count), Cell::text(example)]);
    }
    TablePart::new("stopped", "What stopped the other plans", STOPPED, table)
}

/// A reason in words, and an example of it.
fn explained(question: &PlanProblem, reason: &Reason) -> (String, String) {
    match reason {
        Reason::Same => {
            let example = "sequence parallelism without tensor parallelism, ZeRO with one replica";
            ("Same time and memory as another plan".to_owned(), example.to_owned())
        }
        Reason::Memory(least) => {
            let limit = question.limit();
            let [excess, limit] = [*least - limit, limit].map(Amount::memory);
            (
                "Does not fit in memory".to_owned(),
                format!("the smallest of them needs {excess} more than {limit}"),
            )
        }
        Reason::Law(law) => {
            let field = law.field();
            let axis = AXES.iter().find(|axis| field.ends_with(axis.id)).map(|axis| axis.name);
            let name = match (field, axis) {
                (_, Some(name)) => name,
                ("system.gpus", _) => "Degrees and number of GPUs",
                ("recipe.batch", _) => "Replicas, microbatch and batch",
                ("recipe.sequence", _) => "Parts of a sequence",
                _ => field,
            };
            (name.to_owned(), law.to_string())
        }
    }
}

/// The values that were tried of each axis, with a link that fixes or frees it.
pub(super) fn axes(plans: &Plans<'_>) -> TablePart {
    let mut table = Table::under([
        Column::new("Axis"),
        Column::new("Candidates"),
        Column::new("Values"),
        Column::new("Change"),
    ]);
    let question = plans.question;
    let space = question.space(plans.asked().gpus);
    for (axis, values) in AXES.iter().zip(space.values()) {
        let change = if question.scope.fixes(axis.id) { "try all" } else { "keep fixed" };
        let there = elsewhere(plans.scenario, question.scope.toggled(axis.id));
        let shown: Vec<String> = values.iter().map(|value| (axis.show)(*value)).collect();
        table.push([
            Cell::text(axis.name),
            Cell::amount(Amount::new(values.len() as f64, Unit::Count)),
            Cell::text(shown.join(", ")),
            Cell::text(change).opening(there),
        ]);
    }
    TablePart::new("axes", "What was tried", TRIED, table)
}
