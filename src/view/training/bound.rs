//! The terms of a step and their physical bounds.

use std::collections::BTreeMap;

use crate::figure::{Cell, Column, Table};
use crate::scenario::{Problem, Scenario};
use crate::system::AssumptionSet;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds};
use crate::view::TablePart;

/// The terms as predicted, without any overhead, and their difference.
pub(super) fn part(question: &Scenario, estimate: &TrainingEstimate) -> Result<TablePart, Vec<Problem>> {
    let ideal =
        Scenario { assumptions: AssumptionSet::Ideal, constants: BTreeMap::new(), ..question.clone() };
    let ideal = ideal.training()?;
    let seconds = |label| Column::of(label, "s");
    let mut table =
        Table::under([Column::new("Term"), seconds("Predicted"), seconds("Ideal"), seconds("Difference")]);
    let mut push = |label: &str, time: Seconds, least: Seconds| {
        let times = [time, least, time - least].map(|time| Cell::amount(Amount::time(time)));
        table.rows.push([Cell::text(label)].into_iter().chain(times).collect::<Vec<_>>().into());
    };
    for term in &estimate.terms {
        let least = ideal.terms.iter().find(|other| other.id == term.id);
        push(term.label, term.time, least.map_or(Seconds::ZERO, |other| other.time));
    }
    push("Step", estimate.step, ideal.step);
    let finding = format!(
        "Without any overhead, at peak rates, the same plan takes {}: the step takes {} as long.",
        Amount::time(ideal.step),
        Amount::times(estimate.step / ideal.step),
    );
    Ok(TablePart::new("bound", "How far the step is from the physical bound", finding, table))
}
