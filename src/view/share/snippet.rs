//! Texts that include a figure in a document, in the language of its tool.

use std::fmt::Write as _;

use super::Shared;

/// A text to copy, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Where it goes.
    pub label: &'static str,
    /// The text.
    pub text: String,
}

/// A text to copy.
pub(super) const fn snippet(label: &'static str, text: String) -> Snippet {
    Snippet { label, text }
}

/// The name of the figure, for kinds of documents that always name one.
pub(super) fn figure(shared: &Shared) -> &str {
    if shared.figure.is_empty() { &shared.first } else { &shared.figure }
}

/// A fenced block of Markdown.
pub(super) fn fenced(info: &str, body: &str) -> String {
    format!("```{info}\n{body}\n```")
}

/// The element's attributes other than the figure, a line each, e.g. `theme: dark`; switches have no value.
fn options(shared: &Shared) -> Vec<String> {
    let given = shared.attributes().filter(|(name, _)| *name != "figure");
    let all = [("label", shared.title.as_str())].into_iter().chain(given);
    let line = |(name, value): (&str, &str)| {
        if value.is_empty() { name.to_owned() } else { format!("{name}: {value}") }
    };
    all.map(line).collect()
}

/// Lines of a code block: the link, then the options.
pub(super) fn block(shared: &Shared) -> String {
    format!("{}\n{}", shared.link, options(shared).join("\n"))
}

/// Lines of a directive in MyST: the options, then the link.
pub(super) fn directive(shared: &Shared) -> String {
    let options: String = options(shared).iter().map(|option| field(option) + "\n").collect();
    options + &shared.link
}

/// The directive in reStructuredText.
pub(super) fn restructured(shared: &Shared) -> String {
    let options = options(shared).iter().map(|option| field(option)).collect::<Vec<_>>().join("\n   ");
    format!(".. foretoken:: {}\n   {options}\n\n   {}", figure(shared), shared.link)
}

/// An option as a field of a directive: `:theme: dark`, `:frameless:`.
fn field(option: &str) -> String {
    let (name, value) = option.split_once(':').unwrap_or((option, ""));
    format!(":{name}:{value}")
}

/// The part of `book.toml`.
pub(super) fn mdbook(page: &str) -> String {
    format!("[preprocessor.foretoken]\ncommand = \"foretoken-render mdbook\"\npage = \"{page}\"")
}

/// The part of `conf.py`.
pub(super) fn sphinx(page: &str) -> String {
    format!(
        "import sys\n\nsys.path.insert(0, \".\")  # where foretoken.py is\nextensions = [\"myst_parser\", \"foretoken\"]\nforetoken_page = \"{page}\""
    )
}

/// The parts of `docusaurus.config.js`.
pub(super) fn docusaurus(page: &str) -> String {
    format!(
        concat!(
            "import foretoken, {{ figures }} from \"./foretoken.mjs\";\n\nconst page = \"{}\";\n\n",
            "// in the configuration\nplugins: [[foretoken, {{ page }}]],\n",
            "// in the preset's docs\nbeforeDefaultRemarkPlugins: [[figures, {{ page }}]],",
        ),
        page
    )
}

/// A cell in Python.
pub(super) fn cell(shared: &Shared) -> String {
    let mut text = format!(
        "from foretoken import Figure\n\nFigure({}, {}, page={}",
        quoted(figure(shared)),
        quoted(&shared.link),
        quoted(&shared.page)
    );
    for option in options(shared) {
        // Writing to a string cannot fail.
        let _ = match option.split_once(": ") {
            Some((name, value)) => write!(text, ", {name}={}", quoted(value)),
            None => write!(text, ", {option}=True"),
        };
    }
    text + ")"
}

/// A string in Python.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The command that draws the figure as a file.
pub(super) fn draw(shared: &Shared) -> String {
    let figure = figure(shared);
    let link = shared.link.replace('\'', "%27");
    format!("cargo run --release --package foretoken-render -- draw '{link}' {figure} --png > {figure}.png")
}
