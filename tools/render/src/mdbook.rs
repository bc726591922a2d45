//! A preprocessor of mdBook: figures in chapters, and numbers within their sentences.
//!
//! mdBook writes its context and the book as JSON to standard input, and reads the book from standard output:
//! <https://rust-lang.github.io/mdBook/for_developers/preprocessors.html>.

use std::io;

use anyhow::{Context as _, Result, anyhow, ensure};
use foretoken::view::embed_script;
use serde_json::Value;

use crate::block::{Block, LANGUAGE};
use crate::value::Value as Number;
use crate::with_slash;

/// Replaces the blocks of all chapters.
pub(crate) fn run() -> Result<()> {
    let [context, mut book]: [Value; 2] =
        serde_json::from_reader(io::stdin().lock()).context("mdBook's JSON is expected on standard input")?;
    let page = context.pointer("/config/preprocessor/foretoken/page").and_then(Value::as_str);
    let page = page.context(
        "set the address of Foretoken in book.toml: [preprocessor.foretoken] page = \"https://…/\"",
    )?;
    let page = with_slash(page);
    let web = context.get("renderer").and_then(Value::as_str).is_none_or(|renderer| renderer == "html");
    rewrite(&mut book, &|chapter, text| {
        replaced(text, &page, web).map_err(|fault| anyhow!("{chapter}: {fault:#}"))
    })?;
    serde_json::to_writer(io::stdout().lock(), &book)?;
    Ok(())
}

/// Rewrites the text of every chapter, wherever the version of mdBook nests it.
fn rewrite(value: &mut Value, change: &dyn Fn(&str, &str) -> Result<String>) -> Result<()> {
    match value {
        Value::Object(fields) => {
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            if let Some(Value::String(text)) = fields.get_mut("content") {
                *text = change(&name, text)?;
            }
            fields.values_mut().try_for_each(|field| rewrite(field, change))
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| rewrite(item, change)),
        _ => Ok(()),
    }
}

/// A chapter with its blocks and numbers replaced by elements and their script, or by links if the output has no scripts. What
/// is inside another block is documentation and stays.
fn replaced(text: &str, page: &str, web: bool) -> Result<String> {
    let mut out = String::new();
    let mut scripted = !web;
    let mut numbered = false;
    let number = |words: &str| {
        let number = Number::read(words)?;
        Ok(if web { number.to_html() } else { number.to_markdown(page) })
    };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = Fence::opened_by(line) else {
            let written = with_numbers(line, &number)?;
            numbered |= written != line;
            out.extend([&*written, "\n"]);
            continue;
        };
        let mut body = Vec::new();
        let end = lines.by_ref().find(|line| {
            let end = fence.is_closed_by(line);
            if !end {
                body.push(*line);
            }
            end
        });
        let Some(info) = fence.figure() else {
            for line in std::iter::once(line).chain(body).chain(end) {
                out.extend([line, "\n"]);
            }
            continue;
        };
        ensure!(end.is_some(), "the block {info} has no end");
        let block = Block::read(info, &body.join("\n"))?;
        if !scripted {
            out.extend([&*embed_script(page), "\n"]);
            scripted = true;
        }
        let figure = if web { block.to_html(page) } else { block.to_markdown(page) };
        out.extend([fence.indent, &figure, "\n\n"]);
    }
    if numbered && !scripted {
        // At the end, because a line of its own would break the paragraph of the number.
        out.extend(["\n", &*embed_script(page), "\n"]);
    }
    Ok(out)
}

/// A line whose code that begins with the language is replaced. Between two or more back-quotes it is documentation and stays.
fn with_numbers(line: &str, written: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((text, mark, after)) = marked(rest) {
        out.push_str(text);
        rest = after;
        let Some((code, after)) = closed(after, mark) else {
            out.push_str(mark);
            continue;
        };
        let words = code.strip_prefix(LANGUAGE).and_then(|words| words.strip_prefix(' '));
        match words.filter(|_| mark.len() == 1) {
            Some(words) => out.push_str(&written(words)?),
            None => out.extend([mark, code, mark]),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The first run of back-quotes of a text, with what is before and after it.
fn marked(text: &str) -> Option<(&str, &str, &str)> {
    let (before, from) = text.split_at(text.find('`')?);
    let after = from.trim_start_matches('`');
    Some((before, &from[..from.len() - after.len()], after))
}

/// A text up to the next run of as many back-quotes, and what follows it.
fn closed<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let mut rest = text;
    while let Some((_, end, after)) = marked(rest) {
        if end == mark {
            return Some((&text[..text.len() - after.len() - end.len()], after));
        }
        rest = after;
    }
    None
}

/// The line that opens a code block: at least three backticks or tildes, and a language.
#[derive(Clone, Copy, Debug)]
struct Fence<'a> {
    indent: &'a str,
    mark: &'a str,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn opened_by(line: &'a str) -> Option<Self> {
        let start = line.trim_start();
        let (indent, first) = (&line[..line.len() - start.len()], start.chars().next()?);
        let info = start.trim_start_matches(first);
        let mark = &start[..start.len() - info.len()];
        let fence = (first == '`' && !info.contains('`')) || first == '~';
        (fence && mark.len() >= 3).then_some(Self { indent, mark, info: info.trim() })
    }

    /// Returns true if a line is the end of the block: the same mark, at least as long, and nothing else.
    fn is_closed_by(&self, line: &str) -> bool {
        Fence::opened_by(line).is_some_and(|end| end.info.is_empty() && end.mark.starts_with(self.mark))
    }

    /// The rest of the line after the language `foretoken`; `None` for other languages.
    fn figure(&self) -> Option<&'a str> {
        let rest = self.info.strip_prefix(LANGUAGE)?;
        (rest.is_empty() || rest.starts_with([' ', ','])).then(|| rest.trim_start_matches([' ', ',']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::PAGE;

    const CHAPTER: &str = "# Title\n\n```foretoken memory\nv=1\n```\n\n````markdown\n```foretoken memory\n```\n````\n\n```foretoken roofline\nv=1\n```\n";

    #[test]
    fn blocks_become_elements_with_one_script() {
        let html = replaced(CHAPTER, PAGE, true).expect("a chapter");
        assert_eq!(html.matches("<script").count(), 1);
        assert_eq!(html.matches("<foretoken-figure").count(), 2);
        assert!(html.contains("````markdown\n```foretoken memory\n```\n````"), "{html}");
        let markdown = replaced(CHAPTER, PAGE, false).expect("a chapter");
        assert!(
            !markdown.contains("<script") && markdown.contains("](<https://example.org/foretoken/#v=1>)")
        );
    }

    #[test]
    fn numbers_are_code_that_begins_with_the_language() {
        let line = |text: &str| with_numbers(text, &|words| Ok(format!("[{words}]"))).expect("a line");
        assert_eq!(line("It takes `foretoken days v=1 a year` `now`."), "It takes [days v=1 a year] `now`.");
        for same in [
            "`foretoken`",
            "`foretoken-render draw`",
            "`` `foretoken days v=1` ``",
            "`foretoken days",
            "``` `",
        ] {
            assert_eq!(line(same), same);
        }
        assert_eq!(line("``x `foretoken step v=1`"), "``x [step v=1]");
        let chapter = "# Title\n\nIt takes `foretoken days v=1&gpus=64&tp=8&recompute=full`.\n";
        let html = replaced(chapter, PAGE, true).expect("a chapter");
        assert!(
            html.contains("\nIt takes <foretoken-value value=\"days\"")
                && html.trim_end().ends_with("</script>"),
            "{html}"
        );
        let markdown = replaced(chapter, PAGE, false).expect("a chapter");
        assert!(
            markdown.contains("It takes [") && markdown.contains("](<https://example.org/foretoken/#v=1&")
        );
    }

    #[test]
    fn fences_are_those_of_markdown() {
        let of = |text: &str| replaced(text, PAGE, true);
        let count = |text: &str| of(text).expect("a chapter").matches("<foretoken-figure").count();
        assert_eq!(count("~~~foretoken memory\nv=1\n~~~\n"), 1);
        assert_eq!(count("```foretoken memory\nv=1\n`````\nText\n```foretoken memory\nv=1\n```"), 2);
        assert_eq!(count("~~~markdown\n```foretoken memory\nv=1\n```\n~~~\n"), 0);
        assert_eq!(count("```x``` is code\n\n```foretoken memory\nv=1\n```"), 1);
        assert_eq!(count("```foretokens\n```"), 0);
        assert!(of("```foretoken memory\nv=1\n").expect_err("a fault").to_string().contains("has no end"));
        let item = of("- An item:\n\n  ```foretoken memory\n  v=1\n  ```\n").expect("a chapter");
        assert!(item.contains("\n  <foretoken-figure"), "{item}");
    }

    #[test]
    fn chapters_are_found_wherever_they_are() {
        let chapter = |name: &str| {
            serde_json::json!({ "Chapter": { "name": name, "content": "```foretoken x\nv=1\n```",
            "sub_items": [] } })
        };
        let mut book = serde_json::json!({ "items": [chapter("One")] });
        let fault = rewrite(&mut book, &|chapter, text| {
            replaced(text, PAGE, true).map_err(|fault| anyhow!("{chapter}: {fault}"))
        });
        assert!(
            fault
                .expect_err("a wrong figure")
                .to_string()
                .starts_with("One: answers of the Training view have no part x")
        );
    }
}
