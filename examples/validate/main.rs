//! Predicts published measurements and says how far off the predictions are.
//!
//! `cargo run --release --example validate -- [--json OUT] FILE...`
//!
//! Reads files in the formats of the collections of measurements, told apart by what they say, and prints
//! errors by source. `--json` writes one JSON object per row and quantity.

mod report;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use foretoken::validation::Case;
use foretoken::validation::published::{self, Document};

fn main() -> ExitCode {
    let mut files = Vec::new();
    let mut json = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => match arguments.next() {
                Some(path) => json = Some(path),
                None => return usage(),
            },
            flag if flag.starts_with("--") => return usage(),
            file => files.push(file.to_owned()),
        }
    }
    if files.is_empty() {
        return usage();
    }
    match run(&files, json.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: validate [--json OUT] FILE...");
    ExitCode::from(2)
}

fn run(files: &[String], json: Option<&str>) -> Result<(), String> {
    let (mut cases, mut peers) = (Vec::new(), Vec::new());
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        match published::read(&text).map_err(|error| format!("{file}: {error}"))? {
            Document::Cases(more) => cases.extend(more),
            Document::Peers(more) => peers.extend(more),
        }
    }
    if let Some(path) = json {
        write(&cases, path).map_err(|error| format!("{path}: {error}"))?;
    }
    report::print(&cases, &peers).map_err(|error| error.to_string())
}

fn write(cases: &[Case], path: &str) -> io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(path)?);
    for outcome in cases.iter().flat_map(Case::outcomes) {
        serde_json::to_writer(&mut out, &outcome)?;
        writeln!(out)?;
    }
    out.flush()
}
