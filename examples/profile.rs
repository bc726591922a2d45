//! Fits a calibration profile: measured rows in, the profile out.
//!
//! `cargo run --release --example profile -- [--name NAME] < rows.jsonl > profile.json`
//!
//! Each line is a scenario document whose `measured` group says what was measured (`step_s`, `tokens_per_gpu`, `mfu`, `ttft_ms`,
//! `tpot_ms`, `latency_ms`, `output`; docs/link.md has their units). What comes out is a document with the group `profile` alone,
//! which the page opens, `predict --profile` takes and any scenario document can hold. What each row did is said on the standard
//! error stream.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use foretoken::calibration::{Row, fit, rows_of};
use foretoken::scenario::Scenario;
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

fn run() -> Result<String, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = match arguments.as_slice() {
        [] => "",
        [flag, name] if flag == "--name" => name,
        _ => return Err("usage: profile [--name NAME] < ROWS".to_owned()),
    };
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let mut rows: Vec<Row> = Vec::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line_name = format!("line {}", place + 1);
        let scenario = Scenario::from_json(line).map_err(|problems| {
            let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
            format!("{line_name}: {}", sentences.join("; "))
        })?;
        let found = rows_of(&scenario, &line_name);
        if found.is_empty() {
            eprintln!("{line_name}: nothing measured that its view predicts");
        }
        rows.extend(found);
    }
    let found = fit(&rows).map_err(|error| error.to_string())?;
    for part in tables(&rows, &found) {
        eprintln!("{}\n{}", part.finding, part.table.to_csv());
    }
    let document = serde_json::json!({ "profile": found.profile(name) });
    serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
}
