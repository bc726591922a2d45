//! Answers scenarios: JSON documents or links of the page in, one JSON object per line out.
//!
//! `cargo run --release --example predict -- [--estimate | --timeline] [--profile FILE] < scenarios.jsonl > answers.jsonl`
//!
//! Documents may take several lines, as the page saves them. Which answer is given follows from the scenario's `view`. Its
//! estimate stands under the view's name, and under `answer` what the page shows: cards with their ranges, the tables
//! behind figures, tables and notices. An array of scenarios is compared. What cannot be answered gives
//! `{"error": ..., "problems": [...]}`, and the rest goes on.
//!
//! With `--estimate`, only the estimate is computed, which is many times as fast. With `--timeline`, each answer is the
//! training step's timeline as a Chrome trace, for Perfetto. With `--profile`, scenarios without a `profile` of their own
//! take that of the file, which the example `calibrate` fits to measured rows.

mod beside;
mod documents;

use std::fs;
use std::io::{self, Write};

use foretoken::scenario::{self, Profile};
use foretoken::view::json::Answers;

use documents::documents;

fn main() -> io::Result<()> {
    let (mut estimate, mut timeline, mut profile) = (false, false, Profile::default());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let usage =
            || io::Error::other("usage: predict [--estimate | --timeline] [--profile FILE] < SCENARIOS");
        match argument.as_str() {
            "--estimate" => estimate = true,
            "--timeline" => timeline = true,
            "--profile" => profile = read_profile(&arguments.next().ok_or_else(usage)?)?,
            _ => return Err(usage()),
        }
    }
    let mut answers = Answers::reading(beside::read).under(profile);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for text in documents(io::stdin().lock()) {
        let text = text?;
        if !text.trim().is_empty() {
            let answer = match (estimate, timeline) {
                (_, true) => answers.timeline(&text),
                (true, false) => answers.estimate(&text),
                (false, false) => answers.json(&text),
            };
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()
}

/// The profile of a file.
fn read_profile(file: &str) -> io::Result<Profile> {
    let text = fs::read_to_string(file).map_err(|error| io::Error::other(format!("{file}: {error}")))?;
    scenario::read_profile(&text).map_err(|problems| {
        let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
        io::Error::other(format!("{file}: {}", sentences.join("; ")))
    })
}
