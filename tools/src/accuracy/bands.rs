//! Ranges of estimates: quantiles of measured / predicted over groups of published rows. Ranges are widened until they hold
//! 80 % of the rows of sources that they were not computed from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use foretoken::validation::Quantity;
use foretoken::validation::band::Group;
use foretoken::validation::by_load::{self, LoadLevel};

use super::left_out::LeftOut;
use super::predictions::Predictions;
use super::ranges::{self, Measured, Range, least, range_of, ranges, ratios};

/// The factor on the logarithms of the ranges' ends of every quantity, with which they hold the rows of sources that were left out.
pub(super) fn stretches(predictions: &Predictions<'_>) -> BTreeMap<Quantity, f64> {
    coverage(predictions).into_iter().map(|coverage| (coverage.quantity, coverage.stretch)).collect()
}

/// Share of the rows of a quantity that lie within their ranges.
pub struct Coverage {
    /// The quantity.
    pub quantity: Quantity,
    /// Number of rows.
    pub rows: usize,
    /// Factor on the logarithms of the ranges' ends.
    pub stretch: f64,
    /// Share of rows within ranges computed without their source, before and after widening.
    pub left_out: [f64; 2],
    /// Share of rows within the ranges that the page shows.
    pub shown: f64,
}

/// The coverage of every quantity, on all rows that no constant was fitted on.
pub fn coverage(predictions: &Predictions<'_>) -> Vec<Coverage> {
    let rows = ratios(predictions, LeftOut::Nothing);
    let sources: BTreeSet<&str> = rows.iter().map(|row| row.source.as_str()).collect();
    let without = |left_out: &str| ranges(rows.iter().filter(|row| row.source != left_out));
    let left_out: BTreeMap<&str, BTreeMap<Group, Range>> =
        sources.into_iter().map(|source| (source, without(source))).collect();
    let all = ranges(rows.iter());
    let quantities: BTreeSet<Quantity> = rows.iter().map(|row| row.group.quantity).collect();
    let coverage = |quantity: Quantity| {
        let rows: Vec<&Measured> = rows.iter().filter(|row| row.group.quantity == quantity).collect();
        let share = |stretch: f64, of: &dyn Fn(&Measured) -> Option<Range>| {
            let held =
                |row: &&&Measured| of(row).is_some_and(|range| range.stretched(stretch).holds(row.ratio));
            rows.iter().filter(held).count() as f64 / rows.len().max(1) as f64
        };
        let foreign = |row: &Measured| range_of(left_out.get(row.source.as_str())?, &row.group);
        let own = |row: &Measured| range_of(&all, &row.group);
        let stretch = least(|stretch| share(stretch, &foreign));
        Coverage {
            quantity,
            rows: rows.len(),
            stretch,
            left_out: [share(1.0, &foreign), share(stretch, &foreign)],
            shown: share(stretch, &own),
        }
    };
    quantities.into_iter().map(coverage).collect()
}

/// The table that `band::of` reads: ranges by group.
pub fn table(predictions: &Predictions<'_>) -> String {
    let stretches = stretches(predictions);
    let mut text = String::from(
        "# quantity,software,family,generation,bits,rows,sources,low,high: written by `make validate`\n",
    );
    for (group, range) in ranges(ratios(predictions, LeftOut::Nothing).iter()) {
        let stretch = stretches.get(&group.quantity).copied().unwrap_or(1.0);
        let Range { rows, sources, low, high, .. } = range.stretched(stretch);
        let _ = writeln!(text, "{},{rows},{sources},{low:.3},{high:.3}", group.key());
    }
    text
}

/// The table that `band::is_published` reads: makers of devices with enough rows and sources.
pub fn makers(predictions: &Predictions<'_>) -> String {
    let mut text = String::from("# quantity, maker of devices, rows, sources: written by `make validate`\n");
    for ((quantity, maker), (rows, sources)) in ranges::makers(ratios(predictions, LeftOut::Nothing)) {
        let _ = writeln!(text, "{},{maker},{rows},{sources}", quantity.name());
    }
    text
}

/// The table that `band::spread` reads: quantiles by group, not stretched.
pub fn spreads(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "# quantity,software,family,generation,bits, then measured / predicted at 5 %, 10 %, … 95 % of the rows: written by `make validate`\n",
    );
    for (group, range) in ranges(ratios(predictions, LeftOut::Nothing).iter()) {
        let _ = write!(text, "{}", group.key());
        for quantile in range.quantiles {
            let _ = write!(text, ",{quantile:.3}");
        }
        text.push('\n');
    }
    text
}

/// The table that [`by_load::spread`] reads: quantiles of TTFT by kind of model and level of load, not stretched. Above the median, those
/// of a heavier load are at least those of a lighter one: where fewer rows say otherwise, it is chance.
pub fn loads(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "# TTFT: kind of model, level of load, rows, sources, then measured / predicted at 5 %, 10 %, … 95 % of the rows: written by `make validate`\n",
    );
    let rows = ratios(predictions, LeftOut::Nothing);
    let mut lighter: BTreeMap<_, [f64; 19]> = BTreeMap::new();
    for load in LoadLevel::ALL {
        let groups = ranges(rows.iter().filter(|row| row.load == Some(load)));
        for (group, range) in
            groups.into_iter().filter(|(group, _)| !group.local && group.generation.is_none())
        {
            let _ = write!(text, "{},{},{}", by_load::key(group.family, load), range.rows, range.sources);
            let of_lighter = *lighter.get(&group.family).unwrap_or(&range.quantiles);
            let mut quantiles = range.quantiles;
            let above_median = quantiles.len() / 2 + 1;
            for (quantile, other) in quantiles.iter_mut().zip(of_lighter).skip(above_median) {
                *quantile = quantile.max(other);
            }
            for quantile in &quantiles {
                let _ = write!(text, ",{quantile:.3}");
            }
            text.push('\n');
            lighter.insert(group.family, quantiles);
        }
    }
    text
}

/// The coverage as a Markdown table.
pub fn report(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "| quantity | rows | within range, source left out | widening (of logarithms) | within range then | within range as shown |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for Coverage { quantity, rows, stretch, left_out: [before, after], shown } in coverage(predictions) {
        let _ = writeln!(
            text,
            "| {} | {rows} | {:.0} % | {stretch:.2} | {:.0} % | {:.0} % |",
            quantity.label(),
            100.0 * before,
            100.0 * after,
            100.0 * shown
        );
    }
    text
}
