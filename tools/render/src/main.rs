//! Draws figures of Foretoken without a browser: files for papers, slides and README files, chapters of an mdBook, the
//! pages that a site has for robots, and the answer in the page itself before its program starts.
//!
//! ```sh
//! cargo run --release --package foretoken-render -- draw 'v=1&model=llama-3.1-8b&gpus=64' step-breakdown --png > step.png
//! ```
//!
//! `docs/embed.md` describes the commands.

#[path = "../../../examples/beside/mod.rs"]
mod beside;
mod block;
mod draw;
mod mdbook;
mod png;
mod site;
mod start;
mod value;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: foretoken-render draw LINK [FIGURE] [--svg | --png | --csv | --json]
       foretoken-render mdbook [supports RENDERER]
       foretoken-render site FOLDER ADDRESS
       foretoken-render start";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("foretoken-render: {fault:#}");
            ExitCode::FAILURE
        }
    }
}

/// An address with one slash at its end.
fn with_slash(address: &str) -> String {
    format!("{}/", address.trim_end_matches('/'))
}

fn run(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["draw", rest @ ..] => draw::run(rest)?,
        // mdBook asks whether a renderer is supported; exit status 0 means yes.
        ["mdbook", "supports", ..] => {}
        ["mdbook"] => mdbook::run()?,
        ["site", folder, address] => site::run(folder.as_ref(), address)?,
        ["start"] => start::run()?,
        _ => bail!("{USAGE}"),
    }
    Ok(ExitCode::SUCCESS)
}
