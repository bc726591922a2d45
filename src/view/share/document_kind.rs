//! The text that each kind of document needs to show a figure of a question.

use super::Shared;
use super::snippet::{
    Snippet, block, cell, directive, docusaurus, draw, fenced, figure, mdbook, quoted, restructured, snippet,
    sphinx,
};

/// A kind of document, with its own way to include a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// HTML.
    WebPage,
    /// mdBook, through its preprocessor.
    MdBook,
    /// Sphinx, in MyST or reStructuredText.
    Sphinx,
    /// MkDocs, through a hook.
    MkDocs,
    /// Docusaurus, through its plugin.
    Docusaurus,
    /// A cell of a notebook.
    Notebook,
    /// Documents in which no script runs.
    Paper,
}

impl DocumentKind {
    /// All kinds, in the order of the list.
    pub const ALL: [Self; 7] = [
        Self::WebPage,
        Self::MdBook,
        Self::Sphinx,
        Self::MkDocs,
        Self::Docusaurus,
        Self::Notebook,
        Self::Paper,
    ];

    /// Machine name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::WebPage => "html",
            Self::MdBook => "mdbook",
            Self::Sphinx => "sphinx",
            Self::MkDocs => "mkdocs",
            Self::Docusaurus => "docusaurus",
            Self::Notebook => "notebook",
            Self::Paper => "paper",
        }
    }

    /// Name in the list.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebPage => "Web page (HTML)",
            Self::MdBook => "mdBook",
            Self::Sphinx => "Sphinx, MyST",
            Self::MkDocs => "MkDocs",
            Self::Docusaurus => "Docusaurus",
            Self::Notebook => "Jupyter, Quarto",
            Self::Paper => "README, paper, slides",
        }
    }

    /// The texts that a document of this kind needs, those that are needed once first.
    pub fn snippets(self, shared: &Shared) -> Vec<Snippet> {
        let number = self.number(shared).filter(|_| !shared.number.is_empty());
        let number = number.map(|text| snippet("Number within a sentence", text));
        self.figures(shared).into_iter().chain(number).collect()
    }

    /// A number within a sentence of a document of this kind, if it can have one.
    fn number(self, shared: &Shared) -> Option<String> {
        let words = format!("foretoken {} range {}", shared.number, shared.link);
        Some(match self {
            Self::WebPage => shared.value(),
            // The preprocessor adds the number as it is then.
            Self::MdBook => format!("`{words}`"),
            Self::Sphinx => format!("{{foretoken}}`{} range {} …`", shared.number, shared.link),
            Self::MkDocs | Self::Docusaurus => format!("`{words} …`"),
            Self::Notebook => format!(
                "from foretoken import Value\n\nValue({}, {}, page={}, range=True)",
                quoted(&shared.number),
                quoted(&shared.link),
                quoted(&shared.page)
            ),
            Self::Paper => return None,
        })
    }

    /// The texts for a figure.
    fn figures(self, shared: &Shared) -> Vec<Snippet> {
        let page = &shared.page;
        let python = format!("curl -O {page}hosts/foretoken.py");
        match self {
            Self::WebPage => vec![
                snippet("Iframe", shared.iframe()),
                snippet("Element that fits its figure", shared.element()),
            ],
            Self::MdBook => vec![
                snippet("In a chapter, without the preprocessor", shared.element()),
                snippet(
                    "With the preprocessor: once, in a copy of the source",
                    "cargo install --locked --path tools/render".to_owned(),
                ),
                snippet("Once, in book.toml", mdbook(page)),
                snippet("In a chapter", fenced(&format!("foretoken {}", figure(shared)), &block(shared))),
            ],
            Self::Sphinx => vec![
                snippet("Once, beside conf.py", python),
                snippet("Once, in conf.py", sphinx(page)),
                snippet(
                    "In a page (MyST)",
                    fenced(&format!("{{foretoken}} {}", figure(shared)), &directive(shared)),
                ),
                snippet("In a page (reStructuredText)", restructured(shared)),
            ],
            Self::MkDocs => vec![
                snippet("Once, beside mkdocs.yml", python),
                snippet("Once, in mkdocs.yml", format!("hooks: [foretoken.py]\nextra:\n  foretoken: {page}")),
                snippet("In a page", fenced(&format!("foretoken {}", figure(shared)), &block(shared))),
            ],
            Self::Docusaurus => vec![
                snippet(
                    "Once, beside docusaurus.config.js",
                    format!("curl -o foretoken.mjs {page}hosts/docusaurus.mjs"),
                ),
                snippet("Once, in docusaurus.config.js", docusaurus(page)),
                snippet("In a page", fenced(&format!("foretoken {}", figure(shared)), &block(shared))),
            ],
            Self::Notebook => {
                vec![snippet("Once, beside the notebook", python), snippet("In a cell", cell(shared))]
            }
            Self::Paper => vec![
                snippet("Markdown", shared.markdown()),
                snippet("Picture, from a copy of the source", draw(shared)),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(figure: &str, link: &str, title: &str) -> Shared {
        Shared {
            page: "https://example.org/foretoken/".to_owned(),
            link: link.to_owned(),
            figure: figure.to_owned(),
            title: title.to_owned(),
            ..Shared::default()
        }
    }

    /// The documents of `docs/embed.md` are built by a test with the tools of their hosts.
    #[test]
    fn texts_are_those_of_the_documentation() {
        let documentation = include_str!("../../../docs/embed.md");
        let holds = |host: DocumentKind, label: &str, shared: &Shared| {
            let snippets = host.snippets(shared);
            let found = snippets.iter().find(|snippet| snippet.label == label).expect(label);
            assert!(documentation.contains(&found.text), "{}\n{}", host.name(), found.text);
        };
        let link = "v=1&model=megatron-175b&gpu=a100-sxm-80gb&pp=8";
        let book = shared("step-breakdown", link, "Step time of a 175B model");
        holds(DocumentKind::MdBook, "Once, in book.toml", &book);
        holds(DocumentKind::MdBook, "In a chapter", &book);
        let page = shared("memory", "v=1&model=llama-3.1-70b&gpus=1024", "Memory of a GPU");
        for label in ["Once, beside conf.py", "Once, in conf.py", "In a page (MyST)"] {
            holds(DocumentKind::Sphinx, label, &page);
        }
        holds(DocumentKind::MkDocs, "Once, beside mkdocs.yml", &page);
        holds(DocumentKind::Docusaurus, "Once, beside docusaurus.config.js", &page);
        holds(DocumentKind::Notebook, "Once, beside the notebook", &page);
    }

    #[test]
    fn attributes_follow_the_rules_of_each_host() {
        let shared = Shared {
            theme: "dark".to_owned(),
            controls: "tp,serve.batch".to_owned(),
            frameless: true,
            ..shared("memory", "v=1&gpus=64", "A \"model\"")
        };
        let text = |host: DocumentKind, label: &str| {
            let snippets = host.snippets(&shared);
            snippets.into_iter().find(|snippet| snippet.label == label).expect(label).text
        };
        let chapter = text(DocumentKind::MdBook, "In a chapter");
        let expected = concat!(
            "```foretoken memory\nv=1&gpus=64\nlabel: A \"model\"\ntheme: dark\n",
            "controls: tp,serve.batch\nframeless\n```"
        );
        assert_eq!(chapter, expected);
        let rest = text(DocumentKind::Sphinx, "In a page (reStructuredText)");
        assert!(rest.starts_with(".. foretoken:: memory\n   :label: A \"model\"\n"), "{rest}");
        assert!(rest.ends_with("   :frameless:\n\n   v=1&gpus=64"), "{rest}");
        let cell = text(DocumentKind::Notebook, "In a cell");
        assert!(cell.contains("label=\"A \\\"model\\\"\", theme=\"dark\""), "{cell}");
        assert!(cell.ends_with("frameless=True)"), "{cell}");
    }

    #[test]
    fn numbers_are_written_as_each_host_reads_them() {
        let shared = Shared { number: "step".to_owned(), ..shared("memory", "v=1&gpus=64", "A model") };
        let text = |host: DocumentKind| {
            let snippets = host.snippets(&shared);
            snippets
                .into_iter()
                .find(|snippet| snippet.label == "Number within a sentence")
                .map(|found| found.text)
        };
        let text_of = |host| text(host).expect("a number");
        assert_eq!(text_of(DocumentKind::MdBook), "`foretoken step range v=1&gpus=64`");
        assert_eq!(text_of(DocumentKind::Sphinx), "{foretoken}`step range v=1&gpus=64 …`");
        assert_eq!(text_of(DocumentKind::MkDocs), "`foretoken step range v=1&gpus=64 …`");
        assert_eq!(text_of(DocumentKind::Docusaurus), text_of(DocumentKind::MkDocs));
        let cell = "Value(\"step\", \"v=1&gpus=64\", page=\"https://example.org/foretoken/\", range=True)";
        assert!(text_of(DocumentKind::Notebook).ends_with(cell), "{}", text_of(DocumentKind::Notebook));
        assert_eq!(text(DocumentKind::Paper), None);
        let none = Shared { number: String::new(), ..shared.clone() };
        assert!(
            DocumentKind::ALL.iter().all(|host| host.snippets(&none).len() <= host.snippets(&shared).len())
        );
    }

    #[test]
    fn hosts_that_need_a_figure_take_the_first() {
        let whole = Shared { first: "load".to_owned(), ..shared("", "v=1&view=inference", "A model") };
        for host in [DocumentKind::MdBook, DocumentKind::MkDocs, DocumentKind::Docusaurus] {
            let snippets = host.snippets(&whole);
            let block = snippets.iter().any(|snippet| snippet.text.starts_with("```foretoken load\n"));
            assert!(block, "{}", host.name());
        }
        assert!(DocumentKind::Paper.snippets(&whole)[1].text.contains("' load --png"));
    }
}
