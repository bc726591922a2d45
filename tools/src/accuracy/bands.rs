//! Ranges of estimates: quantiles of measured / predicted over groups of published rows. Ranges are widened until they hold
//! 80 % of the rows of sources that they were not computed from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use foretoken::validation::band::{self, Group};
use foretoken::validation::by_load::{self, LoadLevel};
use foretoken::validation::maker::maker;
use foretoken::validation::unmeasured::Unmeasured;
use foretoken::validation::{Case, Quantity, Question};

use super::left_out::LeftOut;
use super::predictions::Predictions;

/// Minimum number of rows of a group with its own range.
const ROWS: usize = 10;
/// Minimum number of sources of a group with its own range, so that the range generalises to other sources.
const SOURCES: usize = 3;
/// Minimum number of sources of a maker's devices, without which an estimate has no range: one shows what it measured alone.
const MAKER_SOURCES: usize = 2;
/// Share of rows that a range must hold.
const HELD: f64 = 0.8;

/// A row's ratio of measured to predicted time.
struct Measured {
    group: Group,
    /// Of the device.
    maker: String,
    /// Of a time to first token in a stream of requests.
    load: Option<LoadLevel>,
    source: String,
    ratio: f64,
}

/// The range of measured / predicted of one group.
#[derive(Clone, Copy)]
struct Range {
    rows: usize,
    sources: usize,
    low: f64,
    high: f64,
    /// Measured / predicted at 5 %, 10 %, … 95 % of the rows.
    quantiles: [f64; 19],
}

impl Range {
    /// The range, extended to include 1, with the logarithms of its ends multiplied by `by`.
    fn stretched(self, by: f64) -> Self {
        Self { low: libm::pow(self.low.min(1.0), by), high: libm::pow(self.high.max(1.0), by), ..self }
    }

    /// Returns true if a ratio lies within the range.
    fn holds(&self, ratio: f64) -> bool {
        (self.low..=self.high).contains(&ratio)
    }
}

/// Ratios of the rows that no constant was fitted on, without the constants that are left out. A run that occurs in
/// several rows counts once.
fn ratios(predictions: &Predictions<'_>, left_out: LeftOut) -> Vec<Measured> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (case, outcomes) in predictions.scored(left_out) {
        for (group, ratio) in band::ratios(case, outcomes) {
            if seen.insert((group.clone(), case.model.clone(), ratio.to_bits())) {
                let load = (group.quantity == Quantity::Ttft).then(|| load_of(case)).flatten();
                let (maker, source) = (maker_of(case), source(&case.source));
                found.push(Measured { group, maker, load, source, ratio });
            }
        }
    }
    found
}

/// The maker of a row's device.
fn maker_of(case: &Case) -> String {
    let device = case.question.as_ref().ok().and_then(Question::scenario);
    device
        .and_then(|asked| asked.system.accelerator().ok())
        .map_or_else(String::new, |device| maker(&device).to_owned())
}

/// The level of a row's load.
fn load_of(case: &Case) -> Option<LoadLevel> {
    match &case.question {
        Ok(Question::Scenario(scenario)) => LoadLevel::of(scenario),
        _ => None,
    }
}

/// The publication or, for served requests, the server: the first word of a source's name. Both files of the Ultra-Scale
/// Playbook are one source.
fn source(name: &str) -> String {
    let first = name.split(' ').next().unwrap_or(name);
    if first.starts_with("ultrascale") { "ultrascale".to_owned() } else { first.to_owned() }
}

/// Ranges of all groups with enough rows and sources, and of the widest groups in any case.
fn ranges<'a>(rows: impl Iterator<Item = &'a Measured>) -> BTreeMap<Group, Range> {
    let mut groups: BTreeMap<Group, Vec<&Measured>> = BTreeMap::new();
    for row in rows {
        for group in row.group.clone().widening() {
            groups.entry(group).or_default().push(row);
        }
    }
    let mut found = BTreeMap::new();
    for (group, mut rows) in groups {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &rows {
            *counts.entry(row.source.as_str()).or_default() += 1.0;
        }
        // Bands of trained models and of servers exist for any device.
        let widest = group.family.is_none() && !group.local;
        if !widest && (rows.len() < ROWS || counts.len() < SOURCES) {
            continue;
        }
        // A source's total weight is the square root of its number of rows, so that large sources do not dominate.
        let weight = |row: &Measured| libm::sqrt(counts[row.source.as_str()]).recip();
        rows.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let total: f64 = rows.iter().map(|row| weight(row)).sum();
        let quantile = |share: f64| {
            let mut sum = 0.0;
            let found = rows.iter().find(|row| {
                sum += weight(row);
                sum >= share * total
            });
            found.or(rows.last()).map_or(1.0, |row| row.ratio)
        };
        let (low, high) = (quantile((1.0 - HELD) / 2.0), quantile(f64::midpoint(1.0, HELD)));
        let quantiles = std::array::from_fn(|place| quantile((place + 1) as f64 / 20.0));
        found.insert(group, Range { rows: rows.len(), sources: counts.len(), low, high, quantiles });
    }
    found
}

/// The range of an estimate: that of the narrowest group with a range.
fn range_of(ranges: &BTreeMap<Group, Range>, group: &Group) -> Option<Range> {
    group.clone().widening().iter().find_map(|group| ranges.get(group)).copied()
}

/// The least factor on the logarithms of ranges' ends, from 1 to 4, with which they hold [`HELD`] of the rows.
fn least(share: impl Fn(f64) -> f64) -> f64 {
    let mut steps = (0..=60).map(|step| 1.0 + 0.05 * f64::from(step));
    steps.find(|step| share(*step) >= HELD).unwrap_or(4.0)
}

/// That factor of every quantity, for sources that were left out.
fn stretches(predictions: &Predictions<'_>) -> BTreeMap<Quantity, f64> {
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

/// The table that [`band::of`] reads: ranges by group.
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

/// The table that [`band::is_published`] reads: makers of devices with enough rows and sources.
pub fn makers(predictions: &Predictions<'_>) -> String {
    let mut text = String::from("# quantity, maker of devices, rows, sources: written by `make validate`\n");
    let mut found: BTreeMap<(Quantity, String), (usize, BTreeSet<String>)> = BTreeMap::new();
    for Measured { group, maker, source, .. } in ratios(predictions, LeftOut::Nothing) {
        let (rows, sources) = found.entry((group.quantity, maker)).or_default();
        *rows += 1;
        sources.insert(source);
    }
    for ((quantity, maker), (rows, sources)) in found {
        if rows >= ROWS && sources.len() >= MAKER_SOURCES {
            let _ = writeln!(text, "{},{maker},{rows},{}", quantity.name(), sources.len());
        }
    }
    text
}

/// The table that [`band::spread`] reads: quantiles by group, not stretched.
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

/// The table that [`by_load::spread`] reads: quantiles of TTFT by kind of model and level of load, not stretched.
pub fn loads(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "# TTFT: kind of model, level of load, rows, sources, then measured / predicted at 5 %, 10 %, … 95 % of the rows: written by `make validate`\n",
    );
    let rows = ratios(predictions, LeftOut::Nothing);
    for load in LoadLevel::ALL {
        let groups = ranges(rows.iter().filter(|row| row.load == Some(load)));
        for (group, range) in
            groups.into_iter().filter(|(group, _)| !group.local && group.generation.is_none())
        {
            let _ = write!(text, "{},{},{}", by_load::key(group.family, load), range.rows, range.sources);
            for quantile in range.quantiles {
                let _ = write!(text, ",{quantile:.3}");
            }
            text.push('\n');
        }
    }
    text
}

/// Ranges of estimates whose software, device or both were not measured.
struct Abroad {
    quantity: Quantity,
    unmeasured: &'static str,
    rows: usize,
    /// Factor on the logarithms of the ends of the ranges that the page shows for what was measured.
    widening: f64,
    /// Share of rows within the ranges before and after widening.
    held: [f64; 2],
}

/// Factors with which ranges hold [`HELD`] of the rows that were predicted without the constants of their own software, of
/// their device's architecture, or of both. The factor for both is at least that for either. An unmeasured device has no
/// rows of its generation and takes the range of all generations. Rows of local engines are left out, since constants of
/// data-centre engines do not describe them.
fn abroad(predictions: &Predictions<'_>) -> Vec<Abroad> {
    let stretches = stretches(predictions);
    let shown = ranges(ratios(predictions, LeftOut::Nothing).iter());
    let mut found: Vec<Abroad> = Vec::new();
    let variants = [LeftOut::Software, LeftOut::Architecture, LeftOut::SoftwareAndArchitecture];
    for ((_, unmeasured), left_out) in Unmeasured::ALL.into_iter().skip(1).zip(variants) {
        let rows = ratios(predictions, left_out);
        for (&quantity, &stretch) in &stretches {
            let served = rows.iter().filter(|row| row.group.quantity == quantity && !row.group.local);
            let rows: Vec<&Measured> = served.collect();
            let range = |row: &Measured| {
                let group = match left_out {
                    LeftOut::Software => row.group.clone(),
                    _ => Group { generation: None, bits: None, ..row.group.clone() },
                };
                range_of(&shown, &group)
            };
            let share = |widening: f64| {
                let held = |row: &&&Measured| {
                    range(row).is_some_and(|range| range.stretched(stretch * widening).holds(row.ratio))
                };
                rows.iter().filter(held).count() as f64 / rows.len().max(1) as f64
            };
            let parts = found.iter().filter(|part| part.quantity == quantity).map(|part| part.widening);
            let of_parts = parts.fold(1.0, f64::max);
            let own = least(share);
            let widening = if left_out == LeftOut::SoftwareAndArchitecture { own.max(of_parts) } else { own };
            let held = [share(1.0), share(widening)];
            found.push(Abroad { quantity, unmeasured, rows: rows.len(), widening, held });
        }
    }
    found
}

/// The table that [`Unmeasured::widening`] reads.
pub fn unmeasured(predictions: &Predictions<'_>) -> String {
    let mut text = String::from("# quantity, what is unmeasured, factor: written by `make validate`\n");
    for Abroad { quantity, unmeasured, widening, .. } in abroad(predictions) {
        let _ = writeln!(text, "{},{unmeasured},{widening:.2}", quantity.name());
    }
    text
}

/// The widening for what is unmeasured as a Markdown table.
pub fn report_unmeasured(predictions: &Predictions<'_>) -> String {
    let mut text = String::from(
        "| quantity | unmeasured | rows | within range | widening (of logarithms) | within range then |\n|---|---|---:|---:|---:|---:|\n",
    );
    for Abroad { quantity, unmeasured, rows, widening, held: [before, after] } in abroad(predictions) {
        let _ = writeln!(
            text,
            "| {} | {unmeasured} | {rows} | {:.0} % | {widening:.2} | {:.0} % |",
            quantity.label(),
            100.0 * before,
            100.0 * after
        );
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
