//! A document as a page: its HTML, with headings that links can name, and the list of all pages.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// The style sheet of all pages, in their folder.
pub(crate) const STYLE: &str = "manual.css";

/// A page of the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// File below the folder of all pages.
    pub(crate) path: PathBuf,
    /// The document's first heading.
    title: String,
    /// HTML of the document.
    body: String,
}

impl Page {
    /// Reads a document, whose path is relative to the folder of all documents.
    pub(crate) fn read(path: &Path, text: &str) -> Self {
        let events = with_names(Parser::new_ext(text, Options::ENABLE_TABLES).collect());
        let title = title(&events);
        let mut body = String::new();
        html::push_html(&mut body, linked(events).into_iter());
        Self { path: file(path), title, body: body.replace("<table>", SCROLLED).replace("</table>", ENDED) }
    }

    /// The whole page.
    pub(crate) fn to_html(&self, all: &[Self]) -> String {
        let up = "../".repeat(self.path.components().count() - 1);
        let item = |page: &Self| {
            let current = if page == self { " aria-current=\"page\"" } else { "" };
            format!(
                "<li><a href=\"{up}{}\"{current}>{}</a></li>\n",
                page.path.display(),
                escaped(&page.title)
            )
        };
        let list: String = all.iter().map(item).collect();
        let title = escaped(&self.title);
        format!(
            concat!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; ",
                "img-src 'self'\">\n<title>{title} – Foretoken</title>\n",
                "<link rel=\"icon\" href=\"{up}../favicon.svg\">\n",
                "<link rel=\"stylesheet\" href=\"{up}{style}\">\n</head>\n<body>\n",
                "<nav aria-label=\"Documentation\">\n<p><a href=\"{up}../\">Foretoken</a></p>\n<ul>\n{list}</ul>\n</nav>\n",
                "<main>\n{body}</main>\n</body>\n</html>\n",
            ),
            title = title,
            up = up,
            style = STYLE,
            list = list,
            body = self.body,
        )
    }
}

/// A wide table scrolls by itself, also by the keyboard.
const SCROLLED: &str = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>";
const ENDED: &str = "</table></div>";

/// The file of a document's page.
fn file(document: &Path) -> PathBuf {
    if document.file_name().is_some_and(|name| name == "README.md") {
        document.with_file_name("index.html")
    } else {
        document.with_extension("html")
    }
}

/// Headings with the names that links to them use.
fn with_names(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let name = name(&text(&events[at..]));
        let count = taken.entry(name.clone()).and_modify(|count| *count += 1).or_default();
        let unique = if *count == 0 { name } else { format!("{name}-{count}") };
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(unique.into());
        }
    }
    events
}

/// The text of the heading that these events begin with.
fn text(events: &[Event<'_>]) -> String {
    let within = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    within
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}

/// The name by which links mean a heading, as on GitHub: letters in lower case, digits and hyphens.
fn name(heading: &str) -> String {
    let kept = heading.chars().filter(|mark| mark.is_alphanumeric() || matches!(mark, ' ' | '-' | '_'));
    kept.map(|mark| if mark == ' ' { '-' } else { mark }).collect::<String>().to_lowercase()
}

fn title(events: &[Event<'_>]) -> String {
    let first =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }));
    events.iter().position(first).map(|at| text(&events[at..])).unwrap_or_default()
}

/// Links to documents lead to their pages; those into the source become text.
fn linked(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut open = Vec::new();
    let mut kept = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let to = target(&dest_url);
                open.push(to.is_some());
                kept.extend(to.map(|dest_url| Event::Start(Tag::Link { link_type, dest_url, title, id })));
            }
            Event::End(TagEnd::Link) if open.pop() == Some(false) => {}
            event => kept.push(event),
        }
    }
    kept
}

/// Where a link of a document leads on the site; `None` if nowhere.
fn target<'a>(link: &CowStr<'a>) -> Option<CowStr<'a>> {
    if link.contains("://") || link.starts_with('#') {
        return Some(link.clone());
    }
    let (path, heading) = link
        .split_once('#')
        .map_or((&**link, String::new()), |(path, heading)| (path, format!("#{heading}")));
    let path = Path::new(path);
    let internal = path
        .components()
        .any(|part| matches!(part, Component::Normal(name) if name == "src" || name == "tests"));
    let document = path.extension().is_some_and(|ending| ending == "md");
    (document && !internal).then(|| format!("{}{heading}", file(path).display()).into())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_or_become_text() {
        let text = "# A & B\n\n[page](kernels.md#the-roof), [method](method/README.md), [code](../src/lib.rs), \
                    [heading](#a--b), [paper](https://arxiv.org/abs/2407.14645)\n";
        let page = Page::read(Path::new("method/network.md"), text);
        let html = page.to_html(std::slice::from_ref(&page));
        for part in [
            "<title>A &amp; B – Foretoken</title>",
            "<h1 id=\"a--b\">",
            "href=\"kernels.html#the-roof\"",
            "href=\"method/index.html\"",
            ", code, <a",
            "href=\"#a--b\"",
            "href=\"../manual.css\"",
            "href=\"https://arxiv.org/abs/2407.14645\"",
            "href=\"../method/network.html\" aria-current=\"page\"",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(!html.contains("lib.rs"));
    }

    #[test]
    fn headings_have_names_of_their_own() {
        let page = Page::read(Path::new("link.md"), "# Links\n\n## Of `tp`, and pp\n\n## Of `tp`, and pp\n");
        assert!(
            page.body.contains("<h2 id=\"of-tp-and-pp\">")
                && page.body.contains("<h2 id=\"of-tp-and-pp-1\">")
        );
    }

    #[test]
    fn tables_scroll_by_themselves() {
        let page = Page::read(Path::new("a.md"), "| a |\n|---|\n| b |\n");
        assert!(page.body.starts_with(SCROLLED), "{}", page.body);
    }
}
