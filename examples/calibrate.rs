//! Fits a calibration profile: measured rows in, the profile out.
//!
//! `cargo run --release --example calibrate -- [--name NAME] [--on LINK] [FILE…] < rows.jsonl > profile.json`
//!
//! A file is what the page opens as a measurement: a benchmark's result, a training log, or rows that the page saved. Settings that
//! a file does not give are those of the question `--on`, a scenario link; without it such a file is refused, and the settings are
//! named. Without files, rows are read from the standard input: each line is a scenario document whose `measured` group says what
//! was measured (`step_s`, `tokens_per_gpu`, `mfu`, `ttft_ms`, `tpot_ms`, `latency_ms`, `output`; docs/link.md has their units).
//!
//! The output is a document with the group `profile` alone, which the page opens, `predict --profile` takes and any scenario
//! document can hold. The effect of each row is printed to the standard error stream.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use foretoken::calibration::{Row, fit, rows_of};
use foretoken::measured::{Opened, Point, open};
use foretoken::scenario::{Problem, Scenario, link, read_rows};
use foretoken::view::calibration::tables;

fn main() -> ExitCode {
    match run() {
        Ok(profile) => match writeln!(io::stdout(), "{profile}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The command line.
#[derive(Default)]
struct Arguments {
    name: String,
    on: Option<String>,
    files: Vec<String>,
}

impl Arguments {
    fn of(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let usage = || "usage: calibrate [--name NAME] [--on LINK] [FILE…] < ROWS".to_owned();
        let mut found = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--name" => found.name = words.next().ok_or_else(usage)?,
                "--on" => found.on = Some(words.next().ok_or_else(usage)?),
                flag if flag.starts_with("--") => return Err(usage()),
                _ => found.files.push(word),
            }
        }
        Ok(found)
    }
}

fn run() -> Result<String, String> {
    let arguments = Arguments::of(std::env::args().skip(1))?;
    let mut rows: Vec<Row> = Vec::new();
    if arguments.files.is_empty() {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
        collect(&mut rows, "line", &read_rows(&text).map_err(|found| sentences(&found))?);
    }
    for file in &arguments.files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        collect(&mut rows, file, &questions(file, &text, arguments.on.as_deref())?);
    }
    let found = fit(&rows).map_err(|error| error.to_string())?;
    for part in tables(&rows, &found) {
        eprintln!("{}\n{}", part.finding, part.table.to_csv());
    }
    let document = serde_json::json!({ "profile": found.profile(&arguments.name) });
    serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
}

/// Adds the measured values of questions to the rows.
fn collect(rows: &mut Vec<Row>, source: &str, questions: &[Scenario]) {
    for (place, question) in questions.iter().enumerate() {
        let name = format!("{source} {}", place + 1);
        let found = rows_of(question, &name);
        if found.is_empty() {
            eprintln!("{name}: nothing measured that its view predicts");
        }
        rows.extend(found);
    }
}

/// The measured questions of a file.
fn questions(file: &str, text: &str, on: Option<&str>) -> Result<Vec<Scenario>, String> {
    let current = on.map_or_else(Scenario::default, |on| link::decode(on).scenario);
    let opened = open(&current, text).map_err(|found| format!("{file}: {}", sentences(&found)))?;
    match opened {
        Opened::Question(question) => Ok(vec![*question]),
        Opened::Rows(questions) => Ok(questions),
        Opened::Points(points) => points.into_iter().map(|point| settled(file, point, on)).collect(),
    }
}

/// The question of a point whose settings are all known.
fn settled(file: &str, point: Point, on: Option<&str>) -> Result<Scenario, String> {
    if let (Some(open), None) = (&point.open, on) {
        let missing = open.missing().join(", ");
        return Err(format!("{file} does not give {missing}: add a question by --on LINK"));
    }
    for remark in &point.report.remarks {
        eprintln!("{file}: {remark}");
    }
    Ok(point.scenario)
}

fn sentences(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
