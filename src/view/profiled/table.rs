//! The table of a profile and its predictions.

use super::compared::Compared;
use super::pairs::{RECOMPUTATION, REPEATED, REPEATING, is_repeated};
use crate::figure::{Cell, Column, Row, Table, within};
use crate::units::format;

/// The table: one row per term, those that it consists of below it, then the total and hidden communication.
pub(super) fn table(compared: &Compared) -> Table {
    let Compared { profile, notes, details, hidden } = compared;
    let mut columns = vec![Column::new("Term")];
    columns.extend(profile.sources.iter().map(|source| Column::of(*source, profile.unit())));
    let ratio = profile.sources.len() == 2;
    columns.extend(
        ratio.then(
            || if profile.shares { Column::of("Difference", "%") } else { Column::of("Ratio", "times") },
        ),
    );
    columns.push(Column::new("Notes"));
    let mut table = Table::under(columns);
    // Recomputed kernels have the same names as the others, so only the sum of compute can be compared.
    let repeated = profile.terms.iter().any(|term| term.name == RECOMPUTATION);
    let mixed = |name: &str| repeated && REPEATED.contains(&name);
    let compared = |values: &[Option<f64>]| match values {
        [Some(measured), Some(predicted), ..] if profile.shares => {
            Cell::number(100.0 * (measured - predicted), format::signed_percent(measured - predicted))
        }
        [Some(measured), Some(predicted), ..] if *measured > 0.0 && *predicted > 0.0 => {
            Cell::number(measured / predicted, format::times(measured / predicted))
        }
        _ => Cell::none(),
    };
    let mut push = |name: &str, values: &[Option<f64>], comparison: Cell, note: &str| {
        let mut cells = vec![Cell::text(name)];
        cells.extend(values.iter().map(|value| profile.cell(*value)));
        cells.extend(ratio.then_some(comparison));
        cells.push(Cell::text(note));
        table.rows.push(Row { cells, ..Row::default() });
    };
    for (term, note) in profile.terms.iter().zip(notes) {
        let comparison = if mixed(term.name) { Cell::none() } else { compared(&term.values) };
        push(term.name, &term.values, comparison, note);
        for detail in details.iter().filter(|detail| detail.of == term.name) {
            let name = format!("{}: {}", term.name, within(detail.term.name));
            push(&name, &detail.term.values, Cell::none(), "Part of the row above");
        }
    }
    let sum = |of: &dyn Fn(&str) -> bool| -> Vec<Option<f64>> {
        let terms = || profile.terms.iter().filter(|term| of(term.name));
        (0..profile.sources.len())
            .map(|source| Some(terms().filter_map(|term| term.values[source]).sum()))
            .collect()
    };
    if repeated {
        let all = sum(&is_repeated);
        let comparison = compared(&all);
        push(REPEATING, &all, comparison, "Recomputed kernels cannot be told from others by name");
    }
    let all = sum(&|_| true);
    let comparison = compared(&all);
    push("Total", &all, comparison, "");
    if let Some(hidden) = hidden {
        push(
            hidden.name,
            &hidden.values,
            compared(&hidden.values),
            "Overlapped by compute kernels; not part of the total",
        );
    }
    table
}
