//! Time and money of the whole training run, with the question's plan or with one that a search found.

use crate::scenario::Scenario;
use crate::search::Found;
use crate::units::{Amount, Seconds, format};
use crate::view::Link;
use crate::view::search::links::opened;

/// Duration of the run, including failures, and its price if known: ` and $156k`.
pub(in crate::view) fn time_and_cost(question: &Scenario, run: Seconds) -> (Seconds, String) {
    let Ok(device) = question.system.accelerator() else { return (run, String::new()) };
    let gpus = question.system.gpus;
    let bill = question.bill(&device, gpus, run);
    (bill.time, bill.usd.map_or_else(String::new, |usd| format!(" and {}", Amount::usd(usd))))
}

/// Time and money of the whole run with a plan.
pub(super) fn plan_time_and_cost(question: &Scenario, found: &Found) -> String {
    let there = with_plan(question, found);
    let (time, usd) = time_and_cost(&there, found.step * question.recipe.steps());
    format!("{}{usd}", format::time_short(time))
}

/// The question with a plan that was found.
pub(in crate::view) fn with_plan(question: &Scenario, found: &Found) -> Scenario {
    let mut there = Scenario { parallelism: found.plan, ..question.clone() };
    there.system.gpus = found.gpus;
    there
}

/// A link to a plan that was found.
pub(super) fn plan_link(question: &Scenario, found: &Found, text: String) -> Link {
    Link::at(text, opened(question, found)).hinted(found.name())
}
