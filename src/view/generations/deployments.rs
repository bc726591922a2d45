//! The deployment behind each machine's speed-ups in serving.

use crate::figure::{self, Cell, Column, Table};
use crate::generations::{Deployed, Measure, ServedGeneration, ServedMachines};
use crate::scenario::{Choice, Scenario, SystemChoice, View, link};
use crate::units::{Amount, Unit};
use crate::view::TablePart;

const FINDING: &str = "The best deployment of each machine for prefill, for decode, and for requests that arrive one by \
                       one at the minimum speed per user; each opens as an inference question. Energy and cost include prompts";

/// One row per machine.
pub(super) fn part(question: &Scenario, served: &ServedMachines) -> TablePart {
    let mut table = Table::under([
        Column::new("GPU"),
        Column::new("Prefill"),
        Column::new("Decode"),
        Column::new("Served"),
        Column::new("Output tokens/s per GPU"),
        Column::of("Energy per output token, prompts included", "J"),
        Column::of("Cost per million output tokens, prompts included", "US$"),
    ]);
    for row in served.rows() {
        let cell = |measure: Measure| {
            row.best(measure).map_or_else(Cell::none, |best| {
                Cell::text(figure::deployment(&best)).opening(opened(question, row, &best))
            })
        };
        let number = |measure: Measure, amount: fn(f64) -> Amount| {
            row.best(measure).map_or_else(Cell::none, |best| {
                Cell::amount(amount(best.value)).opening(opened(question, row, &best))
            })
        };
        table.push([
            Cell::text(&row.name).noted(row.why_not.as_deref().unwrap_or_default()),
            cell(Measure::Prefill),
            cell(Measure::Decode),
            cell(Measure::Served),
            number(Measure::Served, |value| Amount::new(value, Unit::None)),
            number(Measure::Energy, |value| Amount::new(1.0 / value, Unit::Joules)),
            number(Measure::Cost, |value| Amount::usd(1e6 / value)),
        ]);
    }
    TablePart::new("served-plans", "The deployment behind each speed-up in serving", FINDING, table)
}

/// The inference question of a machine's deployment, as a link.
pub(super) fn opened(question: &Scenario, row: &ServedGeneration, deployed: &Deployed) -> String {
    let mut opened = Scenario {
        view: View::Inference,
        system: SystemChoice {
            accelerator: Choice::Named(row.accelerator.clone()),
            gpus: question.system.gpus,
            ..SystemChoice::default()
        },
        inference: deployed.load,
        ..question.clone()
    };
    opened.constants.clear();
    link::encode(&opened)
}
