//! Scalars as the text of a link: percent escapes, numbers, quotes.

use std::borrow::Cow;
use std::fmt::Write;

use crate::json::Json;
use crate::scenario::fields::Value;
use crate::units::format;

/// Text with everything escaped that a fragment, an HTML attribute or Markdown could misread.
///
/// A space becomes `+`, as in forms, because `%20` is hard to read.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => escaped.push(char::from(byte)),
            b' ' => escaped.push('+'),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

/// The text that was escaped; what needs no escape may be escaped, what needs one may lack it.
pub(super) fn unescape(text: &str) -> Result<Cow<'_, str>, &'static str> {
    if !text.bytes().any(|byte| matches!(byte, b'+' | b'%')) {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => match (bytes.next().and_then(hex), bytes.next().and_then(hex)) {
                (Some(high), Some(low)) => 16 * high + low,
                _ => return Err("a broken percent escape: a percent sign itself is written %25"),
            },
            other => other,
        });
    }
    String::from_utf8(plain).map(Cow::Owned).map_err(|_| "percent escapes that are not UTF-8")
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// A finite number, whole numbers as integers however they are written: `16384`, `1.5e13`, `8e3`.
pub(super) fn number(text: &str) -> Option<Value<'static>> {
    let text = text.trim();
    if let Ok(whole) = text.parse() {
        return Some(Value::Whole(whole));
    }
    // A plus sign, as in `1e+13`, is decoded as a space.
    let number = if text.contains(' ') { text.replace(' ', "+").parse() } else { text.parse::<f64>() };
    number.ok().filter(|number| number.is_finite()).map(Value::of_number)
}

/// The meaning of a value without a known type: a number, `true`, `false`, `null`, an empty list or object, or text.
/// Text that looks like one of the others is enclosed in double quotes, as in JSON.
pub(super) fn scalar(text: &str) -> Json<'static> {
    let plain = || Json::Text(Cow::Owned(text.to_owned()));
    match text {
        "true" | "false" => Json::Bool(text == "true"),
        "null" => Json::Null,
        "[]" => Json::List(Vec::new()),
        "{}" => Json::Object(Vec::new()),
        _ if text.trim_start().starts_with('"') => match Json::parse(text) {
            Ok(Json::Text(quoted)) => Json::Text(Cow::Owned(quoted.into_owned())),
            _ => plain(),
        },
        _ => match number(text) {
            Some(Value::Whole(whole)) => Json::Whole(whole),
            Some(Value::Number(number)) => Json::Number(number),
            _ => plain(),
        },
    }
}

/// The text that [`scalar`] reads as this value; of lists and objects only the empty ones have one.
pub(super) fn of_scalar(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(flag) => flag.to_string(),
        Json::Whole(whole) => whole.to_string(),
        Json::Negative(whole) => format::shortest(*whole as f64),
        Json::Number(number) => format::shortest(*number),
        Json::Text(text) if scalar(text) == *value => text.clone().into_owned(),
        // Text has a form in JSON: writing it cannot fail.
        Json::Text(text) => serde_json::to_string(text).unwrap_or_default(),
        Json::List(_) => "[]".to_owned(),
        Json::Object(_) => "{}".to_owned(),
    }
}

/// The text of a field's value. A field has a known type, so that its text needs no quotes.
pub(super) fn of_value(value: Value<'_>) -> String {
    match value {
        Value::Switch(flag) => flag.to_string(),
        Value::Whole(whole) => whole.to_string(),
        Value::Number(number) if number.is_finite() => format::shortest(number),
        // Links have no other numbers.
        Value::Absent | Value::Number(_) => "null".to_owned(),
        Value::Text(text) | Value::Entry(text) => text.to_owned(),
    }
}

/// Untrusted text for a message: its beginning, nothing in it that a terminal or a page could act on.
pub(crate) fn shown(text: &str) -> String {
    const LENGTH: usize = 40;
    let mut shown: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if text.chars().nth(LENGTH).is_some() {
        shown.push('…');
    }
    shown
}
