//! What a file that somebody opens becomes: a question, or points of a measurement each of which is one.

use super::{Fault, Format, Given, Kind, MAX_BYTES, Measurement, read};
use crate::scenario::fields;
use crate::scenario::{Measured, Problem, Scenario, View, import, link};
use crate::units::Amount;

/// What a file became.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// A scenario, a checkpoint's `config.json` or a link.
    Question(Box<Scenario>),
    /// Points of a benchmark or a run of a log, in the order of the file: at least one.
    Points(Vec<Point>),
}

/// A point and what is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The question that it asks, with the measured numbers beside it.
    pub scenario: Scenario,
    /// What was read.
    pub report: Report,
}

/// What was read of a point, for whoever opened it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What it was read as and how much of it counts, in one sentence.
    pub summary: String,
    /// What tells the point from others of the file, e.g. `concurrency 64`.
    pub name: String,
    /// What was measured: name, statistic, value.
    pub measured: Vec<[String; 3]>,
    /// What it says of the scenario: name and value.
    pub says: Vec<[String; 2]>,
    /// What it does not say: name, and the value that was kept.
    pub silent: Vec<[String; 2]>,
    /// Rows that do not count, and other cautions, in sentences.
    pub remarks: Vec<String>,
}

/// Opens a text on top of the current question.
pub fn open(current: &Scenario, text: &str) -> Result<Opened, Vec<Problem>> {
    match read(text) {
        Ok(points) => Ok(Opened::Points(points.iter().map(|point| told(current, point)).collect())),
        Err(Fault::Unknown) => match import(current, text) {
            Ok(scenario) => Ok(Opened::Question(Box::new(scenario))),
            Err(problems) => Err(problems),
        },
        Err(fault) => Err(vec![Problem::new("file", fault.to_string())]),
    }
}

/// Why a file of so many bytes is not read; its text need not be there.
pub fn refused(bytes: f64) -> Option<Problem> {
    let long = bytes > MAX_BYTES as f64;
    long.then(|| Problem::new("file", Fault::TooLong { bytes: bytes as u64 }.to_string()))
}

/// A point as a question.
fn told(current: &Scenario, point: &Measurement) -> Point {
    let scenario = point.applied_to(current);
    let measured = beside(point, &scenario);
    let scenario = Scenario { measured, ..scenario };
    // Links have limits that files lack, and the page keeps its question as a link.
    let scenario = link::decode(&link::encode(&scenario)).scenario;
    let report = report(point, &scenario);
    Point { scenario, report }
}

/// The measured numbers that stand beside the prediction. What depends on numbers that the file does not say is left out.
fn beside(point: &Measurement, scenario: &Scenario) -> Measured {
    let best = |kind: Kind| point.best(kind).map(|reading| reading.value);
    let millis = |kind: Kind| best(kind).map(|time| time * 1e3);
    let from = point.format.name().to_owned();
    if point.format.view() == View::Training {
        let all = point.number_of("system.gpus").zip(best(Kind::Tokens)).map(|(gpus, tokens)| tokens / gpus);
        return Measured {
            from,
            step_s: best(Kind::Step),
            tokens_per_gpu: best(Kind::TokensPerGpu).or(all),
            mfu: best(Kind::Mfu),
            peak_tflops: point.number_of("measured.peak"),
            ..Measured::default()
        };
    }
    let gpus = point.fact_of("inference.tensor").map(|_| f64::from(scenario.inference.gpus()));
    let per_gpu = gpus.zip(best(Kind::OutputPerGpu)).map(|(gpus, tokens)| gpus * tokens);
    let lengths = point.number_of("inference.input").zip(point.number_of("inference.output"));
    let share = best(Kind::Total).zip(lengths).map(|(all, (input, output))| all * output / (input + output));
    // Offline, all samples wait from the beginning: their latency says when each was done.
    let offline = point.format == Format::Mlperf && point.fact_of("inference.rate").is_none();
    Measured {
        from,
        ttft_ms: millis(Kind::Ttft),
        tpot_ms: millis(Kind::Tpot),
        latency_ms: millis(Kind::Latency).filter(|_| !offline),
        output: best(Kind::Output).or(per_gpu).or(share),
        ..Measured::default()
    }
}

/// The name of a field and its value in a scenario, as the form shows them.
fn named(path: &str, scenario: &Scenario) -> [String; 2] {
    let Some(field) = fields::field(path) else { return [path.to_owned(), String::new()] };
    [field.name(), field.shown(scenario)]
}

fn report(point: &Measurement, scenario: &Scenario) -> Report {
    let name = point.format.name();
    let rows = match point.format.view() {
        View::Training => "step",
        _ => "request",
    };
    let used = match (point.used, point.format) {
        (_, Format::LlamaBench) => String::new(),
        (1, _) => format!(": one {rows} counts"),
        (used, _) => format!(": {} {rows}s count", Amount::count(used)),
    };
    let mut remarks: Vec<String> = point
        .left_out
        .iter()
        .map(|left| format!("Left out: {} {}", Amount::count(left.rows), left.why))
        .collect();
    remarks.extend(point.remarks.iter().cloned());
    let load = [
        ("concurrency", "inference.concurrency"),
        ("rate", "inference.rate"),
        ("batch", "inference.batch"),
        ("in", "inference.input"),
        ("out", "inference.output"),
    ];
    let said = load.iter().filter_map(|(word, path)| Some(format!("{word} {}", point.number_of(path)?)));
    Report {
        summary: format!("Read as {name}{used}"),
        name: said.collect::<Vec<_>>().join(", "),
        measured: point
            .readings
            .iter()
            .map(|reading| {
                let amount = reading.kind.amount(reading.value);
                [reading.kind.label(), reading.statistic.name(), &amount.to_string()].map(str::to_owned)
            })
            .collect(),
        says: point.facts.iter().map(|fact| said_of(fact.path, &fact.value, scenario)).collect(),
        silent: point.silent().into_iter().map(|path| named(path, scenario)).collect(),
        remarks,
    }
}

/// A fact as it was understood, or that the model cannot have it.
fn said_of(path: &'static str, value: &Given, scenario: &Scenario) -> [String; 2] {
    let [name, kept] = named(path, scenario);
    let same = match (value, scenario.at(path)) {
        (Given::Number(number), Some(held)) => {
            held.as_number().is_some_and(|held| (held - number).abs() <= 1e-9 * number.abs())
        }
        (Given::Text(text), Some(held)) => held.as_text() == Some(text),
        (_, None) => true,
    };
    if same {
        return [name, kept];
    }
    let said = match value {
        Given::Number(number) => number.to_string(),
        Given::Text(text) => text.clone(),
    };
    [name, format!("{said}, which is out of range: {kept} is kept")]
}
