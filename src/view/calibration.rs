//! Tables of a calibration: the corrections, and the errors and influence of each row.

use super::TablePart;
use super::measured::ratio;
use crate::calibration::{Calibration, Correction, Row, RowResult, SIXTY_EIGHT};
use crate::figure::{Cell, Column, Table};
use crate::units::{Amount, Unit};

/// The tables of a calibration. `rows` are the rows given to the fit.
pub fn tables(rows: &[Row], found: &Calibration) -> [TablePart; 2] {
    [corrections(found), each(rows, found)]
}

/// Central 68 % interval of a log-normal distribution about a factor, e.g. `0.950× to 1.05×`.
fn interval(factor: f64, deviation: f64) -> String {
    let at = |deviation: f64| Amount::times(factor * libm::exp(deviation));
    format!("{} to {}", at(-deviation), at(deviation))
}

/// A smaller mean error than this needs no explanation: the scatter of measurements is of this size.
const SMALL: f64 = 0.15;
/// Corrections that leave more than this share of the mean error do not explain the rows.
const MOST_LEFT: f64 = 0.5;

/// Mean deviation of rows from their predictions: that of the logarithms of measured over predicted time, so that half and
/// twice the prediction deviate as much.
fn deviation(found: &Calibration, of: fn(&RowResult) -> f64) -> f64 {
    let sum: f64 = found.rows.iter().map(|row| of(row).abs()).sum();
    sum / found.rows.len().max(1) as f64
}

/// Returns true if the corrections explain the rows: the error after the fit is small, or a small fraction of the error before.
pub fn explains(found: &Calibration) -> bool {
    let (before, after) = (deviation(found, |row| row.before), deviation(found, |row| row.after));
    after <= SMALL || after <= MOST_LEFT * before
}

/// Returns true if the other rows predict a left-out row no better than the model without corrections does.
fn is_scatter(found: &Calibration) -> bool {
    found.runs > 1 && deviation(found, |row| row.left_out) >= deviation(found, |row| row.before)
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
            Cell::amount(Amount::times(factor)),
            Cell::text(interval(1.0, SIXTY_EIGHT * found.prior[place])),
            Cell::text(interval(factor, found.deviations[place])),
        ]);
    }
    let spoken = |of: fn(&RowResult) -> f64| ratio::unsigned(libm::exp(deviation(found, of)));
    let (before, after) = (spoken(|row| row.before), spoken(|row| row.after));
    let whose = match (found.rows.len(), found.runs) {
        (1, _) => "The row's error".to_owned(),
        (values, 1) => format!("The mean error of the row's {values} values"),
        (values, rows) if values == rows as usize => format!("The mean error of {rows} rows"),
        (values, rows) => format!("The mean error of {values} values from {rows} rows"),
    };
    let left_out = if found.runs > 1 {
        let error = spoken(|row| row.left_out);
        format!("Leave-one-out, with each row predicted by a fit to the others, it is {error}")
    } else {
        "Leave-one-out needs two rows".to_owned()
    };
    let doubt = if explains(found) {
        ""
    } else {
        ". The five corrections do not explain these rows. The question probably differs from the run: check the model, the GPU, \
         tensor parallelism and the load before you apply them"
    };
    let scattered = if is_scatter(found) {
        ". Left-out rows are predicted no better than without corrections, so these may not hold for other runs: add rows that \
         differ in load or size"
    } else {
        ""
    };
    let finding =
        format!("{whose} is {before} before and {after} after the fit. {left_out}{scattered}{doubt}");
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
        let error = |residual: f64| {
            let times = libm::exp(residual);
            Cell::number(100.0 * (times - 1.0), ratio::signed(times))
        };
        let moved = result.moved.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let moved = moved.map_or_else(String::new, |(place, by)| {
            format!("{} {}", Correction::ALL[place].label(), ratio::signed(libm::exp(*by)))
        });
        table.push([
            Cell::text(row.name.clone()),
            Cell::text(row.quantity.label()),
            error(result.before),
            error(result.after),
            if found.runs > 1 { error(result.left_out) } else { Cell::text("–") },
            Cell::amount(Amount::new(result.weight, Unit::None)),
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
    let finding = "Error of each row: how much longer its time was than predicted (a factor from twice as long on), its weight in the fit, and the correction that \
                   changes most when the row is added"
        .to_owned();
    TablePart::new("calibration-rows", "Rows of the fit", finding, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::{fit, rows_of};
    use crate::scenario::link;

    #[test]
    fn corrections_that_leave_most_of_the_error_are_doubted() {
        let link = "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.concurrency=16&measured.tpot=30";
        let rows = rows_of(&link::decode(link).scenario, "Row 1");
        let mut found = fit(&rows).expect("a fit");
        let row = &mut found.rows[0];
        (row.before, row.after) = (libm::log(3.74), libm::log(3.41));
        let [corrections, each] = tables(&rows, &found);
        let finding = &corrections.finding;
        assert!(finding.starts_with("The row's error is 3.74× before and 3.41× after the fit."), "{finding}");
        assert!(!explains(&found) && finding.contains("do not explain these rows"), "{finding}");
        let cells: Vec<&str> = each.table.rows[0].cells[2..4].iter().map(|cell| &*cell.text).collect();
        assert_eq!(cells, ["3.74×", "3.41×"]);

        found.rows[0].after = libm::log(1.05);
        let [corrections, each] = tables(&rows, &found);
        assert!(explains(&found) && corrections.finding.contains("5.00 % after"), "{}", corrections.finding);
        assert_eq!(each.table.rows[0].cells[3].text, "+5.00 %");
        assert!(!corrections.finding.contains("Left-out rows"));

        (found.runs, found.rows[0].left_out) = (2, libm::log(4.0));
        let [corrections, _] = tables(&rows, &found);
        assert!(
            corrections.finding.contains("no better than without corrections"),
            "{}",
            corrections.finding
        );
    }
}
