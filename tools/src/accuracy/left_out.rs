//! Compares errors without the constants fitted on a row's own software or device with errors under all constants. The
//! former are the errors to expect for unmeasured software and devices.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use foretoken::inference::{Engine, EngineOverheads};
use foretoken::scenario::{Scenario, Topic};
use foretoken::system::calibration::Measured;
use foretoken::validation::{Case, Family, Outcome, Quantity, Replaced, Score};

use super::predictions::Predictions;

/// Predicted and measured times, s; rates of kernels are inverted.
type Pairs = Vec<(f64, f64)>;

/// The constants that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeftOut {
    /// None: each row is predicted with all constants.
    Nothing,
    /// Constants of the row's software, replaced by the medians over the other software.
    Software,
    /// Constants of the row's device, replaced by the kernel, link and clock constants of an unmeasured device.
    Device,
    /// Constants of the row's software and device.
    Both,
    /// Constants of all devices of the architecture.
    Architecture,
    /// Constants of the row's software and of all devices of the architecture.
    SoftwareAndArchitecture,
}

impl LeftOut {
    /// Every variant.
    pub const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Software,
        Self::Device,
        Self::Both,
        Self::Architecture,
        Self::SoftwareAndArchitecture,
    ];

    /// The variants of the table, in the order of its columns.
    const COLUMNS: [Self; 4] = [Self::Nothing, Self::Software, Self::Device, Self::Both];

    /// The constants that replace those left out for a case.
    pub fn replaced(self, case: &Case) -> Replaced {
        let software = matches!(self, Self::Software | Self::Both | Self::SoftwareAndArchitecture);
        let device = match self {
            Self::Nothing | Self::Software => Measured::All,
            Self::Device | Self::Both => Measured::Others,
            Self::Architecture | Self::SoftwareAndArchitecture => Measured::OtherArchitectures,
        };
        let Some(scenario) = case.scenario() else {
            return Replaced { device, ..Replaced::default() };
        };
        let (engine, framework) = (scenario.inference.engine, scenario.recipe.framework);
        let engines: Vec<Engine> =
            Engine::CURRENT.into_iter().filter(|other| *other != engine.product()).collect();
        Replaced {
            engine: software.then(|| EngineOverheads::middle(&engines)),
            framework: software.then(|| framework.unfitted()),
            device,
        }
    }
}

/// Name of the rows over all software.
pub(super) const ALL: &str = "all";

/// Index in [`ROWS`] of the first row of kernels, which do not depend on software.
const KERNELS: usize = 8;

/// Returns true if an outcome belongs to a row.
type Holds = fn(&Outcome<'_>) -> bool;
/// Rows of the table: name, and the outcomes that belong to it. [`scores`] has the first five.
const ROWS: [(&str, Holds); 10] = [
    ("Training step", |outcome| outcome.quantity.as_time() == Quantity::IterTime && !kernel(outcome)),
    ("Peak memory of training", |outcome| outcome.quantity == Quantity::PeakMemory),
    ("TPOT of served requests", |outcome| outcome.quantity == Quantity::Tpot),
    ("TTFT of served requests", |outcome| outcome.quantity == Quantity::Ttft),
    ("Latency of requests and static batches", |outcome| {
        let time = outcome.quantity.as_time();
        matches!(time, Quantity::RequestLatency) && !kernel(outcome) && !local(outcome)
    }),
    ("Decode of one request, local inference", |outcome| outcome.quantity == Quantity::DecodePerToken),
    ("Prefill of one prompt, local inference", |outcome| {
        outcome.quantity == Quantity::PrefillTokensPerSecond
    }),
    ("Chat requests one after another, local inference", |outcome| {
        outcome.quantity.as_time() == Quantity::RequestLatency && local(outcome)
    }),
    ("Collectives", |outcome| kernel(outcome) && collective(outcome)),
    ("Matrix multiplies and attention", |outcome| kernel(outcome) && !collective(outcome)),
];

fn kernel(outcome: &Outcome<'_>) -> bool {
    outcome.case.family == Family::Kernel
}

fn local(outcome: &Outcome<'_>) -> bool {
    is_local(outcome.case)
}

/// Returns true for an engine of local inference: constants of data-centre engines do not describe it.
pub(super) fn is_local(case: &Case) -> bool {
    let scenario = case.scenario();
    scenario.is_some_and(|scenario| scenario.inference.engine.is_local())
}

fn collective(outcome: &Outcome<'_>) -> bool {
    let model = outcome.case.model.as_str();
    ["all_", "reduce", "gather", "send", "broadcast", "nccl"].iter().any(|word| model.contains(word))
}

/// Name of the software that a case ran in; empty for a kernel.
fn software(case: &Case) -> &'static str {
    case.scenario().map_or("", Scenario::software)
}

/// Predictions and measurements by row of the table, software and variant of [`LeftOut`].
pub(super) type Groups<'a> = BTreeMap<(usize, &'a str, LeftOut), Pairs>;

/// Predictions and measurements of the scored cases that meet a condition. A case with both a time and the equivalent rate counts
/// once, as does a run that two sources report.
pub(super) fn groups<'a>(predictions: &Predictions<'a>, holds: impl Fn(&Case) -> bool) -> Groups<'a> {
    let mut pairs = Groups::new();
    let mut seen = HashSet::new();
    for left_out in LeftOut::COLUMNS {
        for (case, outcomes) in predictions.scored(left_out).filter(|(case, _)| holds(case)) {
            for (place, (predicted, measured)) in counted(outcomes) {
                let twin = (place, left_out, measured.to_bits(), predicted.to_bits(), case.model.clone());
                if seen.insert(twin) {
                    for software in [software(case), ALL] {
                        pairs.entry((place, software, left_out)).or_default().push((predicted, measured));
                    }
                }
            }
        }
    }
    pairs
}

pub(super) fn score(pairs: &Groups<'_>, place: usize, software: &str, left_out: LeftOut) -> Score {
    let found =
        pairs.iter().find(|((row, name, out), _)| *row == place && *name == software && *out == left_out);
    found.map_or_else(Score::default, |(_, pairs)| Score::of(pairs.iter().copied()))
}

/// Names of the rows of the table, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.into_iter().map(|(name, _)| name)
}

/// Returns whether no constant was fitted on any row of a case's source.
pub(super) fn unfitted_sources<'a>(predictions: &'a Predictions<'_>) -> impl Fn(&Case) -> bool + use<'a> {
    let fitted: HashSet<&str> = predictions
        .outcomes()
        .filter(|outcome| outcome.case.used_in_fit)
        .map(|outcome| outcome.case.source.as_str())
        .collect();
    move |case| !fitted.contains(case.source.as_str())
}

pub(super) fn percents(Score { mean, median, .. }: Score) -> String {
    format!("{:.1} / {:.1} %", 100.0 * mean, 100.0 * median)
}

/// The README's table over all software, as Markdown.
pub fn headline(predictions: &Predictions<'_>) -> String {
    let pairs = groups(predictions, |_| true);
    let unfitted = groups(predictions, unfitted_sources(predictions));
    let mut text = String::from(
        "| mean / median error | rows | all constants | software and device left out | sources without a fitted row |\n\
         |---|---:|---:|---:|---:|\n",
    );
    for (place, (name, _)) in ROWS.iter().enumerate().take(KERNELS) {
        let (home, abroad) =
            (score(&pairs, place, ALL, LeftOut::Nothing), score(&pairs, place, ALL, LeftOut::Both));
        let elsewhere = score(&unfitted, place, ALL, LeftOut::Nothing);
        let elsewhere = if elsewhere.count > 0 {
            format!("{} ({})", percents(elsewhere), elsewhere.count)
        } else {
            "–".to_owned()
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {elsewhere} |",
            home.count,
            percents(home),
            percents(abroad)
        );
    }
    text
}

/// Scores without the constants of each row's software and device as comma-separated values: topic, rows, mean, median.
pub fn scores(predictions: &Predictions<'_>) -> String {
    let pairs = groups(predictions, |_| true);
    let mut text = String::new();
    let topics = [Topic::Step, Topic::Memory, Topic::Tpot, Topic::Ttft, Topic::Request];
    for (place, topic) in topics.into_iter().enumerate() {
        let Score { count, mean, median, .. } = score(&pairs, place, ALL, LeftOut::Both);
        let _ = writeln!(text, "{},{count},{mean:.4},{median:.4}", topic.name());
    }
    text
}

/// The table of docs/accuracy.md: mean and median error on rows that no constant was fitted on, by software and over
/// all, with all constants and with each variant of [`LeftOut`].
pub fn table(predictions: &Predictions<'_>) -> String {
    let pairs = groups(predictions, |_| true);
    let mut text = String::from(
        "| quantity | software | rows | all constants, mean / median | software left out | device left out | both left out |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    let groups: BTreeSet<(usize, &str)> =
        pairs.keys().map(|(place, software, _)| (*place, *software)).collect();
    for (place, software) in groups.into_iter().filter(|(_, software)| !software.is_empty()) {
        let score =
            |left_out| Score::of(pairs.get(&(place, software, left_out)).cloned().unwrap_or_default());
        let cell = |left_out: LeftOut| {
            // Kernels do not depend on software.
            if matches!(left_out, LeftOut::Software | LeftOut::Both) && place >= KERNELS {
                String::new()
            } else {
                percents(score(left_out))
            }
        };
        let cells = LeftOut::COLUMNS.map(cell).join(" | ");
        let _ = writeln!(
            text,
            "| {} | {software} | {} | {cells} |",
            ROWS[place].0,
            score(LeftOut::Nothing).count
        );
    }
    text
}

/// Prediction and measurement as times. Rates are inverted, so that all errors refer to times.
fn times(quantity: Quantity, predicted: f64, measured: f64) -> (f64, f64) {
    let rate = quantity.as_time() != quantity
        || matches!(
            quantity,
            Quantity::AchievedTflops | Quantity::AchievedBandwidth | Quantity::BusBandwidth
        );
    if rate { (predicted.recip(), measured.recip()) } else { (predicted, measured) }
}

/// The scored outcomes of a case, at most one per row of the table: index of the row, prediction and measurement.
fn counted(outcomes: &[Outcome<'_>]) -> Vec<(usize, (f64, f64))> {
    let mut found: Vec<(usize, (f64, f64))> = Vec::new();
    for outcome in outcomes {
        let place = ROWS.iter().position(|(_, holds)| holds(outcome));
        let (Some(place), Ok(predicted)) = (place, &outcome.predicted) else { continue };
        if found.iter().all(|(other, _)| *other != place) {
            found.push((place, times(outcome.quantity, *predicted, outcome.measured)));
        }
    }
    found
}
