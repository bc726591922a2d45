//! Predicts published measurements and prints the errors.
//!
//! `cargo run --release --example validate -- [--json OUT] [--page OUT] [--bands OUT] [--spreads OUT] [--loads OUT]
//! [--abroad OUT] [--unmeasured OUT] [--makers OUT] [--docs DIR] FILE...`
//!
//! Reads files in the formats of the collections of measurements, told apart by what they say, and prints
//! errors by source, device, model family and precision. `--json` writes one JSON object per row and quantity.
//! The other outputs are the project's own: the rows of the page's Validation view, the table behind the
//! uncertainty of every estimate, and the accuracy tables in `docs/accuracy.md` below a folder.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use foretoken_tools::accuracy::predictions::Predictions;
use foretoken_tools::accuracy::{
    bands, left_out, new_devices, page, percentiles, report, tables, unmeasured,
};
use foretoken_tools::published::Collection;

/// Command-line options: input files and outputs.
#[derive(Default)]
struct Options {
    files: Vec<String>,
    json: Option<String>,
    page: Option<String>,
    bands: Option<String>,
    spreads: Option<String>,
    loads: Option<String>,
    abroad: Option<String>,
    unmeasured: Option<String>,
    makers: Option<String>,
    docs: Option<String>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!(
            "usage: validate [--json OUT] [--page OUT] [--bands OUT] [--spreads OUT] [--loads OUT] [--abroad OUT] [--unmeasured OUT] [--makers OUT] [--docs DIR] FILE..."
        );
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Option<Options> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let slot = match argument.as_str() {
            "--json" => &mut options.json,
            "--page" => &mut options.page,
            "--bands" => &mut options.bands,
            "--spreads" => &mut options.spreads,
            "--loads" => &mut options.loads,
            "--abroad" => &mut options.abroad,
            "--unmeasured" => &mut options.unmeasured,
            "--makers" => &mut options.makers,
            "--docs" => &mut options.docs,
            flag if flag.starts_with("--") => return None,
            file => {
                options.files.push(file.to_owned());
                continue;
            }
        };
        *slot = Some(arguments.next()?);
    }
    (!options.files.is_empty()).then_some(options)
}

fn run(options: &Options) -> Result<(), String> {
    let read = |file: &String| fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
    let texts = options.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let percentiles: Vec<_> = texts.iter().flat_map(|text| percentiles::percentiles(text)).collect();
    let Collection { cases, peers, unread } = Collection::of(texts.iter().map(String::as_str));
    // A file that cannot be read is reported, and the others are processed.
    for (index, error) in unread {
        eprintln!("{}: {error}", options.files[index]);
    }
    if cases.is_empty() {
        return Err("no file had a row to predict".to_owned());
    }
    let predictions = Predictions::of(&cases);
    let save = |path: &str, text: String| fs::write(path, text).map_err(|error| format!("{path}: {error}"));
    if let Some(path) = &options.json {
        write(&predictions, path).map_err(|error| format!("{path}: {error}"))?;
    }
    if let Some(path) = &options.page {
        save(path, page::points(&predictions, &peers))?;
    }
    if let Some(path) = &options.bands {
        save(path, bands::table(&predictions))?;
    }
    if let Some(path) = &options.spreads {
        save(path, bands::spreads(&predictions))?;
    }
    if let Some(path) = &options.loads {
        save(path, bands::loads(&predictions))?;
    }
    if let Some(path) = &options.abroad {
        save(path, left_out::scores(&predictions))?;
    }
    if let Some(path) = &options.unmeasured {
        save(path, unmeasured::table(&predictions))?;
    }
    if let Some(path) = &options.makers {
        save(path, bands::makers(&predictions))?;
    }
    if let Some(folder) = &options.docs {
        let written = [
            ("docs/accuracy.md", "accuracy", tables::all(&cases, &predictions, &peers)),
            ("docs/accuracy.md", "percentiles", percentiles::table(&percentiles)),
            ("docs/accuracy.md", "new-devices", new_devices::table(&predictions)),
            ("README.md", "abroad", left_out::headline(&predictions)),
        ];
        for (file, marker, body) in written {
            let path = Path::new(folder).join(file).display().to_string();
            let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
            let text = tables::replaced(&text, marker, &body)
                .ok_or_else(|| format!("{path}: no place for the table"))?;
            save(&path, text)?;
        }
    }
    report::print(&cases, &predictions, &peers).map_err(|error| error.to_string())
}

fn write(predictions: &Predictions<'_>, path: &str) -> io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(path)?);
    for outcome in predictions.outcomes() {
        serde_json::to_writer(&mut out, outcome)?;
        writeln!(out)?;
    }
    out.flush()
}
