//! Errors of local inference on devices of which no row was fitted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use foretoken::validation::{Quantity, Score};

use super::predictions::Predictions;

/// Source of the rows: constants of its software are fitted to a third of its devices.
const SOURCE: &str = "local";

/// Quantities of the table with their names.
const QUANTITIES: [(Quantity, &str); 3] = [
    (Quantity::DecodePerToken, "Decode, ms per token"),
    (Quantity::OutputTokensPerSecond, "Output tokens/s of a request"),
    (Quantity::PrefillTokensPerSecond, "Prompt tokens/s"),
];

/// Devices, and predicted with measured values, of the rows of one quantity and software.
#[derive(Default)]
struct Group<'a> {
    devices: BTreeSet<&'a str>,
    pairs: Vec<(f64, f64)>,
}

/// Mean and median error by quantity and software, over rows of devices without any fitted row, as Markdown.
pub fn table(predictions: &Predictions<'_>) -> String {
    let rows = || predictions.of_rows().filter_map(|outcomes| Some((outcomes.first()?.case, outcomes)));
    let rows = || rows().filter(|(case, _)| case.source == SOURCE);
    let fitted: BTreeSet<&str> =
        rows().filter(|(case, _)| case.used_in_fit).map(|(case, _)| case.device.as_str()).collect();
    let mut groups: BTreeMap<(usize, &str), Group<'_>> = BTreeMap::new();
    for (case, outcomes) in rows().filter(|(case, _)| !fitted.contains(case.device.as_str())) {
        let Some(scenario) = case.scenario() else { continue };
        for outcome in outcomes {
            let place = QUANTITIES.iter().position(|(quantity, _)| *quantity == outcome.quantity);
            let (Some(place), Ok(predicted)) = (place, &outcome.predicted) else { continue };
            for software in [scenario.software(), "all"] {
                let group = groups.entry((place, software)).or_default();
                group.devices.insert(&case.device);
                group.pairs.push((*predicted, outcome.measured));
            }
        }
    }
    let mut text =
        String::from("| quantity | software | devices | rows | mean / median |\n|---|---|---:|---:|---:|\n");
    for ((place, software), Group { devices, pairs }) in groups {
        let (_, quantity) = QUANTITIES[place];
        let (devices, rows) = (devices.len(), pairs.len());
        let Score { mean, median, .. } = Score::of(pairs);
        let errors = format!("{:.1} / {:.1} %", 100.0 * mean, 100.0 * median);
        let _ = writeln!(text, "| {quantity} | {software} | {devices} | {rows} | {errors} |");
    }
    text
}
