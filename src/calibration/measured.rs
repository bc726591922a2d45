//! Converts a question's measured values into rows for calibration.

use super::Row;
use crate::scenario::{Scenario, View};
use crate::validation::{Quantity, Replaced};

/// The rows of a scenario's measured values, all named `name`: at most two, since redundant values would count twice.
/// For training, the first given of step time, token rate and MFU; for inference, TTFT and TPOT, or else latency or
/// token rate.
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

/// Step time in seconds implied by the measured MFU. For a given job, step time is inversely proportional to MFU.
fn step_of_mfu(scenario: &Scenario) -> Option<f64> {
    let measured = scenario.measured.mfu?;
    let estimate = scenario.training().ok()?;
    Some(estimate.step.get() * scenario.mfu_as_measured(estimate.mfu) / measured)
}
