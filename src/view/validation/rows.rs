//! The rows themselves, page by page.

use super::parts::{Parts, Row, measure};
use crate::figure::{Cell, Column, Measure, Table};
use crate::order::largest_first;
use crate::scenario::{ErrorChoice, Trait};
use crate::units::{Amount, Unit};
use crate::view::{Pager, TablePart};

/// Rows on a page.
const PAGE: usize = 20;

const FINDING: &str =
    "The worst first. A name opens the question that the model was asked; back returns here";

impl Parts<'_> {
    /// One page, the worst rows first. A row's name opens it as a question.
    pub(super) fn list(&self, rows: &[&Row<'_>]) -> TablePart {
        let sorted = largest_first(rows, |row| row.pair.error().abs());
        let pages = sorted.len().div_ceil(PAGE).max(1);
        let page = (self.choice().page as usize).clamp(1, pages);
        let measure = measure(self.choice().of);
        let peers = sorted.iter().any(|row| row.point.peer.is_some());
        let mut columns = vec![
            Column::new("Question"),
            Column::new("Device"),
            Column::new("Precision"),
            Column::of("Measured", measure.unit),
            Column::of("Predicted", measure.unit),
            Column::of("Error", "%"),
            Column::new("Source"),
        ];
        if peers {
            columns.insert(6, Column::new("Other estimator"));
        }
        let mut table = Table::under(columns);
        let shown = sorted.iter().skip((page - 1) * PAGE).take(PAGE);
        table.rows.extend(shown.map(|row| cells(row, measure, peers).into()));
        let pager = Some(self.pager(page, pages));
        TablePart { pager, saved: false, ..TablePart::new("rows", "Rows", FINDING, table) }
    }

    fn pager(&self, page: usize, pages: usize) -> Pager {
        let to = |page: usize| self.elsewhere(ErrorChoice { page: page as u32, ..self.choice().clone() });
        Pager {
            page: page as u32,
            pages: pages as u32,
            previous: (page > 1).then(|| to(page - 1)),
            next: (page < pages).then(|| to(page + 1)),
        }
    }
}

fn cells(Row { point, pair }: &Row<'_>, measure: Measure, peers: bool) -> Vec<Cell> {
    let name = Cell::text(&point.model);
    let value = |value: f64| Cell::number(value, (measure.show)(value));
    let fitted = if point.used_in_fit { "used in a fit" } else { "" };
    let mut cells = vec![
        if point.link.is_empty() { name } else { name.opening(point.opened()) },
        Cell::text(point.name(Trait::Device)),
        Cell::text(point.of(Trait::Precision)),
        value(pair.measured),
        value(pair.predicted),
        Cell::signed_percent(pair.error()).noted(fitted),
        Cell::text(format!("{}, tier {}: {}", point.name(Trait::Source), point.tier.name(), point.origin)),
    ];
    if peers {
        let peer = point.peer.as_ref().zip(point.peer_pair()).map_or_else(Cell::none, |((name, _), pair)| {
            Cell::text(format!("{name} {}", Amount::new(pair.error(), Unit::SignedPercent)))
        });
        cells.insert(6, peer);
    }
    cells
}
