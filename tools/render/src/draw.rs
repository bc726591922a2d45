//! One figure of a link's answer as a file.

use std::io::{self, Write as _};

use anyhow::{Result, anyhow, bail};
use foretoken::figure::{Figure, Table};
use foretoken::scenario::{Problem, link};
use foretoken::view::json::Answers;
use foretoken::view::{Answer, Part};

use crate::{beside, png};

/// Writes a figure to standard output. The link is a whole address or what follows its `#`; without the name of a figure
/// the first one is drawn.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (flags, words): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with("--"));
    let (link, figure) = match words[..] {
        [link] => (link, None),
        [link, figure] => (link, Some(figure)),
        _ => bail!("draw takes a link and the name of a figure"),
    };
    let bytes = match flags[..] {
        [] | ["--svg"] => drawing(&answer(link)?, figure)?.standalone_svg().into_bytes(),
        ["--png"] => png::of(&drawing(&answer(link)?, figure)?.standalone_svg(), png::SCALE)?,
        ["--csv"] => table(&answer(link)?, figure)?.to_csv().into_bytes(),
        ["--json"] => {
            let mut answers = Answers::reading(beside::read);
            format!("{:#}", answers.of_link(fragment(link)).map_err(|problems| refused(&problems))?).into()
        }
        _ => bail!("draw writes --svg, --png, --csv or --json, one of them"),
    };
    Ok(io::stdout().lock().write_all(&bytes)?)
}

/// The answer to the question of a link.
pub(crate) fn answer(link: &str) -> Result<Answer> {
    for notice in link::decode_all(fragment(link)).into_iter().flat_map(|decoded| decoded.notices) {
        eprintln!("foretoken-render: {notice}");
    }
    Answers::reading(beside::read).answer(fragment(link)).map_err(|problems| refused(&problems))
}

/// The fragment of an address, or the whole text if it has no `#`.
pub(crate) fn fragment(link: &str) -> &str {
    link.split_once('#').map_or(link, |(_, fragment)| fragment)
}

/// The figure of this name, or the first one.
pub(crate) fn drawing<'a>(answer: &'a Answer, name: Option<&str>) -> Result<&'a Figure> {
    let figures = || {
        answer.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            _ => None,
        })
    };
    let found = figures().find(|figure| name.is_none_or(|name| figure.id == name));
    found.ok_or_else(|| missing(name, figures().map(|figure| &*figure.id)))
}

/// The data of the figure or table of this name, or of the first figure.
fn table<'a>(answer: &'a Answer, name: Option<&str>) -> Result<&'a Table> {
    let Some(name) = name else { return Ok(&drawing(answer, None)?.table) };
    let found = answer.part(name).and_then(Part::table);
    let known = answer.parts.iter().filter(|part| part.table().is_some()).map(Part::id);
    found.ok_or_else(|| missing(Some(name), known))
}

fn missing<'a>(name: Option<&str>, known: impl Iterator<Item = &'a str>) -> anyhow::Error {
    let known = known.collect::<Vec<_>>().join(", ");
    anyhow!("the answer has no {}; it has {known}", name.unwrap_or("figure"))
}

/// Problems of a question, in a sentence.
pub(crate) fn refused(problems: &[Problem]) -> anyhow::Error {
    anyhow!("{}", problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))
}
