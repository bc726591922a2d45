//! Parses the subset of YAML that programs emit in reports, into JSON values: block mappings, block sequences and
//! single-line scalars.
//!
//! Non-empty flow collections, anchors, tags, multi-line strings and multiple documents are refused, with the line
//! number.

use std::borrow::Cow;

use crate::json::Json;

/// Maximum nesting depth, which bounds the recursion.
const DEEPEST: usize = 100;

/// A line that is neither blank nor a comment, without its indentation.
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// Parses a document. The error is a clause with the line number, e.g. `line 3 is indented by a tab`.
pub(super) fn parse(text: &str) -> Result<Json<'_>, String> {
    let mut lines = Vec::new();
    for (number, whole) in (1..).zip(text.lines()) {
        let text = whole.trim();
        if text.is_empty() || text.starts_with('#') || (text == "---" && lines.is_empty()) {
            continue;
        }
        if whole.starts_with('\t') {
            return Err(format!("line {number} is indented by a tab"));
        }
        lines.push(Line { number, indent: whole.len() - whole.trim_start().len(), text });
    }
    let mut rest = &lines[..];
    let indent = rest.first().map_or(0, |line| line.indent);
    let value = block(&mut rest, indent, 0)?;
    rest.first().map_or(Ok(value), |line| Err(format!("line {} has inconsistent indentation", line.number)))
}

/// Parses a mapping or sequence whose lines are indented by `indent` spaces.
fn block<'a>(rest: &mut &[Line<'a>], indent: usize, depth: usize) -> Result<Json<'a>, String> {
    let Some(first) = rest.first() else { return Ok(Json::Null) };
    if depth > DEEPEST {
        return Err(format!("line {} is nested too deeply", first.number));
    }
    let mut items = Vec::new();
    let mut fields = Vec::new();
    while let Some(line) = rest.first().filter(|line| line.indent == indent) {
        let Line { number, text, .. } = *line;
        if text == "-" || text.starts_with("- ") {
            if !fields.is_empty() {
                return Err(format!("line {number} is a list item inside a mapping"));
            }
            items.push(item(rest, depth)?);
            continue;
        }
        // A sequence may be indented like its parent mapping; this line is the parent's next key.
        if !items.is_empty() {
            break;
        }
        let (key, value) =
            key(text).ok_or_else(|| format!("line {number} is neither a key nor a list item"))?;
        *rest = &rest[1..];
        let value = if value.is_empty() { nested(rest, indent, depth)? } else { scalar(value, number)? };
        fields.push((Cow::Borrowed(key), value));
    }
    Ok(if fields.is_empty() { Json::List(items) } else { Json::Object(fields) })
}

/// Parses a list item. If the item is a mapping, its first key may follow the dash on the same line.
fn item<'a>(rest: &mut &[Line<'a>], depth: usize) -> Result<Json<'a>, String> {
    let Line { number, indent, text } = rest[0];
    let content = text[1..].trim_start();
    *rest = &rest[1..];
    if content.is_empty() {
        return nested(rest, indent, depth);
    }
    let Some((name, value)) = key(content) else { return scalar(content, number) };
    let inner = indent + text.len() - content.len();
    let value = if value.is_empty() { nested(rest, inner, depth)? } else { scalar(value, number)? };
    let mut fields = vec![(Cow::Borrowed(name), value)];
    if rest.first().is_some_and(|line| line.indent == inner && !line.text.starts_with("- "))
        && let Json::Object(more) = block(rest, inner, depth + 1)?
    {
        fields.extend(more);
    }
    Ok(Json::Object(fields))
}

/// Parses the value below a key or a dash: a block with deeper indentation, a sequence with equal indentation, or null.
fn nested<'a>(rest: &mut &[Line<'a>], indent: usize, depth: usize) -> Result<Json<'a>, String> {
    match rest.first() {
        Some(line) if line.indent > indent => {
            let deeper = line.indent;
            block(rest, deeper, depth + 1)
        }
        Some(line) if line.indent == indent && line.text.starts_with("- ") => block(rest, indent, depth + 1),
        _ => Ok(Json::Null),
    }
}

/// Splits a line into its key and the text after the colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let (key, value) = match text.split_once(": ") {
        Some((key, value)) => (key, value.trim()),
        None => (text.strip_suffix(':')?, ""),
    };
    Some((key.trim_matches(['"', '\'']), value))
}

/// Parses a single-line scalar.
fn scalar(text: &str, number: usize) -> Result<Json<'_>, String> {
    let quoted = |mark: char| text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
    if let Some(inner) = quoted('\'').or_else(|| quoted('"')) {
        return Ok(Json::Text(Cow::Borrowed(inner)));
    }
    Ok(match text {
        "null" | "~" => Json::Null,
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        "[]" => Json::List(Vec::new()),
        "{}" => Json::Object(Vec::new()),
        _ if text.starts_with(['[', '{', '&', '*', '!', '|', '>', '"', '\'']) => {
            return Err(format!(
                "line {number} uses a YAML feature that is not supported: save the report as JSON"
            ));
        }
        _ => match text.parse::<f64>().ok().filter(|value| value.is_finite()) {
            Some(value) => Json::Number(value),
            None => Json::Text(Cow::Borrowed(text)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read() {
        let text = "# report\na: 1\nb:\n  c: 'x: y'\n  d: .inf\nlist:\n- e: 2.5\n  f:\n    g: null\n- plain\n-\n  h: true\n";
        let tree = parse(text).expect("a document");
        assert_eq!(tree.get("a"), Some(&Json::Number(1.0)));
        assert_eq!(tree.get("b").and_then(|b| b.get("c")).and_then(Json::as_text), Some("x: y"));
        assert_eq!(tree.get("b").and_then(|b| b.get("d")).and_then(Json::as_text), Some(".inf"));
        let list = tree.list("list");
        assert_eq!(list[0].get("e"), Some(&Json::Number(2.5)));
        assert_eq!(list[0].get("f").and_then(|f| f.get("g")), Some(&Json::Null));
        assert_eq!((list[1].as_text(), list[2].get("h")), (Some("plain"), Some(&Json::Bool(true))));
    }

    #[test]
    fn other_forms_are_refused_with_their_line() {
        for (text, says) in [
            ("a: [1, 2]", "line 1"),
            ("a:\n  b: 1\n c: 2", "line 3"),
            ("a: 1\n\tb: 2", "line 2 is indented by a tab"),
            ("a: |\n  text", "line 1"),
            ("a: 1\nno key", "line 2 is neither"),
        ] {
            let fault = parse(text).expect_err(says);
            assert!(fault.contains(says), "{fault}");
        }
        let deep: Vec<String> = (0..500).map(|depth| format!("{}a:", " ".repeat(depth))).collect();
        assert!(parse(&deep.join("\n")).expect_err("deep").contains("too deep"));
        assert!(parse("").is_ok());
    }
}
