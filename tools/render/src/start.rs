//! The answer that the page shows before its program has started: the first answer of the default question.
//!
//! `start` writes `public/start/headline.html` and `public/start/answers.html`, which `index.html` inlines. Their elements
//! and classes are those of the page's components, so that nothing moves when the page replaces them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use foretoken::figure::{Figure, Size};
use foretoken::scenario::View;
use foretoken::service::{Ask, Request, Said, Service, Step};
use foretoken::view::{ALL, Answer, Card, News, sections};

use crate::block::escaped;

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
fn files() -> Result<[(PathBuf, String); 2]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/start");
    let answers = SIZES.map(|(size, name)| answer(size).map(|answer| (answer, name)));
    let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
    let (first, _) = answers.first().context("a size")?;
    let figures = answers.iter().map(|(answer, name)| Ok((figure(answer)?, *name)));
    Ok([
        (folder.join("headline.html"), headline(first)),
        (folder.join("answers.html"), contents(first) + &drawn(&figures.collect::<Result<Vec<_>>>()?)?),
    ])
}

/// The whole answer of the default question, by the steps of the page, with drawings of a size.
fn answer(size: Size) -> Result<Answer> {
    let mut service = Service::default();
    service.ask(Request { id: 1, ask: Ask::Answer { link: String::new(), size } });
    let mut known = Answer::default();
    loop {
        let Step::Tell(reply) = service.step() else { bail!("the first question needs another file") };
        let (news, complete) = match reply.said {
            Said::Progress { .. } => continue,
            Said::Partial { news, .. } => (news, false),
            Said::Answer(news) => (news, true),
            Said::Refused(problems) => return Err(crate::draw::refused(&problems)),
            Said::Fault { message } => bail!(message),
        };
        match news {
            News::Whole(answer) => known = answer,
            News::More(parts) => known.parts.extend(parts),
            News::Offers(_) => {}
        }
        if complete {
            return Ok(known);
        }
    }
}

fn figure(answer: &Answer) -> Result<&Figure> {
    crate::draw::drawing(answer, None)
}

fn headline(answer: &Answer) -> String {
    let cards: String = answer.cards.iter().map(card).collect();
    format!(
        "<p class=\"lead\">{}</p>\n<p id=\"starting\" role=\"status\">Starting</p>\n<div class=\"offers\" data-place></div>\n<dl>\n{cards}</dl>\n",
        escaped(&answer.lead)
    )
}

fn card(card: &Card) -> String {
    let range = card.range.as_ref().map(|range| {
        let range = format!("{} to {}", range.low, range.high);
        format!("<dd class=\"range\"><a>{}</a></dd>", escaped(&range))
    });
    format!(
        "<div class=\"number-card\"><dt>{}</dt><dd data-answer=\"{}\">{}</dd>{}<dd class=\"note\">{}</dd></div>\n",
        escaped(&card.label),
        escaped(&card.id),
        escaped(&card.shown()),
        range.unwrap_or_default(),
        escaped(&card.note),
    )
}

/// The list of sections, of which the first one is open.
fn contents(answer: &Answer) -> String {
    let there = |parts: &[&str]| answer.parts.iter().any(|part| parts.contains(&part.id()));
    let named = sections(View::Training).iter().filter(|section| there(section.parts));
    let names = named.map(|section| (section.id, section.name)).chain([(ALL, "All")]);
    let items = names.enumerate().map(|(index, (_, name))| {
        let open = if index == 0 { " aria-current=\"true\"" } else { "" };
        format!("<li><a{open}>{}</a></li>", escaped(name))
    });
    format!("<nav class=\"contents\" aria-hidden=\"true\"><ul>{}</ul></nav>\n", items.collect::<String>())
}

/// A figure that is drawn in several sizes, in front of the outline of the part below it.
fn drawn(figures: &[(&Figure, &str)]) -> Result<String> {
    let (Figure { id, title, finding, assumptions, .. }, _) = figures.first().context("a figure")?;
    let drawings: Vec<String> = figures
        .iter()
        .map(|(figure, size)| format!("<div class=\"drawing\" data-size=\"{size}\">{}</div>\n", figure.svg))
        .collect();
    let assumptions: Vec<String> =
        assumptions.iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
    let (title, finding) = (escaped(title), escaped(finding));
    Ok(format!(
        "<section class=\"figures\">\n<figure data-figure=\"{id}\">
<figcaption><h3>{title}</h3><p class=\"finding\">{finding}</p></figcaption>
<div class=\"drawing-place\">\n{}</div>
<div class=\"assumptions\"><h4>Assumptions</h4><ul>{}</ul></div>
</figure>\n<div></div>\n</section>\n",
        drawings.concat(),
        assumptions.concat()
    ))
}

#[cfg(test)]
mod tests {
    use foretoken::view::Part;

    use super::*;

    #[test]
    fn the_page_starts_with_the_first_answer() {
        for (file, text) in files().expect("an answer") {
            let kept = fs::read_to_string(&file).expect("a file");
            assert!(kept == text, "{} is another answer: run `make start`", file.display());
        }
    }

    #[test]
    fn the_answer_is_that_of_every_other_way_to_ask() {
        let (ours, theirs) =
            (answer(Size::Wide).expect("an answer"), crate::draw::answer("").expect("an answer"));
        assert_eq!(ours.lead, theirs.lead);
        assert_eq!(ours.cards, theirs.cards);
        assert_eq!(
            ours.parts.iter().map(Part::id).collect::<Vec<_>>(),
            theirs.parts.iter().map(Part::id).collect::<Vec<_>>()
        );
        assert_eq!(figure(&ours).expect("a figure").svg, figure(&theirs).expect("a figure").svg);
    }
}
