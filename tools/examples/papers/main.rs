//! Computes every result of the two papers and writes `docs/papers.md` and the texts of the page's lists.
//!
//! `cargo run --release --package foretoken-tools --example papers -- OUT`

use std::fs;
use std::process::ExitCode;

use foretoken_tools::papers;

fn main() -> ExitCode {
    let Some(out) = std::env::args().nth(1) else {
        eprintln!("usage: papers OUT");
        return ExitCode::from(2);
    };
    let written = papers::all().and_then(|results| {
        let known = foretoken_tools::root().join("src/papers/data/known.csv");
        fs::write(&known, papers::known(&results))
            .map_err(|problem| format!("{}: {problem}", known.display()))?;
        fs::write(&out, papers::document(&results)).map_err(|problem| format!("{out}: {problem}"))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
