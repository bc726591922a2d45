//! Writes the documentation as pages of the site, which the foot of the page links.
//!
//! ```sh
//! cargo run --package foretoken-manual -- docs dist/docs style/tokens.css style/manual.css
//! ```
//!
//! Each `NAME.md` below the first folder becomes `NAME.html` below the second, each `README.md` an `index.html`; the style
//! sheets become one, beside them. Links between the documents lead to the pages. The source code is no part of the site,
//! so links into it become text.

mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use page::Page;

/// Documents for those who change the program.
const INTERNAL: [&str; 1] = ["architecture.md"];

const USAGE: &str = "usage: foretoken-manual DOCUMENTS FOLDER STYLE...";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("foretoken-manual: {fault:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<()> {
    let [documents, folder, styles @ ..] = words else { bail!("{USAGE}") };
    let (documents, folder) = (Path::new(documents), Path::new(folder));
    let mut pages = Vec::new();
    for path in markdown(documents)? {
        let text = fs::read_to_string(documents.join(&path)).with_context(|| path.display().to_string())?;
        pages.push(Page::read(&path, &text));
    }
    for page in &pages {
        let to = folder.join(&page.path);
        let parent = to.parent().context("a page is in a folder")?;
        fs::create_dir_all(parent)?;
        fs::write(&to, page.to_html(&pages)).with_context(|| to.display().to_string())?;
    }
    let style: String = styles
        .iter()
        .map(|style| fs::read_to_string(style).with_context(|| style.clone()))
        .collect::<Result<_>>()?;
    fs::write(folder.join(page::STYLE), style)?;
    Ok(())
}

/// The documents below a folder, sorted, with paths relative to it.
fn markdown(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md")
                && !INTERNAL.iter().any(|name| path == Path::new(name))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
