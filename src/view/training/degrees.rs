//! Sensitivity of the step time to the plan: each degree halved and doubled.

use crate::figure::{Cell, Column, Table};
use crate::scenario::fields::{Value, field};
use crate::scenario::{Scenario, link};
use crate::units::{Amount, Seconds};
use crate::view::TablePart;

/// Fields of the plan that are halved and doubled.
const VARIED: [&str; 5] = [
    "parallelism.tensor",
    "parallelism.context",
    "parallelism.pipeline",
    "parallelism.expert",
    "parallelism.microbatch",
];

const FINDING: &str = "One setting of the plan at a time is halved and doubled, at the same number of GPUs and the same batch. \
                       Plans that break a law or exceed the memory are left out. A setting opens its question";

/// The step time of each such plan that is lawful and fits; `None` if there is none.
pub(super) fn part(question: &Scenario, step: Seconds) -> Option<TablePart> {
    let mut table = Table::under([
        Column::new("Setting"),
        Column::new("Instead of"),
        Column::of("Step", "s"),
        Column::of("Change", "%"),
    ]);
    for field in VARIED.into_iter().filter_map(field) {
        let Some(value) = field.get(question).as_number() else { continue };
        for value in [value / 2.0, value * 2.0] {
            let mut there = question.clone();
            // Half of an odd number is not a whole one, which the field refuses.
            let set = field.set(&mut there, Value::of_number(value));
            let Some(estimate) = set.ok().and_then(|()| there.training().ok()) else { continue };
            table.push([
                Cell::text(format!("{}: {}", field.label, field.shown(&there))).opening(link::encode(&there)),
                Cell::text(field.shown(question)),
                Cell::amount(Amount::time(estimate.step)),
                Cell::signed_percent(estimate.step / step - 1.0),
            ]);
        }
    }
    let title = "Sensitivity of the step time to the plan";
    (!table.rows.is_empty()).then(|| TablePart::new("plan-sensitivity", title, FINDING, table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_a_plan_with_the_stated_time() {
        let question = link::decode("v=1&gpus=1024&tp=4&recompute=full").scenario;
        let step = question.training().expect("an answer").step;
        let table = part(&question, step).expect("lawful plans").table;
        let names: Vec<&str> = table.rows.iter().map(|row| row.cells[0].text.as_str()).collect();
        assert!(
            names.contains(&"Tensor: 8 GPUs") && !names.iter().any(|name| name.contains("0.5")),
            "{names:?}"
        );
        for row in &table.rows {
            let there = link::decode(row.cells[0].link.as_deref().expect("a link")).scenario;
            let estimate = there.training().expect("a lawful plan");
            assert_eq!(row.cells[2].value, Some(estimate.step.get()), "{}", row.cells[0].text);
            assert_eq!(
                (there.system.gpus, there.recipe.batch),
                (question.system.gpus, question.recipe.batch)
            );
        }
    }
}
