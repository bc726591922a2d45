//! The plan behind each machine's speed-ups in training.

use super::question::trained;
use super::ranges;
use crate::figure::{Cell, Column, Table};
use crate::generations::Generation;
use crate::generations::machines::Outcome;
use crate::scenario::{Scenario, link};
use crate::units::{Amount, Unit};
use crate::view::TablePart;

const FINDING: &str = "The same plan changes only the GPU; the best plan also uses its formats and its memory. A speed-up \
                       opens its configuration as a training question";

/// One row per machine. If a machine cannot run the same plan, the reason is below its best one.
pub(super) fn part(question: &Scenario, generations: &[Generation]) -> TablePart {
    let mut table = Table::under([
        Column::new("GPU"),
        Column::new("Year"),
        Column::of("Same plan", "×"),
        Column::of("Best plan", "×"),
        Column::new("Range"),
        Column::new("Tokens/s per GPU"),
        Column::new("With"),
    ]);
    for generation in generations {
        let best = generation.best.as_ref();
        let rate = best.map(|best| Amount::new(best.tokens_per_second_per_gpu, Unit::None));
        let first = generations.first();
        let range = first.and_then(|first| ranges::at_best(question, first, generation));
        let plan = best.map_or_else(String::new, |best| described(question, best));
        let cell = |speedup: Option<f64>, outcome: Option<&Outcome>| {
            let cell = Cell::known(speedup.map(Amount::times));
            match outcome {
                Some(outcome) => cell.opening(opened(question, generation, outcome)),
                None => cell,
            }
        };
        table.push([
            Cell::text(&generation.name),
            Cell::number(f64::from(generation.year), generation.year.to_string()),
            cell(generation.same_speedup, generation.same.as_ref()),
            cell(generation.best_speedup, best),
            range.map_or_else(Cell::none, |range| Cell::text(range.to_string())),
            Cell::known(rate),
            Cell::text(plan).noted(generation.why_not.as_deref().unwrap_or_default()),
        ]);
    }
    TablePart::new("plans", "The plan behind each speed-up in training", FINDING, table)
}

/// The training question of a machine's outcome, as a link.
pub(super) fn opened(question: &Scenario, generation: &Generation, outcome: &Outcome) -> String {
    link::encode(&trained(question, &generation.accelerator, outcome))
}

/// Number format and plan, and the batch if it differs from the question's.
fn described(question: &Scenario, best: &Outcome) -> String {
    let plan = format!("{}, {}", best.precision.name(), best.name(question.system.gpus));
    if best.batch == question.recipe.batch {
        return plan;
    }
    format!("{plan}, {} sequences per step", Amount::count(best.batch))
}
