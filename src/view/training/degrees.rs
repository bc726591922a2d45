//! Sensitivity of the step time to the plan: each degree halved and doubled, recomputation and overlap changed.

use crate::figure::{Cell, Column, Table};
use crate::scenario::fields::{Field, Kind, Value, field};
use crate::scenario::{Scenario, link};
use crate::units::{Amount, Seconds};
use crate::view::TablePart;

/// Fields of the plan that are varied: numbers are halved and doubled, others take each of their other values.
const VARIED: [&str; 7] = [
    "parallelism.tensor",
    "parallelism.context",
    "parallelism.pipeline",
    "parallelism.expert",
    "parallelism.microbatch",
    "parallelism.recompute",
    "parallelism.data_overlap",
];

const FINDING: &str = "One setting of the plan at a time is halved and doubled, or takes its other values, at the same number \
                       of GPUs and the same batch. Plans that are impossible or exceed the memory are left out. Each setting \
                       opens its plan";

/// The step time of each such plan that is lawful and fits; `None` if there is none.
pub(super) fn part(question: &Scenario, step: Seconds) -> Option<TablePart> {
    let mut table = Table::under([
        Column::new("Setting"),
        Column::new("Instead of"),
        Column::of("Step", "s"),
        Column::of("Change", "%"),
    ]);
    for field in VARIED.into_iter().filter_map(field) {
        for there in others(field, question) {
            let Ok(estimate) = there.training() else { continue };
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

/// The questions in which a field has its other values. Half of an odd number is not a whole one, which the field refuses.
fn others(field: &Field, question: &Scenario) -> Vec<Scenario> {
    let with = |value: Value<'_>| {
        let mut there = question.clone();
        field.set(&mut there, value).ok().map(|()| there)
    };
    let all: Vec<Option<Scenario>> = match (field.get(question), field.kind) {
        (Value::Switch(on), _) => vec![with(Value::Switch(!on))],
        (own, Kind::Select(options)) => {
            let others = options(question).into_iter().map(|option| option.value);
            others.filter(|other| own != Value::Text(other)).map(|other| with(Value::Text(&other))).collect()
        }
        (own, _) => {
            let near = own.as_number().map_or_else(Vec::new, |own| vec![own / 2.0, own * 2.0]);
            near.into_iter().map(|value| with(Value::of_number(value))).collect()
        }
    };
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Recompute;

    #[test]
    fn recomputation_and_overlap_are_set_otherwise() {
        let question = link::decode("v=1&gpus=1024&tp=4&recompute=full").scenario;
        let varied = |name: &str| others(field(name).expect("a field"), &question);
        let kinds: Vec<Recompute> =
            varied("parallelism.recompute").iter().map(|there| there.parallelism.recompute).collect();
        let rest: Vec<Recompute> =
            Recompute::ALL.into_iter().filter(|kind| *kind != Recompute::Full).collect();
        assert_eq!(kinds, rest);
        let overlaps: Vec<bool> =
            varied("parallelism.data_overlap").iter().map(|there| there.parallelism.data_overlap).collect();
        assert_eq!(overlaps, [!question.parallelism.data_overlap]);
        // What is held in memory stays the same with the overlap, so that its row is always there.
        let step = question.training().expect("an answer").step;
        let table = part(&question, step).expect("lawful plans").table;
        assert!(table.rows.iter().any(|row| row.cells[0].text.starts_with("Data overlap: ")));
    }

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
