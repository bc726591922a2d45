//! Lead sentence of the Sizing view of a training run: the best run.

use super::rows::{Row, Rows};
use crate::units::{Amount, format};
use crate::validation::Quantity;
use crate::view::cards;
use crate::view::sizing::confidence::{self, SURE};

/// The best run in a sentence without a full stop: GPUs, device, model, tokens, time, cost, plan.
pub(super) fn lead(rows: &Rows<'_>) -> String {
    let scenario = rows.scenario;
    let model = scenario.architecture().map_or("the model", |model| &model.name);
    let job = format!("{model} on {}", format::tokens(scenario.recipe.tokens));
    let Some(best) = rows.all.first() else {
        let deadline = rows.deadline();
        return if rows.search.is_done() {
            format!("No device trains {job} in {deadline} with the plans that are searched here")
        } else {
            format!("No training of {job} in {deadline} found yet")
        };
    };
    let time = cards::spoken(best.run.bill.time, &rows.question(best), Quantity::IterTime);
    let verb = if best.run.found.gpus == 1 { "trains" } else { "train" };
    format!(
        "{} × {} {verb} {job} in {time}{} with {}{}{}",
        Amount::count(best.run.found.gpus),
        best.device.name,
        money(best),
        best.run.found.name(),
        in_time(rows, best),
        budget(rows, best),
    )
}

/// Cost, e.g. ` for $156k`; nothing if the price is not known.
fn money(row: &Row<'_>) -> String {
    row.run.bill.usd.map_or_else(String::new, |usd| format!(" for {}", Amount::usd(usd)))
}

/// Probability that the best run meets the deadline, and the best run that is sure to, e.g. `; 57 % probability of meeting the
/// deadline, at least 95 % with 128 × H100 SXM for $156k`. Empty if it is not known.
fn in_time(rows: &Rows<'_>, best: &Row<'_>) -> String {
    let Some(probability) = rows.in_time(best) else { return String::new() };
    let surest = rows.surest().filter(|surest| !std::ptr::eq(*surest, best));
    let surer = surest.map_or_else(String::new, |surest| {
        format!(", {} with {}{}", confidence::spoken(SURE), surest.machines(), money(surest))
    });
    format!("; {probability} probability of meeting the deadline{surer}")
}

/// Clause stating that the best run exceeds the budget, or that its price is unknown; empty if it is within the budget
/// or if there is none.
fn budget(rows: &Rows<'_>, best: &Row<'_>) -> String {
    let Some(budget) = rows.scenario.sizing.budget.map(Amount::usd) else { return String::new() };
    match best.within {
        Some(true) => String::new(),
        Some(false) => format!("; no run is within the budget of {budget}"),
        None => format!("; no run has a price that could be compared with the budget of {budget}"),
    }
}
