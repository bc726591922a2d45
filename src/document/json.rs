//! JSON as text.

use std::fmt::Write;

use super::value::{Object, Value};

/// The value that this text means; nothing if it is no JSON.
///
/// It is for what is compiled in, for single texts of links and for small files, so that it need not say what is wrong.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader(text, MAX_DEPTH);
    let value = reader.value()?;
    reader.skip();
    reader.0.is_empty().then_some(value)
}

/// A finite number, whole numbers as such however they are written: `16384`, `1.5e13`, `8e3`.
pub(crate) fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse() {
        return Some(Value::Whole(whole));
    }
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
    // 2^64, below which every whole number is a u64. Only a number that is none has the sign of `-0`.
    let whole = value.fract() == 0.0 && value.is_sign_positive() && value < 18_446_744_073_709_551_616.0;
    Some(if whole { Value::Whole(value as u64) } else { Value::Number(value) })
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Writing to a string cannot fail.
            c if c < ' ' => drop(write!(quoted, "\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Lists and objects inside each other that are read, so that no file nests deeper than the stack.
const MAX_DEPTH: u8 = 64;

/// What is left to be read, and how much deeper it may nest.
struct Reader<'a>(&'a str, u8);

impl Reader<'_> {
    fn skip(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Whether this comes next, after which it is read.
    fn takes(&mut self, mark: &str) -> bool {
        self.skip();
        let rest = self.0.strip_prefix(mark);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn value(&mut self) -> Option<Value> {
        self.skip();
        match self.0.as_bytes().first()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'"' => self.text().map(Value::Text),
            b't' => self.takes("true").then_some(Value::Bool(true)),
            b'f' => self.takes("false").then_some(Value::Bool(false)),
            b'n' => self.takes("null").then_some(Value::Null),
            b'-' | b'0'..=b'9' => {
                let end = self.0.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(self.0.len());
                let (written, rest) = self.0.split_at(end);
                self.0 = rest;
                number(written)
            }
            _ => None,
        }
    }

    /// Reads a list or an object, one level further down.
    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        self.1 = self.1.checked_sub(1)?;
        let value = read(self);
        self.1 += 1;
        value
    }

    fn list(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        self.takes("[");
        while !self.takes("]") {
            if !items.is_empty() && !self.takes(",") {
                return None;
            }
            items.push(self.value()?);
        }
        Some(Value::List(items))
    }

    fn object(&mut self) -> Option<Value> {
        let mut object = Object::default();
        self.takes("{");
        while !self.takes("}") {
            if !object.is_empty() && !self.takes(",") {
                return None;
            }
            self.skip();
            let name = self.text()?;
            if !self.takes(":") {
                return None;
            }
            *object.slot(&name) = self.value()?;
        }
        Some(Value::Object(object))
    }

    fn text(&mut self) -> Option<String> {
        let mut chars = self.0.strip_prefix('"')?.chars();
        let mut text = String::new();
        loop {
            text.push(match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    plain @ ('"' | '\\' | '/') => plain,
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => escaped(&mut chars)?,
                    _ => return None,
                },
                c if c < ' ' => return None,
                c => c,
            });
        }
        self.0 = chars.as_str();
        Some(text)
    }
}

/// The character of one or, beyond 16 bits, two escapes of four hexadecimal digits, the first `\u` of which is read.
fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let first = unit(chars)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    let more = chars.next() == Some('\\') && chars.next() == Some('u');
    let second = unit(chars).filter(|unit| more && (0xdc00..0xe000).contains(unit))?;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
}

fn unit(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |value, _| Some(16 * value + chars.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_and_read_as_serde_does() {
        for text in ["", "a\"b\\c", "\u{0}\u{8}\u{c}\n\r\t\u{1f}\u{7f}", "é😀/", "\u{2028}"] {
            assert_eq!(quoted(text), serde_json::to_string(text).unwrap());
            assert_eq!(parse(&quoted(text)), Some(Value::Text(text.to_owned())));
        }
        for text in
            [r#""\ud83d\ude00\u00e9\/""#, r#""\ud83d""#, r#""\ude00""#, r#""\x""#, "\"\n\"", "\"", "\"\"x"]
        {
            let theirs = serde_json::from_str::<String>(text).ok().map(Value::Text);
            assert_eq!(parse(text), theirs, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_means_nothing() {
        for text in
            ["", "{", "[1", "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}", "nul", "1x", "[,1]", "1 1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        let nested = parse(" { \"a\" : [ 1 , -2.5e3 , null , { } ] , \"b\" : true } ").unwrap();
        assert_eq!((nested["a"][0].as_whole(), nested["a"][1].as_number()), (Some(1), Some(-2500.0)));
        assert_eq!(
            (&nested["b"], &nested["c"], &nested["a"][9]),
            (&Value::Bool(true), &Value::Null, &Value::Null)
        );
    }
}
