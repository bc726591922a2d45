//! Accuracy gained by calibration on a few rows: half of the rows of each system (a source's rows of one software and device)
//! are held out, and predicted with corrections fitted to 1, 3, 5 and 10 of the others.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foretoken::calibration::{EIGHT_OF_TEN, Level, Prior, Row, fit_under};
use foretoken::validation::quantile;

use super::priors::{Tangents, prior};
use super::sources::{SourceRows, named};
use crate::parallel;

/// Minimum number of rows of one quantity in a system.
const FEWEST: usize = 12;

/// Numbers of rows that corrections are fitted to.
const COUNTS: [usize; 4] = [1, 3, 5, 10];

/// Maximum number of fits per system, each to different rows. Their errors are averaged.
const FITS: usize = 4;

/// Maximum number of held-out rows that are predicted.
const HELD_OUT: usize = 60;

/// Number of least-fitted systems that are summarised separately.
const SYSTEMS: usize = 10;

/// Errors of the held-out rows.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// Median error without corrections.
    before: f64,
    /// Median error after a fit to [`COUNTS`] rows; `None` if there are too few rows.
    after: [Option<f64>; COUNTS.len()],
    /// Share of held-out rows within their range after a fit to [`COUNTS`] rows.
    within: [Option<f64>; COUNTS.len()],
}

/// A system's errors at both levels.
struct Tried<'a> {
    of: &'a SourceRows,
    home: Held,
    abroad: Held,
}

/// Evaluates every system on its quantity with the most rows, with priors estimated from the other sources.
fn tried<'a>(systems: &'a [SourceRows], tangents: [&[Tangents]; 2]) -> Vec<Tried<'a>> {
    let mut largest: BTreeMap<String, &SourceRows> = BTreeMap::new();
    for of in systems.iter().filter(|of| of.home.len() >= FEWEST) {
        let known = largest.entry(of.name()).or_insert(of);
        if of.home.len() > known.home.len() {
            *known = of;
        }
    }
    let largest: Vec<&SourceRows> = largest.into_values().collect();
    let mut tried = parallel::each(&largest, |of| {
        let held = |level, tangents| held(of.at(level), &prior(tangents, &of.source));
        Tried { of, home: held(Level::Home, tangents[0]), abroad: held(Level::Abroad, tangents[1]) }
    });
    tried.sort_by(|a, b| a.of.fitted.total_cmp(&b.of.fitted).then(b.of.home.len().cmp(&a.of.home.len())));
    tried
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// Absolute relative error: |predicted / measured − 1|.
fn error(residual: f64) -> f64 {
    libm::expm1(-residual).abs()
}

fn held(rows: &[Row], prior: &Prior) -> Held {
    let (known, held) = rows.split_at(rows.len() / 2);
    let held = &held[..held.len().min(HELD_OUT)];
    let residuals =
        |point: &[f64; 5]| -> Vec<f64> { held.iter().filter_map(|row| row.residual(point).ok()).collect() };
    let errors = |residuals: &[f64]| median(residuals.iter().copied().map(error).collect());
    let mut found = Held { before: errors(&residuals(&[0.0; 5])), ..Held::default() };
    for (place, count) in COUNTS.into_iter().enumerate() {
        let (mut after, mut within) = (Vec::new(), Vec::new());
        for rows in known.chunks_exact(count).take(FITS) {
            let Ok(fitted) = fit_under(prior, rows) else { continue };
            let left = residuals(&fitted.corrections.factors().map(libm::log));
            let spread = fitted.spreads.first().map_or(0.0, |spread| spread.1);
            let inside = left.iter().filter(|left| left.abs() <= EIGHT_OF_TEN * spread).count();
            after.push(errors(&left));
            within.push(inside as f64 / left.len().max(1) as f64);
        }
        if !after.is_empty() {
            let mean = |of: &[f64]| Some(of.iter().sum::<f64>() / of.len() as f64);
            (found.after[place], found.within[place]) = (mean(&after), mean(&within));
        }
    }
    found
}

/// Medians over systems of errors relative to the error at [`Level::Home`] without corrections, at both levels, and mean
/// shares of rows within their ranges.
struct Summary {
    home: [f64; COUNTS.len()],
    abroad_before: f64,
    abroad: [f64; COUNTS.len()],
    within: [[f64; COUNTS.len()]; 2],
}

fn summary(tried: &[Tried<'_>]) -> Summary {
    let ratios = |of: &dyn Fn(&Tried<'_>) -> Option<f64>| {
        median(tried.iter().filter_map(|tried| Some(of(tried)? / tried.home.before)).collect())
    };
    let counts = [0, 1, 2, 3];
    let within = |of: &dyn Fn(&Tried<'_>) -> Option<f64>| {
        let shares: Vec<f64> = tried.iter().filter_map(of).collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    };
    Summary {
        home: counts.map(|place| ratios(&|tried| tried.home.after[place])),
        abroad_before: ratios(&|tried| Some(tried.abroad.before)),
        abroad: counts.map(|place| ratios(&|tried| tried.abroad.after[place])),
        within: [
            counts.map(|place| within(&|tried| tried.home.within[place])),
            counts.map(|place| within(&|tried| tried.abroad.within[place])),
        ],
    }
}

/// The table of docs/accuracy.md.
pub fn table(systems: &[SourceRows], home: &[Tangents], abroad: &[Tangents]) -> String {
    let tried = tried(systems, [home, abroad]);
    let first = summary(&tried[..tried.len().min(SYSTEMS)]);
    let all = summary(&tried);
    let mut text =
        String::from("| median over systems | 0 rows | 1 | 3 | 5 | 10 |\n|---|---:|---:|---:|---:|---:|\n");
    for (name, of) in [("ten least-fitted systems", &first), ("all systems", &all)] {
        let times = |values: [f64; COUNTS.len()]| values.map(|value| format!("{value:.2}")).join(" | ");
        let _ = writeln!(text, "| {name}: relative error, all constants | 1.00 | {} |", times(of.home));
        let _ = writeln!(
            text,
            "| {name}: relative error, left out | {:.2} | {} |",
            of.abroad_before,
            times(of.abroad)
        );
        for (level, within) in ["all constants", "left out"].into_iter().zip(of.within) {
            let shares = within.map(|share| format!("{:.0} %", 100.0 * share)).join(" | ");
            let _ = writeln!(text, "| {name}: held-out rows within their range, {level} | | {shares} |");
        }
    }
    let ten = &tried[..tried.len().min(SYSTEMS)];
    let reached = |of: &dyn Fn(&Tried<'_>) -> Option<f64>, bar: f64| {
        ten.iter().filter(|tried| of(tried).is_some_and(|error| error <= bar * tried.home.before)).count()
    };
    let _ = writeln!(
        text,
        "\nWith all constants, the error of {} of these ten falls by a quarter with 3 rows, and of {} with 10. With constants \
         left out, {} of\nthem are within 1.3 times the error with all constants after 5 rows.",
        reached(&|tried| tried.home.after[1], 0.75),
        reached(&|tried| tried.home.after[3], 0.75),
        reached(&|tried| tried.abroad.after[2], 1.3),
    );
    text.push_str(
        "\n| system | quantity | rows | fitted on | all constants, 0 rows | 1 | 3 | 5 | 10 | left out, 0 rows | 1 | 3 | 5 | 10 |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let percent = |value: f64| format!("{:.1} %", 100.0 * value);
    for Tried { of, home, abroad } in &tried {
        let cells = |held: &Held| {
            let after = held.after.map(|after| after.map_or_else(String::new, percent));
            format!("{} | {}", percent(held.before), after.join(" | "))
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} % | {} | {} |",
            of.name(),
            named(of.kind),
            of.home.len(),
            100.0 * of.fitted,
            cells(home),
            cells(abroad)
        );
    }
    text
}
