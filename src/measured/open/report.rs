//! What the dialog shows of a file that was read: settings, measured values, missing settings and cautions.

use crate::estimate::Activity;
use crate::measured::consistency::contradiction;
use crate::measured::{Format, Measurement, Spent};
use crate::scenario::{Scenario, View, fields};
use crate::units::{Amount, Seconds};

/// What a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// Measured values, and the settings of their run.
    #[default]
    Measurement,
    /// Launch commands or a manifest.
    Commands,
    /// The number formats of a checkpoint.
    Formats,
    /// A trace of requests.
    Requests,
}

impl Contents {
    /// Name as a title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Measurement => "Measurement",
            Self::Commands => "Launch command",
            Self::Formats => "Number formats",
            Self::Requests => "Request trace",
        }
    }
}

/// Report on how a point was read, for the dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the file holds.
    pub contents: Contents,
    /// Format, and number of steps or requests used: one sentence.
    pub summary: String,
    /// Label that distinguishes the file's points by their load, e.g. `concurrency 64`.
    pub name: String,
    /// Measured values: name, statistic, value with unit.
    pub measured: Vec<[String; 3]>,
    /// Scenario fields set by the file: name and value.
    pub says: Vec<[String; 2]>,
    /// Fields that the prediction needs and the file does not set: name, and the current value, which was kept.
    pub silent: Vec<[String; 2]>,
    /// Rows left out, and caveats for the comparison, in sentences.
    pub remarks: Vec<String>,
}

/// The name of a field and its value in a scenario, as the form shows them.
pub(super) fn named(path: &str, scenario: &Scenario) -> [String; 2] {
    let Some(field) = fields::field(path) else { return [path.to_owned(), String::new()] };
    [field.name(), field.shown(scenario)]
}

/// Rows of a profile for the dialog: activity, number of kernels, time with its share.
fn spent(point: &Measurement) -> impl Iterator<Item = [String; 3]> {
    let all: f64 = point.spent.iter().map(|spent| spent.time).sum();
    let shown = |time: f64| Amount::time(Seconds::new(time)).to_string();
    let of = move |spent: &Spent| {
        let kernels = match spent.activity {
            Activity::Idle => "idle".to_owned(),
            Activity::Copies => format!("{} copies", Amount::count(spent.kernels)),
            _ => format!("{} kernels", Amount::count(spent.kernels)),
        };
        let share = Amount::percent(spent.time / all);
        [spent.activity.label().to_owned(), kernels, format!("{} ({share})", shown(spent.time))]
    };
    let hidden = point
        .hidden
        .map(|time| ["Communication".to_owned(), "hidden behind compute kernels".to_owned(), shown(time)]);
    point.spent.iter().map(of).chain(hidden)
}

/// The report on a point. `scenario` is the question after the point was applied.
pub(super) fn report(point: &Measurement, scenario: &Scenario) -> Report {
    let name = point.format.name();
    let rows = match (point.format, point.view) {
        (Format::Kineto | Format::Nsys, _) if point.readings.is_empty() => "kernel",
        (Format::Kineto | Format::Nsys, _) | (_, View::Training) => "step",
        _ => "request",
    };
    let used = match point.used {
        None => String::new(),
        Some(1) => format!(", from one {rows}"),
        Some(used) => format!(", from {} {rows}s", Amount::count(used)),
    };
    let mut remarks: Vec<String> = point
        .left_out
        .iter()
        .map(|left| format!("Left out: {} {}", Amount::count(left.rows), left.why))
        .collect();
    remarks.extend(point.remarks.iter().cloned());
    remarks.extend(contradiction(point, scenario));
    let load = [
        ("concurrency", "inference.concurrency"),
        ("rate", "inference.rate"),
        ("batch", "inference.batch"),
        ("in", "inference.input"),
        ("out", "inference.output"),
    ];
    let said = load.iter().filter_map(|(word, path)| Some(format!("{word} {}", point.number_of(path)?)));
    let readings = point.readings.iter().map(|reading| {
        let amount = reading.kind.amount(reading.value);
        [reading.kind.label(), reading.statistic.name(), &amount.to_string()].map(str::to_owned)
    });
    let nothing = point.readings.is_empty() && point.spent.is_empty();
    Report {
        contents: if nothing { Contents::Commands } else { Contents::Measurement },
        summary: format!("Read as {name}{used}"),
        name: said.collect::<Vec<_>>().join(", "),
        measured: readings.chain(spent(point)).collect(),
        says: point.facts.iter().map(|fact| fact.shown(scenario)).collect(),
        silent: point.silent().into_iter().map(|path| named(path, scenario)).collect(),
        remarks,
    }
}
