//! The table of a job's operators: size, cost and what limits each.

use super::TablePart;
use crate::estimate::OperatorRow;
use crate::figure::{Cell, Column, Row, Table, sentence_case};
use crate::units::{Amount, Seconds, Unit};

/// Detail of the operators' table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Times and what limits them.
    Times,
    /// Work of one run as well, and the time that each resource alone would need for it.
    Work,
}

/// The operators, grouped by phase in the order in which the phases begin.
pub(super) fn part(id: &str, finding: &str, operators: &[OperatorRow], detail: Detail) -> TablePart {
    let mut table = Table::under(columns(detail));
    for rows in phases(operators) {
        let total: Seconds = rows.iter().map(|operator| together(operator)).sum();
        for (place, operator) in rows.iter().enumerate() {
            let heading = || format!("{}: {}", sentence_case(operator.phase), Amount::time(total));
            let group = (place == 0).then(heading);
            table.rows.push(Row { group, current: false, cells: cells(operator, total) });
        }
    }
    TablePart::new(id, "What limits each operator", finding, table)
}

fn columns(detail: Detail) -> Vec<Column> {
    let worked = |column: Column| if detail == Detail::Work { column } else { column.file_only() };
    vec![
        Column::new("Operator"),
        Column::new("Phase").file_only(),
        Column::new("Limited by"),
        Column::new("Shape"),
        Column::new("Count"),
        Column::of("Time each", "s"),
        Column::of("Total time", "s"),
        Column::of("Share", "%"),
        Column::new("FLOP per byte"),
        worked(Column::of("FLOPs", "FLOP")),
        worked(Column::of("Traffic", "B")),
        worked(Column::of("Compute", "s")),
        worked(Column::of("DRAM", "s")),
        worked(Column::of("L2", "s")),
        worked(Column::of("Network", "s")),
        worked(Column::of("Launch", "s")),
    ]
}

/// The cells of an operator whose phase takes `total`, as [`columns`] has them.
fn cells(operator: &OperatorRow, total: Seconds) -> Vec<Cell> {
    let cost = &operator.cost;
    let share = if total > Seconds::ZERO { together(operator) / total } else { 0.0 };
    let bound = cost.bound.name();
    let times = [cost.compute, cost.dram, cost.l2, cost.network, cost.launch].map(Amount::time);
    [
        Cell::text(operator.name),
        Cell::text(operator.phase),
        Cell { bound: Some(bound.into()), ..Cell::text(bound) },
        Cell::text(&operator.shape),
        Cell::number(operator.count, crate::units::format::number(operator.count)),
        Cell::amount(Amount::time(cost.time)),
        Cell::amount(Amount::time(together(operator))),
        Cell::percent(share),
        or_dash(Amount::new(cost.intensity(), Unit::None)),
        or_dash(Amount::new(cost.flops.get(), Unit::Flop)),
        Cell::amount(Amount::traffic(cost.bytes)),
    ]
    .into_iter()
    .chain(times.map(or_dash))
    .collect()
}

/// A dash on the page in place of nothing; the file has the zero.
fn or_dash(amount: Amount) -> Cell {
    if amount.value > 0.0 { Cell::amount(amount) } else { Cell::number(amount.value, "–") }
}

fn phases(operators: &[OperatorRow]) -> Vec<Vec<&OperatorRow>> {
    let mut phases: Vec<Vec<&OperatorRow>> = Vec::new();
    for operator in operators {
        match phases.iter_mut().find(|rows| rows.iter().any(|row| row.phase == operator.phase)) {
            Some(rows) => rows.push(operator),
            None => phases.push(vec![operator]),
        }
    }
    phases
}

/// Time of all runs of an operator.
fn together(operator: &OperatorRow) -> Seconds {
    operator.cost.time * operator.count
}
