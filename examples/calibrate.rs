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

mod calibrated;

use std::io::{self, Write};
use std::process::ExitCode;

use calibrated::calibrated;

fn main() -> ExitCode {
    match calibrated(std::env::args().skip(1), io::stdin().lock()) {
        Ok(found) => {
            eprint!("{}", found.effects);
            match writeln!(io::stdout(), "{}", found.profile) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
