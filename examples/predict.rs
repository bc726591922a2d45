//! Answers scenarios: one JSON document per line in, one JSON object per line out.
//!
//! `cargo run --release --example predict < scenarios.jsonl > answers.jsonl`
//!
//! Which answer is given follows from the scenario's `view`. Its estimate stands under the view's name, and under
//! `answer` what the page shows: cards with their ranges, the tables behind figures, tables and notices. A line with an
//! array of scenarios compares them. A line that cannot be answered gives `{"error": ..., "problems": [...]}`, and the
//! rest goes on.
//!
//! With `--estimate`, only the estimate is computed, which is many times as fast.

mod beside;

use std::io::{self, BufRead, Write};

use foretoken::view::json::{Answers, json};

fn main() -> io::Result<()> {
    let estimate = std::env::args().skip(1).any(|argument| argument == "--estimate");
    let mut answers = Answers::reading(beside::read);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            writeln!(out, "{}", if estimate { json(&text) } else { answers.json(&text) })?;
        }
    }
    out.flush()
}
