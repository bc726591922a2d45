//! A calibration as tables: corrections, errors, and what each row did.

use super::TablePart;
use crate::calibration::{Calibration, Correction, Row};
use crate::figure::{Cell, Column, Table};
use crate::units::Amount;

/// The tables of a calibration on these rows.
pub fn tables(rows: &[Row], found: &Calibration) -> [TablePart; 2] {
    [corrections(found), each(rows, found)]
}

/// `×0.95 to ×1.05`: two of three values of a log-normal distribution about a factor.
fn interval(factor: f64, deviation: f64) -> String {
    let at = |deviation: f64| factor * libm::exp(deviation);
    format!("×{:.2} to ×{:.2}", at(-deviation), at(deviation))
}

/// Each correction with its prior and how certain it is now; errors are in the finding.
fn corrections(found: &Calibration) -> TablePart {
    let mut table = Table::under([
        Column::new("Correction"),
        Column::of("Factor", "×"),
        Column::new("Two of three before"),
        Column::new("Two of three now"),
    ]);
    for (place, factor) in found.corrections.factors().into_iter().enumerate() {
        table.push([
            Cell::text(Correction::ALL[place].label()),
            Cell::number(factor, format!("×{factor:.3}")),
            Cell::text(interval(1.0, found.prior[place])),
            Cell::text(interval(factor, found.deviations[place])),
        ]);
    }
    let errors = found.errors();
    let [before, after, left_out] =
        [errors.before, errors.after, errors.left_out].map(|error| Amount::percent(error).to_string());
    let finding = match found.rows.len() {
        1 => format!("The row was {before} off, and is {after} off now. One row cannot be left out"),
        rows => format!(
            "The mean error of {rows} rows falls from {before} to {after}; of each row with the corrections that the others \
             give it is {left_out}"
        ),
    };
    TablePart::new("corrections", "Corrections", finding, table)
}

/// Each row: its error before, after and left out, its weight, and the correction that it moved most.
fn each(rows: &[Row], found: &Calibration) -> TablePart {
    let mut table = Table::under([
        Column::new("Row"),
        Column::new("Quantity"),
        Column::of("Before", "%"),
        Column::of("After", "%"),
        Column::of("Left out", "%"),
        Column::new("Weight"),
        Column::new("Moved most"),
    ]);
    for result in &found.rows {
        let Some(row) = rows.get(result.place) else { continue };
        let error = |residual: f64| Cell::signed_percent(libm::expm1(-residual));
        let moved = result.moved.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let moved = moved.map_or_else(String::new, |(place, by)| {
            format!("{} by ×{:.3}", Correction::ALL[place].label(), libm::exp(*by))
        });
        table.push([
            Cell::text(row.name.clone()),
            Cell::text(row.quantity.label()),
            error(result.before),
            error(result.after),
            error(result.left_out),
            Cell::number(result.weight, format!("{:.2}", result.weight)),
            Cell::text(moved),
        ]);
    }
    for (place, skip) in &found.skipped {
        let Some(row) = rows.get(*place) else { continue };
        table.push([
            Cell::text(row.name.clone()),
            Cell::text(row.quantity.label()),
            Cell::text("–"),
            Cell::text("–"),
            Cell::text("–"),
            Cell::text("0"),
            Cell::text(skip.to_string()),
        ]);
    }
    let finding = "Predicted over measured time, less one, of each row; what it weighs, and the correction that it moved most, \
                   against a fit without it"
        .to_owned();
    TablePart::new("calibration-rows", "What each row did", finding, table)
}
