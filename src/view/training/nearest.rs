//! Nearest numbers of GPUs on which a plan fits, offered where none fits on the asked number.

use super::runs::{plan_link, plan_time_and_cost};
use crate::scenario::Scenario;
use crate::search::{Found, Nearest, PlanProblem, Search};
use crate::units::{Amount, Unit};
use crate::view::Notice;

/// Links to the fastest plans on the nearest numbers of GPUs, for a search on `asked` GPUs on which no plan `fits`.
pub(in crate::view) fn nearest(
    question: &Scenario,
    (asked, fits): (u32, &str),
    (problem, nearest): (&PlanProblem, &Nearest),
) -> Notice {
    let counted = |gpus: u32| Amount::new(f64::from(gpus), Unit::Gpus);
    let gpus = counted(asked);
    // The search for the nearest numbers finds plans with the least memory; the fastest plans there are more
    // informative.
    let fastest = |found: &Found| Search::best(problem.clone(), found.gpus).unwrap_or(*found);
    let found: Vec<Found> = [nearest.below(), nearest.above()].into_iter().flatten().map(fastest).collect();
    let text = if found.is_empty() {
        let most = counted(nearest.range().1);
        format!("No plan {fits} on {gpus}, nor on up to {most}: choose a device with more memory")
    } else {
        format!("No plan {fits} on {gpus}. The nearest numbers for which one does:")
    };
    let link = |found: &Found| {
        plan_link(
            question,
            found,
            format!("{}: {}", counted(found.gpus), plan_time_and_cost(question, found)),
        )
    };
    Notice::new("best-plan", text, found.iter().map(link).collect())
}
