//! Results of papers: our values as lines, bars or marks, the published ones as marks on them.

mod bars;
mod dots;
mod lines;
mod quantity;
mod table;

use crate::figure::Figure;
use crate::figure::frame::Size;
use crate::papers::{Chart, Data, Origin, Pair};
use crate::units::format;

pub use table::result_rows;

/// The figure of a chart.
pub fn result(chart: &Chart, size: Size) -> Figure {
    let finding = if chart.finding.is_empty() { comparison(chart) } else { chart.finding.clone() };
    let mut drawn = match &chart.data {
        Data::Lines(lines) => lines::drawing(lines, chart.source.origin, &finding, size).into(),
        Data::Bars(bars) => bars::drawing(bars, chart.source.origin, &finding, size).into(),
        Data::Dots(dots) => dots::figure(dots, size),
    };
    if drawn.table.columns.is_empty() {
        drawn.table = table::table(chart);
    }
    let mut assumptions = chart.assumptions.clone();
    if !chart.pairs().is_empty() {
        assumptions.push(format!("Published values: {}, {}", chart.source.origin.name(), chart.source.place));
    }
    Figure { id: chart.id.clone(), title: chart.title.clone(), finding, assumptions, ..drawn }
}

/// States the error of our values against the published ones.
fn comparison(chart: &Chart) -> String {
    let score = chart.score();
    let pairs = chart.pairs();
    if score.count == 0 {
        return "There is no published value to compare with.".to_owned();
    }
    let counted = |wanted: fn(&Pair) -> bool, what: &str| {
        let count = pairs.iter().filter(|pair| wanted(pair)).count();
        if count > 0 { format!("; {count} {what}") } else { String::new() }
    };
    let missing = counted(|pair| pair.ours.is_none(), "have no computed value");
    let zero =
        counted(|pair| pair.ours.is_some() && pair.published == 0.0, "are zero and have no relative error");
    let kind = match chart.source.origin {
        Origin::Derived => Origin::Derived.name(),
        Origin::Measured | Origin::Code | Origin::Predicted | Origin::Inferred => "that are published",
    };
    format!(
        "Of {} {kind}, {} are predicted with a mean error of {}{missing}{zero}.",
        format::counted(u32::try_from(pairs.len()).unwrap_or(u32::MAX), "values"),
        score.count,
        format::mean_error(score.mean)
    )
}
