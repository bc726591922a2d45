//! Says what a few measured rows of one's own are worth, and how wide the priors of their corrections are.
//!
//! `cargo run --release --package foretoken-tools --example profiles -- [--priors OUT] [--factors OUT] [--docs DIR] FILE...`
//!
//! Reads what `validate` reads. `--priors` writes the deviations behind `foretoken::calibration::Prior`, `--factors` the
//! corrections behind `foretoken::calibration::Sources`, `--docs` the table of `docs/accuracy.md` below a folder; without it the
//! table is printed.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use foretoken::calibration::Level;
use foretoken_tools::accuracy::{factors, priors, profiles, sources, tables};
use foretoken_tools::published::Collection;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut files, mut table, mut corrections, mut docs) = (Vec::new(), None, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--priors" => table = arguments.next(),
            "--factors" => corrections = arguments.next(),
            "--docs" => docs = arguments.next(),
            flag if flag.starts_with("--") => {
                return Err("usage: profiles [--priors OUT] [--factors OUT] [--docs DIR] FILE...".to_owned());
            }
            file => files.push(file.to_owned()),
        }
    }
    let read = |file: &String| fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
    let texts = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let Collection { cases, unread, .. } = Collection::of(texts.iter().map(String::as_str));
    for (index, error) in unread {
        eprintln!("{}: {error}", files[index]);
    }
    let sources = sources::collected(&cases);
    let systems: Vec<_> = sources.iter().flat_map(sources::SourceRows::by_system).collect();
    let [home, abroad] = [Level::Home, Level::Abroad].map(|level| priors::tangents(&systems, level));
    let save = |path: &str, text: String| fs::write(path, text).map_err(|error| format!("{path}: {error}"));
    if let Some(path) = table {
        save(&path, priors::table(&priors::prior(&home, ""), &priors::prior(&abroad, "")))?;
    }
    if let Some(path) = corrections {
        save(&path, factors::table(&sources, [Level::Home, Level::Abroad]))?;
    }
    let body = profiles::table(&systems, &home, &abroad);
    let Some(folder) = docs else {
        println!("{body}");
        return Ok(());
    };
    let path = Path::new(&folder).join("docs/accuracy.md").display().to_string();
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let text = tables::replaced(&text, "profiles", &body)
        .ok_or_else(|| format!("{path}: no place for the table"))?;
    save(&path, text)
}
