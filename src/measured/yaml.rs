//! The part of YAML that programs write for reports, as JSON: block mappings and sequences, one scalar a line.
//!
//! Flow collections other than empty ones, anchors, tags, multi-line strings and several documents are refused with
//! their line.

use std::borrow::Cow;

use crate::json::Json;

/// Deepest nesting, as of JSON.
const DEEPEST: usize = 100;

/// A line with content.
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// Reads a document; a fault is a sentence with the line's number.
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
    rest.first().map_or(Ok(value), |line| Err(format!("line {} has an indentation of its own", line.number)))
}

/// Reads the block of an indentation.
fn block<'a>(rest: &mut &[Line<'a>], indent: usize, depth: usize) -> Result<Json<'a>, String> {
    let Some(first) = rest.first() else { return Ok(Json::Null) };
    if depth > DEEPEST {
        return Err(format!("line {} is nested too deep", first.number));
    }
    let mut items = Vec::new();
    let mut fields = Vec::new();
    while let Some(line) = rest.first().filter(|line| line.indent == indent) {
        let Line { number, text, .. } = *line;
        if text == "-" || text.starts_with("- ") {
            if !fields.is_empty() {
                return Err(format!("line {number} is an item among keys"));
            }
            items.push(item(rest, depth)?);
            continue;
        }
        // A key of the mapping that holds a sequence of the same indentation.
        if !items.is_empty() {
            break;
        }
        let (key, value) = key(text).ok_or_else(|| format!("line {number} is neither a key nor an item"))?;
        *rest = &rest[1..];
        let value = if value.is_empty() { nested(rest, indent, depth)? } else { scalar(value, number)? };
        fields.push((Cow::Borrowed(key), value));
    }
    Ok(if fields.is_empty() { Json::List(items) } else { Json::Object(fields) })
}

/// Reads an item of a sequence, whose first key may stand behind the dash.
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

/// Reads what stands below a key or a dash: a deeper block, a sequence of the same indentation, or nothing.
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

/// A key with the text behind its colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let (key, value) = match text.split_once(": ") {
        Some((key, value)) => (key, value.trim()),
        None => (text.strip_suffix(':')?, ""),
    };
    Some((key.trim_matches(['"', '\'']), value))
}

/// A scalar on one line.
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
                "line {number} has a form of YAML that is not read: save the report as JSON"
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
