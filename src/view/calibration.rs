//! Tables of a calibration: the corrections, and the errors and influence of each row.

use super::TablePart;
use crate::calibration::{Calibration, Correction, Row, SIXTY_EIGHT};
use crate::figure::{Cell, Column, Table};
use crate::units::Amount;

/// The tables of a calibration. `rows` are the rows given to the fit.
pub fn tables(rows: &[Row], found: &Calibration) -> [TablePart; 2] {
    [corrections(found), each(rows, found)]
}

/// Central 68 % interval of a log-normal distribution about a factor, e.g. `×0.95 to ×1.05`.
fn interval(factor: f64, deviation: f64) -> String {
    let at = |deviation: f64| factor * libm::exp(deviation);
    format!("×{:.2} to ×{:.2}", at(-deviation), at(deviation))
}

/// Each correction with its prior and posterior intervals. The finding has the mean errors.
fn corrections(found: &Calibration) -> TablePart {
    let mut table = Table::under([
        Column::new("Correction"),
        Column::of("Factor", "×"),
        Column::new("Prior, 68 %"),
        Column::new("Posterior, 68 %"),
    ]);
    for (place, factor) in found.corrections.factors().into_iter().enumerate() {
        table.push([
            Cell::text(Correction::ALL[place].label()),
            Cell::number(factor, format!("×{factor:.3}")),
            Cell::text(interval(1.0, SIXTY_EIGHT * found.prior[place])),
            Cell::text(interval(factor, found.deviations[place])),
        ]);
    }
    let errors = found.errors();
    let percent = |error| Amount::percent(error).to_string();
    let [before, after] = [errors.before, errors.after].map(percent);
    let whose = match (found.rows.len(), found.runs) {
        (1, _) => "The row's error".to_owned(),
        (values, 1) => format!("The mean error of the row's {values} values"),
        (values, rows) if values == rows as usize => format!("The mean error of {rows} rows"),
        (values, rows) => format!("The mean error of {values} values from {rows} rows"),
    };
    let left_out = errors.left_out.map_or_else(
        || "Leave-one-out needs two rows".to_owned(),
        |error| {
            format!("Leave-one-out, with each row predicted by a fit to the others, it is {}", percent(error))
        },
    );
    let finding = format!("{whose} is {before} before and {after} after the fit. {left_out}");
    TablePart::new("corrections", "Corrections", finding, table)
}

/// Each row: its errors before, after and leave-one-out, its weight, and its largest effect on a correction.
fn each(rows: &[Row], found: &Calibration) -> TablePart {
    let mut table = Table::under([
        Column::new("Row"),
        Column::new("Quantity"),
        Column::of("Before", "%"),
        Column::of("After", "%"),
        Column::of("Leave-one-out", "%"),
        Column::new("Weight"),
        Column::new("Largest effect"),
    ]);
    for result in &found.rows {
        let Some(row) = rows.get(result.place) else { continue };
        let error = |residual: f64| Cell::signed_percent(libm::expm1(-residual));
        let moved = result.moved.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let moved = moved.map_or_else(String::new, |(place, by)| {
            format!("{} ×{:.3}", Correction::ALL[place].label(), libm::exp(*by))
        });
        table.push([
            Cell::text(row.name.clone()),
            Cell::text(row.quantity.label()),
            error(result.before),
            error(result.after),
            if found.runs > 1 { error(result.left_out) } else { Cell::text("–") },
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
    let finding = "Error of each row (predicted over measured time, minus 1), its weight in the fit, and the correction that \
                   changes most when the row is added"
        .to_owned();
    TablePart::new("calibration-rows", "Rows of the fit", finding, table)
}
