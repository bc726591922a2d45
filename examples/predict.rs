//! Answers scenarios: one JSON document per line in, one JSON object per line out.
//!
//! `cargo run --release --example predict < scenarios.jsonl > estimates.jsonl`
//!
//! Which answer is given follows from the scenario's `view`. A line that cannot be answered gives
//! `{"error": ..., "problems": [...]}`, and the rest goes on.

use std::io::{self, BufRead, Write};

use foretoken::view::json::json;

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            writeln!(out, "{}", json(&text))?;
        }
    }
    out.flush()
}
