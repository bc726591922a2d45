//! Draws a figure of a link's answer, for documents that are no web pages: PDFs, slides, README files.
//!
//! `cargo run --release --example draw -- 'v=1&model=llama-3.1-8b&gpus=64' step-breakdown > step.svg`
//!
//! The link is a whole address or what follows its `#`. `docs/embed.md` lists the figures of each view; without a name
//! the first figure is drawn. `--csv` writes the data of the figure or table instead, `--json` the whole answer.

mod beside;

use std::io::{self, Write};

use foretoken::scenario::Problem;
use foretoken::view::json::Answers;
use foretoken::view::{Answer, Part};

/// What is written.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Svg,
    Csv,
    Json,
}

fn main() -> io::Result<()> {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let kind = match flags.first().map(String::as_str) {
        None | Some("--svg") => Kind::Svg,
        Some("--csv") => Kind::Csv,
        Some("--json") => Kind::Json,
        Some(other) => return Err(io::Error::other(format!("{other}: use --svg, --csv or --json"))),
    };
    let Some(link) = words.first() else {
        return Err(io::Error::other("usage: draw LINK [FIGURE] [--svg | --csv | --json]"));
    };
    let link = link.split_once('#').map_or(link.as_str(), |(_, link)| link);
    let mut answers = Answers::reading(beside::read);
    let text = if kind == Kind::Json {
        answers.of_link(link).map(|answer| format!("{answer:#}"))
    } else {
        answers.answer(link).and_then(|answer| part(&answer, words.get(1).map(String::as_str), kind))
    };
    let text = text.map_err(|problems| {
        io::Error::other(problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))
    })?;
    writeln!(io::stdout().lock(), "{text}")
}

/// The part of this name, or the first figure, as a file.
fn part(answer: &Answer, name: Option<&str>, kind: Kind) -> Result<String, Vec<Problem>> {
    let found = match name {
        Some(name) => answer.part(name),
        None => answer.parts.iter().find(|part| matches!(part, Part::Figure(_))),
    };
    let missing = || {
        let names: Vec<&str> =
            answer.parts.iter().filter(|part| part.table().is_some()).map(Part::id).collect();
        vec![Problem::new("figure", format!("the answer has {}", names.join(", ")))]
    };
    match (found, kind) {
        (Some(Part::Figure(figure)), Kind::Svg) => Ok(figure.standalone_svg()),
        (Some(part), Kind::Csv) => part.table().map(foretoken::figure::Table::to_csv).ok_or_else(missing),
        _ => Err(missing()),
    }
}
