//! A preprocessor of mdBook: figures in chapters.
//!
//! mdBook writes its context and the book as JSON to standard input, and reads the book from standard output:
//! <https://rust-lang.github.io/mdBook/for_developers/preprocessors.html>.

use std::io;

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;

use crate::block::{Block, LANGUAGE};

/// Replaces the blocks of all chapters.
pub(crate) fn run() -> Result<()> {
    let [context, mut book]: [Value; 2] =
        serde_json::from_reader(io::stdin().lock()).context("mdBook's JSON is expected on standard input")?;
    let page = context.pointer("/config/preprocessor/foretoken/page").and_then(Value::as_str);
    let page =
        page.context("book.toml says where Foretoken is: [preprocessor.foretoken] page = \"https://…/\"")?;
    let web = context.get("renderer").and_then(Value::as_str).is_none_or(|renderer| renderer == "html");
    rewrite(&mut book, &|chapter, text| {
        replaced(text, page, web).map_err(|fault| anyhow!("{chapter}: {fault:#}"))
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

/// A chapter with its blocks as elements, after the script that they need; or as links where there are no scripts.
fn replaced(text: &str, page: &str, web: bool) -> Result<String> {
    let mut out = String::new();
    let mut scripted = !web;
    let mut lines = text.lines();
    let mut fence: Option<&str> = None;
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        let info = start[ticks.len()..].trim().strip_prefix(LANGUAGE);
        let info = info.filter(|rest| rest.is_empty() || rest.starts_with([' ', ',']));
        match (fence, info) {
            // A block within another one is an example of how it is written.
            (None, Some(info)) if ticks.len() >= 3 => {
                let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != ticks).collect();
                let block = Block::read(info.trim_start_matches(','), &body.join("\n"))?;
                if !scripted {
                    out.extend(["<script type=\"module\" src=\"", page, "embed.js\"></script>\n\n"]);
                    scripted = true;
                }
                out += &if web { block.to_html(page) } else { block.to_markdown(page) };
                out += "\n\n";
                continue;
            }
            (None, _) if ticks.len() >= 3 => fence = Some(ticks),
            (Some(open), _) if start.trim_end() == open => fence = None,
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://example.org/foretoken/";
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
    fn chapters_are_found_wherever_they_are() {
        let chapter = |name: &str| {
            serde_json::json!({ "Chapter": { "name": name, "content": "```foretoken x\nv=1\n```",
            "sub_items": [] } })
        };
        let mut book = serde_json::json!({ "items": [chapter("One")] });
        let fault = rewrite(&mut book, &|chapter, text| {
            replaced(text, PAGE, true).map_err(|fault| anyhow!("{chapter}: {fault}"))
        });
        assert!(fault.expect_err("a wrong figure").to_string().starts_with("One: there is no figure x"));
    }
}
