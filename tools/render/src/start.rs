//! The answer that the page shows before its program has started: the first answer of the default question.
//!
//! `start` writes the files of `public/start`, which `index.html` inlines. Their elements and classes are those of the page's
//! components, so that nothing moves when the page replaces them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use foretoken::figure::{Figure, Size};
use foretoken::markup::Element;
use foretoken::scenario::View;
use foretoken::scenario::goal::Goal;
use foretoken::view::json::Answers;
use foretoken::view::{Answer, Card, Part, contents, unbroken};

use crate::{beside, draw};

/// The sizes of drawings, of which `style/start.css` shows the one that the page would draw.
const SIZES: [(Size, &str); 3] = [(Size::Wide, "wide"), (Size::Medium, "medium"), (Size::Narrow, "narrow")];

/// Writes the files.
pub(crate) fn run() -> Result<()> {
    for (file, text) in files()? {
        fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// The files and their text.
fn files() -> Result<[(PathBuf, String); 4]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/start");
    let answers = SIZES.map(|(size, name)| answer(size).map(|answer| (answer, name)));
    let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
    let (first, _) = answers.first().context("a size")?;
    let figures = answers.iter().map(|(answer, name)| Ok((draw::drawing(answer, None)?, *name)));
    let figures = figures.collect::<Result<Vec<_>>>()?;
    let (figure, _) = figures.first().context("a figure")?;
    Ok([
        (folder.join("views.html"), list("", View::ALL.map(View::name))),
        (folder.join("presets.html"), goals() + &examples()),
        (folder.join("headline.html"), headline(first)),
        (folder.join("answers.html"), sections(first) + &drawn(figure, &figures)),
    ])
}

/// The answer to the default question, with drawings of a size.
fn answer(size: Size) -> Result<Answer> {
    Answers::reading(beside::read).drawn(size).answer("").map_err(|problems| draw::refused(&problems))
}

/// The goals of visitors.
fn goals() -> String {
    list("goals", Goal::ALL.map(Goal::name))
}

/// The examples of the goal whose question the page opens with.
fn examples() -> String {
    list("examples", Goal::Train.examples().map(|preset| preset.name))
}

/// A list of links that lead nowhere yet.
fn list(class: &str, names: impl IntoIterator<Item = &'static str>) -> String {
    element(|html| {
        let mut list = Element::new(html, "ul");
        if !class.is_empty() {
            list.attribute("class", class);
        }
        for name in names {
            list.child("li").child("a").text(name);
        }
    })
}

/// The answer in a sentence, and its numbers.
fn headline(answer: &Answer) -> String {
    element(|html| Element::new(html, "p").attribute("class", "lead").text(&unbroken(&answer.lead)))
        + &element(|html| {
            Element::new(html, "p").attribute("id", "starting").attribute("role", "status").text("Starting");
        })
        + &element(|html| {
            Element::new(html, "div").attribute("class", "offers").attribute("data-place", "").with_end_tag();
        })
        + &element(|html| {
            let mut list = Element::new(html, "dl");
            for number in &answer.cards {
                card(&mut list, number);
            }
        })
}

fn card(list: &mut Element, card: &Card) {
    let mut group = list.child("div");
    group.attribute("class", "number-card");
    group.child("dt").text(&card.label);
    group.child("dd").attribute("data-answer", &*card.id).text(&unbroken(&card.shown()));
    if let Some(range) = &card.range {
        group.child("dd").attribute("class", "range").child("a").text(&unbroken(&range.to_string()));
    }
    group.child("dd").attribute("class", "note").text(&unbroken(&card.note));
}

/// The list of sections, of which the first one is open.
fn sections(answer: &Answer) -> String {
    element(|html| {
        let mut nav = Element::new(html, "nav");
        nav.attribute("class", "contents").attribute("aria-hidden", "true");
        let mut list = nav.child("ul");
        let names = contents(View::Training, &answer.parts.iter().map(Part::id), false);
        for (index, (_, name)) in names.into_iter().enumerate() {
            let mut item = list.child("li");
            let mut link = item.child("a");
            if index == 0 {
                link.attribute("aria-current", "true");
            }
            link.text(name);
        }
    })
}

/// A figure that is drawn in several sizes, in front of the outline of the part below it.
fn drawn(figure: &Figure, drawings: &[(&Figure, &str)]) -> String {
    element(|html| {
        let mut section = Element::new(html, "section");
        section.attribute("class", "figures");
        let mut frame = section.child("figure");
        frame.attribute("data-figure", &*figure.id);
        {
            let mut caption = frame.child("figcaption");
            caption.child("h3").text(&figure.title);
            caption.child("p").attribute("class", "finding").text(&figure.finding);
        }
        {
            let mut place = frame.child("div");
            place.attribute("class", "drawing-place");
            for (drawing, size) in drawings {
                place
                    .child("div")
                    .attribute("class", "drawing")
                    .attribute("data-size", *size)
                    .markup(&drawing.svg);
            }
        }
        {
            let mut assumptions = frame.child("div");
            assumptions.attribute("class", "assumptions");
            assumptions.child("h4").text("Assumptions");
            let mut list = assumptions.child("ul");
            for line in &figure.assumptions {
                list.child("li").text(line);
            }
        }
        drop(frame);
        section.child("div").with_end_tag();
    })
}

/// An element on lines of its own.
fn element(write: impl FnOnce(&mut String)) -> String {
    let mut html = String::new();
    write(&mut html);
    html.push('\n');
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_starts_with_the_first_answer() {
        for (file, text) in files().expect("an answer") {
            let kept = fs::read_to_string(&file).expect("a file");
            assert!(kept == text, "{} is another answer: run `make start`", file.display());
        }
    }
}
