//! A figure in the text of a document: a code block of the language `foretoken`.
//!
//! ````text
//! ```foretoken step-breakdown
//! v=1&model=megatron-175b&gpus=64
//! controls: tp
//! label: Step time of a 175B model
//! ```
//! ````

use anyhow::{Context as _, Result, bail, ensure};
use foretoken::catalog::{nearest, suggestion};
use foretoken::figure::FIGURES;
use foretoken::markup::Element;
use foretoken::scenario::Problem;
use foretoken::scenario::link::{self, Decoded};
use foretoken::view::{section_with, sections};

use crate::draw::{fragment, refused};

/// The language of a figure's block.
pub(crate) const LANGUAGE: &str = "foretoken";

/// Names of the options that a line of a block may have: attributes of the element.
const OPTIONS: [&str; 4] = ["controls", "theme", "label", "frameless"];

/// A figure as a document states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    figure: String,
    link: String,
    options: Vec<(String, String)>,
}

impl Block {
    /// Parses the rest of the first line after the language, and the lines of the block.
    pub(crate) fn read(info: &str, body: &str) -> Result<Self> {
        let figure = info.trim();
        ensure!(!figure.is_empty(), "a block needs the name of a figure: ```{LANGUAGE} step-breakdown");
        let mut lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
        let link = fragment(lines.next().context("the first line of a block is its link")?).to_owned();
        // The question, and those that are pinned beside it.
        let decoded = link::decode_all(&link);
        let problems = |decoded: &Decoded| [decoded.problems.clone(), decoded.scenario.unresolved()].concat();
        let problems: Vec<Problem> = decoded.iter().flat_map(problems).collect();
        if !problems.is_empty() {
            return Err(refused(&problems));
        }
        let view = decoded.first().map(|decoded| decoded.scenario.view).unwrap_or_default();
        if section_with(view, figure).is_none() {
            let known = sections(view).iter().flat_map(|section| section.parts.iter().copied());
            let near = nearest(figure, known);
            let end = if near.is_some() { suggestion(near) } else { ".".to_owned() };
            bail!(
                "answers of the {} view have no part {figure}{end} docs/embed.md lists the figures",
                view.name()
            );
        }
        let option = |line: &str| -> Result<(String, String)> {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            ensure!(
                OPTIONS.contains(&name.trim()),
                "{line}: unknown option; known are {}",
                OPTIONS.join(", ")
            );
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        Ok(Self { figure: figure.to_owned(), link, options: lines.map(option).collect::<Result<_>>()? })
    }

    /// The element, with a link as its content for readers without scripts.
    pub(crate) fn to_html(&self, page: &str) -> String {
        let mut html = String::new();
        let mut element = Element::new(&mut html, "foretoken-figure");
        element.attribute("figure", &*self.figure).attribute("link", &*self.link);
        for (name, value) in &self.options {
            element.attribute(name, &**value);
        }
        element.child("a").attribute("href", [page, "#", &*self.link]).text(self.label());
        drop(element);
        html
    }

    /// The figure as a link in Markdown, for output that is not HTML.
    pub(crate) fn to_markdown(&self, page: &str) -> String {
        let label = self.label().replace('[', "\\[").replace(']', "\\]");
        format!("[{label}](<{page}#{}>)", self.link)
    }

    fn label(&self) -> &str {
        let own = self.options.iter().find(|(name, _)| name == "label").map(|(_, label)| label.as_str());
        let listed = FIGURES.iter().find(|listed| listed.id == self.figure).map(|listed| listed.shows);
        own.or(listed).unwrap_or(&self.figure)
    }
}

/// The address of a page in tests.
#[cfg(test)]
pub(crate) const PAGE: &str = "https://example.org/foretoken/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_becomes_an_element() {
        let body =
            "https://example.org/foretoken/#v=1&gpus=64\n\ncontrols: tp\nlabel: A \"step\"\nframeless\n";
        let block = Block::read(" step-breakdown", body).expect("a block");
        assert_eq!(
            block.to_html(PAGE),
            "<foretoken-figure figure=\"step-breakdown\" link=\"v=1&amp;gpus=64\" controls=\"tp\" \
             label=\"A &quot;step&quot;\" frameless=\"\"><a href=\"https://example.org/foretoken/#v=1&amp;gpus=64\">\
             A &quot;step&quot;</a></foretoken-figure>"
        );
        assert_eq!(block.to_markdown(PAGE), "[A \"step\"](<https://example.org/foretoken/#v=1&gpus=64>)");
    }

    #[test]
    fn pinned_questions_stay_in_the_link() {
        let block = Block::read("step-breakdown", "v=1&gpus=64~v=1&gpus=128&pin=true").expect("a block");
        assert!(block.to_html(PAGE).contains("link=\"v=1&amp;gpus=64~v=1&amp;gpus=128&amp;pin=true\""));
        let fault = Block::read("step-breakdown", "v=1&gpus=64~v=1&gpu=h10&pin=true").expect_err("a fault");
        assert!(fault.to_string().contains("h10"), "{fault}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fault = |info, body| Block::read(info, body).expect_err("a fault").to_string();
        assert!(fault("", "v=1").contains("needs the name of a figure"));
        assert!(fault("step", "v=1").contains("Training view have no part step"));
        assert!(fault("memroy", "v=1").contains("no part memroy: did you mean `memory`?"));
        assert!(fault("memory", "\n").contains("is its link"));
        assert!(fault("memory", "v=1&gpu=h10").contains("h10"));
        assert!(fault("memory", "v=1\nsize: 3").contains("unknown option"));
    }
}
