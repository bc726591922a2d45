//! A question as texts to copy: link, Markdown, frame, element, citation.

mod document_kind;
mod snippet;

use std::fmt::Write as _;

use crate::markup::Element;
use crate::scenario::link::AND;

pub use document_kind::DocumentKind;

/// Subject of the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Address of the page, without query and fragment.
    pub page: String,
    /// The question and those that are pinned beside it, as a link without `#`.
    pub link: String,
    /// The figure or table to show; the whole answer where empty.
    pub figure: String,
    /// The answer's first figure, for hosts that always name one.
    pub first: String,
    /// The number to show within a sentence; none where empty.
    pub number: String,
    /// `light` or `dark`; that of the surrounding document where empty.
    pub theme: String,
    /// Link keys of the fields that readers may change, separated by commas.
    pub controls: String,
    /// Without border, on the background of the document.
    pub frameless: bool,
    /// Height of the frame, CSS pixels: that of the figure in a column of text; [`Shared::HEIGHT`] where `None`.
    pub height: Option<u32>,
    /// Title of the question.
    pub title: String,
    /// The day on which it is cited, e.g. `2026-11-22`.
    pub date: String,
}

impl Shared {
    /// Height of a frame whose content is not known, or scrolls.
    pub const HEIGHT: u32 = 760;

    /// The address of the question.
    pub fn address(&self) -> String {
        format!("{}#{}", self.page, self.link)
    }

    /// A Markdown link.
    pub fn markdown(&self) -> String {
        let mut title = String::new();
        for mark in self.title.chars() {
            if matches!(mark, '\\' | '[' | ']') {
                title.push('\\');
            }
            title.push(mark);
        }
        format!("[{title}]({})", self.address())
    }

    /// An HTML frame.
    pub fn iframe(&self) -> String {
        let mut query = format!("embed={}", if self.figure.is_empty() { "" } else { "figure" });
        for (name, value) in self.attributes() {
            // Writing to a string cannot fail.
            let _ = write!(query, "&{name}{}{value}", if value.is_empty() { "" } else { "=" });
        }
        let source = format!("{}?{query}#{}", self.page, self.link);
        let mut html = String::new();
        Element::new(&mut html, "iframe")
            .attribute("src", &*source)
            .attribute("title", &*self.title)
            .attribute("width", "100%")
            .attribute("height", &*self.height.unwrap_or(Self::HEIGHT).to_string())
            .attribute("loading", "lazy")
            .attribute("style", "border: 0")
            .with_end_tag();
        html
    }

    /// The custom element of `embed.js`.
    pub fn element(&self) -> String {
        let mut html = embed_script(&self.page);
        let mut figure = Element::new(&mut html, "foretoken-figure");
        for (name, value) in self.attributes() {
            figure.attribute(name, value);
        }
        figure.attribute("label", &*self.title).attribute("link", &*self.link);
        let mut fallback = figure.child("a");
        fallback.attribute("href", &*self.address());
        fallback.text(&self.title);
        drop(fallback);
        drop(figure);
        html
    }

    /// The number within a sentence, as the custom element of `embed.js`. Pinned questions have no effect on it.
    pub fn value(&self) -> String {
        let link = self.link.split(AND).next().unwrap_or_default();
        let mut html = embed_script(&self.page);
        Element::new(&mut html, "foretoken-value")
            .attribute("value", &*self.number)
            .attribute("range", "")
            .attribute("link", link)
            .text("…");
        html
    }

    /// What differs from the defaults, by the name that the address and the elements give it; switches have no value.
    fn attributes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let texts = [("figure", &self.figure), ("theme", &self.theme), ("controls", &self.controls)];
        let given = texts.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name, value.as_str())).chain(self.frameless.then_some(("frameless", "")))
    }

    /// A BibTeX entry.
    pub fn bibtex(&self) -> String {
        format!(
            concat!(
                "@misc{{foretoken-{date},\n  title = {{{{{title}}}}},\n",
                "  howpublished = {{Foretoken, an analytical model}},\n  url = {{{address}}},\n",
                "  urldate = {{{date}}},\n  year = {{{year}}}\n}}",
            ),
            date = self.date,
            title = tex(&self.title),
            address = self.address(),
            year = self.date.split('-').next().unwrap_or_default(),
        )
    }
}

/// The script of the page at this address that defines the custom elements, as a line of HTML.
pub fn embed_script(page: &str) -> String {
    let mut html = String::new();
    Element::new(&mut html, "script")
        .attribute("type", "module")
        .attribute("src", [page, "embed.js"])
        .with_end_tag();
    html.push('\n');
    html
}

/// A text in TeX.
fn tex(text: &str) -> String {
    let mut tex = String::new();
    for mark in text.chars() {
        match mark {
            '\\' => tex.push_str("\\textbackslash{}"),
            '~' => tex.push_str("\\textasciitilde{}"),
            '^' => tex.push_str("\\textasciicircum{}"),
            '×' => tex.push_str("$\\times$"),
            '–' => tex.push_str("--"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => tex.extend(['\\', mark]),
            _ => tex.push(mark),
        }
    }
    tex
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> Shared {
        Shared {
            page: "https://example.org/foretoken/".to_owned(),
            link: "v=1&gpus=1024".to_owned(),
            figure: "memory".to_owned(),
            title: "A \"[model]\" on 8 × H100_80 & more".to_owned(),
            date: "2026-11-22".to_owned(),
            ..Shared::default()
        }
    }

    #[test]
    fn each_text_is_escaped_for_where_it_goes() {
        let shared = shared();
        assert!(shared.markdown().starts_with("[A \"\\[model\\]\" on"), "{}", shared.markdown());
        let frame = shared.iframe();
        assert!(frame.contains("?embed=figure&amp;figure=memory#v=1&amp;gpus=1024\""), "{frame}");
        assert!(frame.contains("width=\"100%\" height=\"760\""), "{frame}");
        let fitted = Shared { height: Some(612), ..shared.clone() }.iframe();
        assert!(fitted.contains("height=\"612\""), "{fitted}");
        assert!(frame.contains("title=\"A &quot;[model]&quot; on 8 × H100_80 &amp; more\""), "{frame}");
        let element = shared.element();
        assert!(element.contains("<foretoken-figure figure=\"memory\" label="), "{element}");
        assert!(element.contains("link=\"v=1&amp;gpus=1024\""), "{element}");
        let citation = shared.bibtex();
        assert!(
            citation.contains("title = {{A \"[model]\" on 8 $\\times$ H100\\_80 \\& more}},"),
            "{citation}"
        );
        assert!(citation.contains("year = {2026}\n}"), "{citation}");
    }

    #[test]
    fn pinned_questions_are_in_every_text_but_a_number() {
        let link = "v=1&gpus=1024~v=1&gpus=512&pin=true".to_owned();
        let shared = Shared { link, number: "step".to_owned(), ..shared() };
        for text in [shared.address(), shared.bibtex(), shared.markdown()] {
            assert!(text.contains("~v=1&gpus=512&pin=true"), "{text}");
        }
        for text in [shared.iframe(), shared.element()] {
            assert!(text.contains("~v=1&amp;gpus=512&amp;pin=true"), "{text}");
        }
        assert!(shared.value().contains("link=\"v=1&amp;gpus=1024\""), "{}", shared.value());
    }

    #[test]
    fn the_whole_answer_in_one_theme() {
        let shared = Shared { figure: String::new(), theme: "dark".to_owned(), ..shared() };
        assert!(shared.iframe().contains("?embed=&amp;theme=dark#"), "{}", shared.iframe());
        assert!(shared.element().contains("<foretoken-figure theme=\"dark\""), "{}", shared.element());
    }
}
