//! Comparison of the strategies of arXiv 2410.00273.

use super::links::opened;
use super::plans::Plans;
use crate::figure::{Cell, Column, Table};
use crate::order;
use crate::search::Searched;
use crate::units::{Amount, Unit, format};
use crate::view::TablePart;

const READING: &str = "All plans of the space of arXiv 2410.00273 by number of GPUs and strategy. A plan's name opens it in \
                       the Training view, which gives the same time";

/// Table of the results of each strategy on each number of GPUs, in ascending order.
pub(super) fn table(plans: &Plans<'_>, searched: &[Searched]) -> TablePart {
    let mut table = Table::under([
        Column::new("GPUs"),
        Column::new("Strategy"),
        Column::new("Plans"),
        Column::new("Fit"),
        Column::new("Best plan"),
        Column::of("Step", "s"),
        Column::of("Memory", "GiB"),
        Column::of("Training", "days"),
    ]);
    let mut rows: Vec<&Searched> = searched.iter().collect();
    // Stable: strategies keep their order.
    order::sort(&mut rows, |a, b| a.gpus.cmp(&b.gpus));
    for row in rows {
        let count = |count: u64| Cell::amount(Amount::new(count as f64, Unit::Count));
        let best = row.best();
        let known = |cell: Option<Cell>| cell.unwrap_or_else(Cell::none);
        let days = best.map(|found| plans.days(found));
        table.push([
            Cell::number(f64::from(row.gpus), format::grouped(f64::from(row.gpus))),
            Cell::text(row.method.name()),
            count(row.counts.candidates),
            count(row.counts.feasible),
            known(best.map(|found| Cell::text(found.name()).opening(opened(plans.scenario, found)))),
            known(best.map(|found| Cell::amount(Amount::time(found.step)))),
            known(
                best.map(|found| {
                    Cell::number(found.memory.to_gib(), Amount::memory(found.memory).to_string())
                }),
            ),
            known(days.map(|days| Cell::number(days, format::printed(days)))),
        ]);
    }
    TablePart::new("strategies", "Best plan of each strategy", READING, table)
}
