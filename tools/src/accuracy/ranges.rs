//! Ranges of measured / predicted over groups of published rows.

use std::collections::{BTreeMap, BTreeSet};

use foretoken::validation::band::{self, Group};
use foretoken::validation::by_load::LoadLevel;
use foretoken::validation::maker::maker;
use foretoken::validation::{Case, Quantity, Question};

use super::left_out::{self, LeftOut};
use super::predictions::Predictions;

/// Minimum number of rows of a group with its own range.
const ROWS: usize = 10;
/// Minimum number of sources of a group with its own range, so that the range generalises to other sources.
const SOURCES: usize = 3;
/// Minimum number of sources on a maker's devices for its estimates to have ranges. The errors of one source need not apply to
/// another.
const MAKER_SOURCES: usize = 2;
/// Share of rows that a range must hold.
const HELD: f64 = 0.8;

/// A row's ratio of measured to predicted time.
pub(super) struct Measured {
    pub(super) group: Group,
    /// Maker of the device.
    pub(super) maker: String,
    /// Of a time to first token in a stream of requests.
    pub(super) load: Option<LoadLevel>,
    pub(super) source: String,
    pub(super) is_local: bool,
    pub(super) ratio: f64,
}

/// The range of measured / predicted of one group.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) rows: usize,
    pub(super) sources: usize,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Measured / predicted at 5 %, 10 %, … 95 % of the rows.
    pub(super) quantiles: [f64; 19],
}

impl Range {
    /// The range, extended to include 1, with the logarithms of its ends multiplied by `by`.
    pub(super) fn stretched(self, by: f64) -> Self {
        Self { low: libm::pow(self.low.min(1.0), by), high: libm::pow(self.high.max(1.0), by), ..self }
    }

    /// Returns true if a ratio lies within the range.
    pub(super) fn holds(&self, ratio: f64) -> bool {
        (self.low..=self.high).contains(&ratio)
    }
}

/// Ratios of the rows that no constant was fitted on, without the constants that are left out. A run that occurs in
/// several rows counts once.
pub(super) fn ratios(predictions: &Predictions<'_>, left_out: LeftOut) -> Vec<Measured> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (case, outcomes) in predictions.scored(left_out) {
        for (group, ratio) in band::ratios(case, outcomes) {
            if seen.insert((group.clone(), case.model.clone(), ratio.to_bits())) {
                let is_local = left_out::is_local(case);
                let load = (group.quantity == Quantity::Ttft).then(|| load_of(case)).flatten();
                let (maker, source) = (maker_of(case), source(&case.source));
                found.push(Measured { group, maker, load, source, is_local, ratio });
            }
        }
    }
    found
}

/// The maker of the device on which a row was measured; empty if the row has no scenario.
fn maker_of(case: &Case) -> String {
    let device = case.scenario();
    device
        .and_then(|asked| asked.system.accelerator().ok())
        .map_or_else(String::new, |device| maker(&device).to_owned())
}

/// Rows and sources of each quantity and maker of devices that has enough of both.
pub(super) fn makers(rows: Vec<Measured>) -> BTreeMap<(Quantity, String), (usize, usize)> {
    let mut found: BTreeMap<(Quantity, String), (usize, BTreeSet<String>)> = BTreeMap::new();
    for Measured { group, maker, source, .. } in rows {
        let (rows, sources) = found.entry((group.quantity, maker)).or_default();
        *rows += 1;
        sources.insert(source);
    }
    let counted = found.into_iter().map(|(of, (rows, sources))| (of, (rows, sources.len())));
    counted.filter(|(_, (rows, sources))| *rows >= ROWS && *sources >= MAKER_SOURCES).collect()
}

/// The level of a row's load.
fn load_of(case: &Case) -> Option<LoadLevel> {
    match &case.question {
        Ok(Question::Scenario(scenario)) => LoadLevel::of(scenario),
        _ => None,
    }
}

/// Key of a source: the first word of its name, which is the publication, or the server of served requests. Both files of the
/// Ultra-Scale Playbook are one source.
fn source(name: &str) -> String {
    let first = name.split(' ').next().unwrap_or(name);
    if first.starts_with("ultrascale") { "ultrascale".to_owned() } else { first.to_owned() }
}

/// Ranges of all groups with enough rows and sources, and of the widest groups in any case.
pub(super) fn ranges<'a>(rows: impl Iterator<Item = &'a Measured>) -> BTreeMap<Group, Range> {
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
        // Ranges of trained models and of servers exist for any device.
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
pub(super) fn range_of(ranges: &BTreeMap<Group, Range>, group: &Group) -> Option<Range> {
    group.clone().widening().iter().find_map(|group| ranges.get(group)).copied()
}

/// The least factor on the logarithms of ranges' ends, from 1 to 4, with which they hold [`HELD`] of the rows.
pub(super) fn least(share: impl Fn(f64) -> f64) -> f64 {
    let mut steps = (0..=60).map(|step| 1.0 + 0.05 * f64::from(step));
    steps.find(|step| share(*step) >= HELD).unwrap_or(4.0)
}
