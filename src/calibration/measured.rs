//! The rows of a question that says what was measured of it.

use super::Row;
use crate::scenario::{Scenario, View};
use crate::validation::{Quantity, Replaced};

/// The rows of a scenario's own measured numbers, named `name`; of numbers that say the same, the first. No more than two:
/// where a TTFT or a TPOT was measured, latency and rate follow from them.
pub fn rows_of(scenario: &Scenario, name: &str) -> Vec<Row> {
    let own = &scenario.measured;
    let first = |all: &[(Quantity, Option<f64>)]| -> Vec<(Quantity, f64)> {
        all.iter().find_map(|(quantity, value)| Some((*quantity, (*value)?))).into_iter().collect()
    };
    let found = if scenario.view == View::Inference {
        let direct = [(Quantity::Ttft, own.ttft_ms), (Quantity::Tpot, own.tpot_ms)];
        let direct: Vec<(Quantity, f64)> =
            direct.into_iter().filter_map(|(quantity, value)| Some((quantity, value?))).collect();
        if direct.is_empty() {
            let whole =
                [(Quantity::RequestLatency, own.latency_ms), (Quantity::OutputTokensPerSecond, own.output)];
            first(&whole)
        } else {
            direct
        }
    } else {
        first(&[
            (Quantity::IterTime, own.step_s),
            (Quantity::TokensPerSecondPerGpu, own.tokens_per_gpu),
            (Quantity::IterTime, step_of_mfu(scenario)),
        ])
    };
    let row = |(quantity, measured)| Row {
        name: name.to_owned(),
        scenario: scenario.clone(),
        quantity,
        measured,
        replaced: Replaced::default(),
    };
    found.into_iter().map(row).collect()
}

/// Step time that follows from the measured MFU, s: model FLOPs over the measured FLOP rate. Step times of one job are in
/// inverse proportion to their MFUs.
fn step_of_mfu(scenario: &Scenario) -> Option<f64> {
    let measured = scenario.measured.mfu?;
    let estimate = scenario.training().ok()?;
    Some(estimate.step.get() * scenario.mfu_as_measured(estimate.mfu) / measured)
}
