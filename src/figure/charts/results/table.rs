//! The values of a result, ours beside the published ones.

use super::{column, difference, valued};
use crate::figure::{Cell, Column, Row, Table};
use crate::papers::{Bar, Bars, Chart, Data, Line, Lines, Pair, Point, Quantity, Share};
use crate::units::format;

/// The table of a chart: one row a value.
pub(super) fn table(chart: &Chart) -> Table {
    let quantity = match &chart.data {
        Data::Lines(lines) => lines.y,
        Data::Bars(bars) => bars.quantity,
        Data::Dots(dots) => dots.quantity,
    };
    let origin = chart.source.origin.name();
    let mut table = Table::under([
        Column::new("Of"),
        Column::new("At"),
        column("Ours", quantity),
        column(&capital(origin), quantity),
        Column::of("Difference", "%"),
        Column::new("Configuration"),
    ]);
    table.rows = result_rows(chart);
    table
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Rows of a chart: whose value it is, where, ours, the published one, their difference, the configuration.
pub fn result_rows(chart: &Chart) -> Vec<Row> {
    match &chart.data {
        Data::Lines(Lines { x, y, lines, .. }) => {
            let line = |line: &Line| {
                let name = line.name.clone();
                let known = line.points.iter().filter(|point| point.ours.or(point.published).is_some());
                known.map(|point| of_point(&name, *x, *y, point)).collect::<Vec<_>>()
            };
            lines.iter().flat_map(line).collect()
        }
        Data::Bars(bars) => bars.rows.iter().flat_map(|row| of_bar(bars, row)).collect(),
        Data::Dots(dots) => {
            let row = |dot: &crate::papers::Dot| {
                let share = Share::beside(dot.ours, Some(dot.published));
                cells((&dot.group, dot.name.clone()), dots.quantity, share, "", None)
            };
            dots.dots.iter().map(row).collect()
        }
    }
}

fn of_point(name: &str, x: Quantity, y: Quantity, point: &Point) -> Row {
    let share = Share { ours: point.ours, published: point.published };
    cells((name, valued(x, point.x)), y, share, &point.what, point.link.as_deref())
}

/// The whole, then its parts.
fn of_bar(bars: &Bars, row: &Bar) -> Vec<Row> {
    let known = |share: &Share| share.ours.or(share.published).is_some();
    let whole = known(&row.whole).then(|| {
        let at = if row.parts.is_empty() { "" } else { "All" };
        cells((&row.name, at.to_owned()), bars.quantity, row.whole, &row.what, row.link.as_deref())
    });
    let parts = bars
        .parts
        .iter()
        .zip(&row.parts)
        .filter(|(_, share)| known(share))
        .map(|(part, share)| cells((&row.name, (*part).to_owned()), bars.quantity, *share, "", None));
    whole.into_iter().chain(parts).collect()
}

fn cells((of, at): (&str, String), quantity: Quantity, share: Share, what: &str, link: Option<&str>) -> Row {
    let value = |value: Option<f64>| {
        value.map_or_else(|| Cell::text("–"), |value| Cell::number(value, valued(quantity, value)))
    };
    let pair = share.published.map(|published| Pair { ours: share.ours, published });
    let apart = difference(pair)
        .map_or_else(Cell::none, |error| Cell::number(100.0 * error, format::signed_percent(error)));
    let what = match (what, link) {
        ("", None) => Cell::none(),
        ("", Some(link)) => Cell::text("open").opening(link),
        (what, Some(link)) => Cell::text(what).opening(link),
        (what, None) => Cell::text(what),
    };
    [Cell::text(of), Cell::text(at), value(share.ours), value(share.published), apart, what].into()
}
