//! Answers scenarios: one JSON document per line in, one JSON object per line out.
//!
//! `cargo run --release --example predict < scenarios.jsonl > estimates.jsonl`
//!
//! Which answer is given follows from the scenario's `view`. A line that cannot be answered gives
//! `{"error": ..., "problems": [...]}`, and the rest goes on.

use std::io::{self, BufRead, Write};

use foretoken::scenario::{Problem, Scenario, View};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            writeln!(out, "{}", answer(&text))?;
        }
    }
    out.flush()
}

fn answer(line: &str) -> Value {
    let scenario = match Scenario::from_json(line) {
        Ok(scenario) => scenario,
        Err(problems) => return refusal(&problems),
    };
    let result = match scenario.view {
        View::Training => scenario.training().map(|estimate| json!({ "training": estimate })),
        View::Inference => scenario.inference().map(|estimate| json!({ "inference": estimate })),
        View::Generations => scenario.generations().map(|rows| json!({ "generations": rows })),
        View::Validation => {
            let message = "the Validation view has no estimate: ask for training, inference or generations";
            Err(vec![Problem::new("view", message)])
        }
    };
    result.unwrap_or_else(|problems| refusal(&problems))
}

fn refusal(problems: &[Problem]) -> Value {
    let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
    json!({ "error": sentences.join("; "), "problems": problems })
}
