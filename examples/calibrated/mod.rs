//! Measured rows to a calibration profile, as the example `calibrate` does.

use std::io::Read;

use foretoken::calibration::{Row, fit, rows_of};
use foretoken::measured::{Opened, Point, open};
use foretoken::scenario::{Problem, Scenario, link, read_rows};
use foretoken::view::calibration::tables;

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

/// What the command writes.
pub(crate) struct Calibrated {
    /// The document with the profile, for the standard output.
    pub(crate) profile: String,
    /// The effect of each row and cautions, for the standard error stream.
    pub(crate) effects: String,
}

/// Fits a profile to the rows of the files that the arguments name, or of `input` if they name none.
pub(crate) fn calibrated(
    arguments: impl Iterator<Item = String>,
    mut input: impl Read,
) -> Result<Calibrated, String> {
    let arguments = Arguments::of(arguments)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut effects = String::new();
    if arguments.files.is_empty() {
        let mut text = String::new();
        input.read_to_string(&mut text).map_err(|error| error.to_string())?;
        effects += &collect(&mut rows, "line", &read_rows(&text).map_err(|found| sentences(&found))?);
    }
    for file in &arguments.files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let (questions, remarks) = questions(file, &text, arguments.on.as_deref())?;
        effects += &remarks;
        effects += &collect(&mut rows, file, &questions);
    }
    let found = fit(&rows).map_err(|error| error.to_string())?;
    for part in tables(&rows, &found) {
        effects.extend([&part.finding, "\n", &part.table.to_csv(), "\n"]);
    }
    let document = serde_json::json!({ "profile": found.profile(&arguments.name) });
    let profile = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(Calibrated { profile, effects })
}

/// Adds the measured values of questions to the rows, and names questions without one.
fn collect(rows: &mut Vec<Row>, source: &str, questions: &[Scenario]) -> String {
    let mut effects = String::new();
    for (place, question) in questions.iter().enumerate() {
        let name = format!("{source} {}", place + 1);
        let found = rows_of(question, &name);
        if found.is_empty() {
            effects.extend([&name, ": nothing measured that its view predicts\n"]);
        }
        rows.extend(found);
    }
    effects
}

/// The measured questions of a file, and cautions.
fn questions(file: &str, text: &str, on: Option<&str>) -> Result<(Vec<Scenario>, String), String> {
    let current = on.map_or_else(Scenario::default, |on| link::decode(on).scenario);
    let opened = open(&current, text).map_err(|found| format!("{file}: {}", sentences(&found)))?;
    match opened {
        Opened::Question(question) => Ok((vec![*question], String::new())),
        Opened::Rows(questions) => Ok((questions, String::new())),
        Opened::Points(points) => {
            let remarks = points.iter().flat_map(|point| &point.report.remarks);
            let remarks = remarks.flat_map(|remark| [file, ": ", remark, "\n"]).collect();
            let settled = points.into_iter().map(|point| settled(file, point, on)).collect::<Result<_, _>>();
            Ok((settled?, remarks))
        }
    }
}

/// The question of a point whose settings are all known.
fn settled(file: &str, point: Point, on: Option<&str>) -> Result<Scenario, String> {
    if let (Some(open), None) = (&point.open, on) {
        let missing = open.missing().join(", ");
        return Err(format!("{file} does not give {missing}: add a question by --on LINK"));
    }
    Ok(point.scenario)
}

fn sentences(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
