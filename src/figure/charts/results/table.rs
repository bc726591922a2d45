//! Table of a result's values, ours and the published ones.

use super::quantity::{column, valued};
use crate::figure::frame::sentence_case;
use crate::figure::{Cell, Column, Row, Table};
use crate::papers::{Bar, Bars, Chart, Data, Dot, Line, Lines, Pair, Point, Quantity, Share, beside};
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
        column(&sentence_case(origin), quantity),
        Column::of("Difference", "%"),
        Column::new("Configuration"),
    ]);
    table.rows = result_rows(chart);
    table
}

/// Rows of a chart: whose value it is, where, ours, the published one, their difference, the configuration.
pub fn result_rows(chart: &Chart) -> Vec<Row> {
    match &chart.data {
        Data::Lines(Lines { x, y, lines, .. }) => {
            let line = |line: &Line| {
                let name = line.name.clone();
                let known =
                    line.points.iter().filter(|point| point.ours.is_some() || point.published.is_some());
                known.map(|point| of_point(&name, *x, *y, point)).collect::<Vec<_>>()
            };
            lines.iter().flat_map(line).collect()
        }
        Data::Bars(bars) => bars.rows.iter().flat_map(|row| of_bar(bars, row)).collect(),
        Data::Dots(dots) => dots.dots.iter().map(|dot| pair(dots.quantity, dot)).collect(),
    }
}

fn of_point(name: &str, x: Quantity, y: Quantity, point: &Point) -> Row {
    let share = Share { ours: point.ours, published: point.published };
    cells((name, valued(x, point.x)), y, share, &point.what, point.link.as_deref())
}

/// The whole, then its parts.
fn of_bar(bars: &Bars, row: &Bar) -> Vec<Row> {
    let known = |share: &Share| share.ours.is_some() || share.published.is_some();
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

/// A pair of many, whose values span decades: both with four significant digits, times in µs.
fn pair(quantity: Quantity, dot: &Dot) -> Row {
    let (scale, unit) = if quantity.unit == "s" { (1e6, "µs") } else { (1.0, quantity.unit) };
    let value = |value: f64| Cell::number(value, of_unit(beside(scale * value, None), unit));
    let error = Pair { ours: Some(dot.ours), published: dot.published }.error();
    let cells = [value(dot.ours), value(dot.published), apart(error), Cell::none()];
    [Cell::text(dot.group.as_str()), Cell::text(dot.name.as_str())]
        .into_iter()
        .chain(cells)
        .collect::<Vec<_>>()
        .into()
}

/// A row with the published value in its printed digits, and ours with as many digits.
fn cells((of, at): (&str, String), quantity: Quantity, share: Share, what: &str, link: Option<&str>) -> Row {
    let number = |value: f64, text| Cell::number(value, of_unit(text, quantity.unit));
    let Share { ours, published } = share;
    let theirs = published.map(|published| number(published.value, published.text()));
    let ours_text = ours.map(|ours| number(ours, beside(ours, published)));
    let error = published.and_then(|published| Pair { ours, published: published.value }.error());
    let what = match (what, link) {
        ("", None) => Cell::none(),
        ("", Some(link)) => Cell::text("open").opening(link),
        (what, Some(link)) => Cell::text(what).opening(link),
        (what, None) => Cell::text(what),
    };
    let value = |cell: Option<Cell>| cell.unwrap_or_else(|| Cell::text("–"));
    [Cell::text(of), Cell::text(at), value(ours_text), value(theirs), apart(error), what].into()
}

fn of_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

fn apart(error: Option<f64>) -> Cell {
    error.map_or_else(Cell::none, |error| Cell::number(100.0 * error, format::signed_percent(error)))
}
