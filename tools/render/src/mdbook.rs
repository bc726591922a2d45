//! A preprocessor of mdBook: figures in chapters, and numbers within their sentences.
//!
//! mdBook writes its context and the book as JSON to standard input, and reads the book from standard output:
//! <https://rust-lang.github.io/mdBook/for_developers/preprocessors.html>.

use std::io;

use anyhow::{Context as _, Result, anyhow, ensure};
use foretoken::view::embed_script;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
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

/// A chapter with its blocks and numbers replaced by elements and their script, or by links if the output has no scripts.
fn replaced(text: &str, page: &str, web: bool) -> Result<String> {
    let script = embed_script(page);
    let mut scripted = !web;
    let mut figure = |info: &str, body: &str, indent: &str| {
        let block = Block::read(info, body)?;
        let script = if std::mem::replace(&mut scripted, true) {
            String::new()
        } else {
            format!("{script}\n{indent}")
        };
        Ok(format!("{script}{}", if web { block.to_html(page) } else { block.to_markdown(page) }))
    };
    let mut numbered = false;
    let mut number = |words: &str| {
        let number = Number::read(words)?;
        numbered = true;
        Ok(if web { number.to_html() } else { number.to_markdown(page) })
    };
    let mut out = rewritten(text, &mut figure, &mut number)?;
    if numbered && !scripted {
        // At the end, because a line of its own would break the paragraph of the number.
        out.extend(["\n", &*script, "\n"]);
    }
    Ok(out)
}

/// A text with its code blocks of the language written by `figure`, from the rest of their first line, their lines and their
/// indentation, and with its code within sentences that begins with the language written by `number`. What is inside another
/// block, or between two or more back-quotes, is documentation and stays.
fn rewritten(
    text: &str,
    figure: &mut dyn FnMut(&str, &str, &str) -> Result<String>,
    number: &mut dyn FnMut(&str) -> Result<String>,
) -> Result<String> {
    let (mut out, mut copied) = (String::new(), 0);
    let mut events = Parser::new(text).into_offset_iter();
    while let Some((event, range)) = events.next() {
        let source = &text[range.clone()];
        let written = match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let lines = events.by_ref().map_while(|(event, _)| match event {
                    Event::Text(line) => Some(line),
                    _ => None,
                });
                let body = lines.fold(String::new(), |body, line| body + &line);
                let Some(info) = after_language(&info, &[' ', ',']) else { continue };
                ensure!(is_closed(source), "the block {info} has no end");
                let line = text[..range.start].rsplit('\n').next().unwrap_or_default();
                let indent = &line[..line.len() - line.trim_start().len()];
                // HTML goes on to the next empty line.
                figure(info, &body, indent)? + "\n"
            }
            Event::Code(code) if !source.starts_with("``") => {
                let Some(words) = after_language(&code, &[' ']).filter(|words| !words.is_empty()) else {
                    continue;
                };
                number(words)?
            }
            _ => continue,
        };
        out.extend([&text[copied..range.start], &*written]);
        copied = range.end;
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// What follows the language `foretoken` and a mark between them; `None` for another language.
fn after_language<'a>(info: &'a str, marks: &[char]) -> Option<&'a str> {
    let rest = info.trim().strip_prefix(LANGUAGE)?;
    (rest.is_empty() || rest.starts_with(marks)).then(|| rest.trim_start_matches(marks))
}

/// Returns true if the last line of a fenced block is its end.
fn is_closed(source: &str) -> bool {
    let mark = &source[..source.len() - source.trim_start_matches(['`', '~']).len()];
    let last = source.trim_end().rsplit_once('\n').map_or("", |(_, last)| last);
    last.trim_start_matches([' ', '\t', '>']).starts_with(mark)
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
        let line = |text: &str| {
            let figure = &mut |_: &str, _: &str, _: &str| Ok(String::new());
            rewritten(text, figure, &mut |words| Ok(format!("[{words}]"))).expect("a line")
        };
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
