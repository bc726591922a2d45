//! Ranges of estimates whose software or device was not measured: how much wider they are.

use std::fmt::Write as _;

use foretoken::validation::Quantity;
use foretoken::validation::band::Group;
use foretoken::validation::unmeasured::Unmeasured;

use super::bands::stretches;
use super::left_out::LeftOut;
use super::predictions::Predictions;
use super::ranges::{Measured, least, range_of, ranges, ratios};

/// Ranges of estimates whose software, device or both were not measured.
struct Abroad {
    quantity: Quantity,
    unmeasured: &'static str,
    rows: usize,
    /// Factor on the logarithms of the ends of the ranges that the page shows for what was measured.
    widening: f64,
    /// Share of rows within the ranges before and after widening.
    held: [f64; 2],
}

/// Factors with which ranges hold 80 % of the rows that were predicted without the constants of their own software, of
/// their device's architecture, or of both. The factor for both is at least that for either. An unmeasured device has no
/// rows of its generation and takes the range of all generations. Rows of local engines are left out, since constants of
/// data-centre engines do not describe them.
fn abroad(predictions: &Predictions<'_>) -> Vec<Abroad> {
    let stretches = stretches(predictions);
    let shown = ranges(ratios(predictions, LeftOut::Nothing).iter());
    let mut found: Vec<Abroad> = Vec::new();
    let variants = [LeftOut::Software, LeftOut::Architecture, LeftOut::SoftwareAndArchitecture];
    for ((_, unmeasured), left_out) in Unmeasured::ALL.into_iter().skip(1).zip(variants) {
        let rows = ratios(predictions, left_out);
        for (&quantity, &stretch) in &stretches {
            let served = rows.iter().filter(|row| row.group.quantity == quantity && !row.is_local);
            let rows: Vec<&Measured> = served.collect();
            let range = |row: &Measured| {
                let group = match left_out {
                    LeftOut::Software => row.group.clone(),
                    _ => Group { generation: None, bits: None, ..row.group.clone() },
                };
                range_of(&shown, &group)
            };
            let share = |widening: f64| {
                let held = |row: &&&Measured| {
                    range(row).is_some_and(|range| range.stretched(stretch * widening).holds(row.ratio))
                };
                rows.iter().filter(held).count() as f64 / rows.len().max(1) as f64
            };
            let parts = found.iter().filter(|part| part.quantity == quantity).map(|part| part.widening);
            let of_parts = parts.fold(1.0, f64::max);
            let own = least(share);
            let widening = if left_out == LeftOut::SoftwareAndArchitecture { own.max(of_parts) } else { own };
            let held = [share(1.0), share(widening)];
            found.push(Abroad { quantity, unmeasured, rows: rows.len(), widening, held });
        }
    }
    found
}

/// The table that [`Unmeasured::widening`] reads.
pub fn table(predictions: &Predictions<'_>) -> String {
    let mut text = String::from("# quantity, what is unmeasured, factor: written by `make validate`\n");
    for Abroad { quantity, unmeasured, widening, .. } in abroad(predictions) {
        let _ = writeln!(text, "{},{unmeasured},{widening:.2}", quantity.name());
    }
    text
}

/// The widening for what is unmeasured as a Markdown table.
pub fn report(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "| quantity | unmeasured | rows | within range | widening (of logarithms) | within range then |\n|---|---|---:|---:|---:|---:|\n",
    );
    for Abroad { quantity, unmeasured, rows, widening, held: [before, after] } in abroad(predictions) {
        let _ = writeln!(
            text,
            "| {} | {unmeasured} | {rows} | {:.0} % | {widening:.2} | {:.0} % |",
            quantity.label(),
            100.0 * before,
            100.0 * after
        );
    }
    text
}
