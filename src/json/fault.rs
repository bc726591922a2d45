//! Why JSON cannot be read as a type, and where.

use std::fmt;

use serde::de::{Error, Expected, Unexpected, value};

use crate::units::format::{grouped, shortest};

/// Why JSON cannot be read as a type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    /// Keys and positions around the value that is wrong, innermost first.
    path: Vec<String>,
    missing: bool,
    /// The value that is there, if it is of another type than expected.
    found: Option<String>,
    /// The keys of the object, if it has another one.
    known: &'static [&'static str],
    message: String,
}

impl Fault {
    /// The keys and positions around the value that is wrong, outermost first.
    pub fn path(&self) -> Vec<&str> {
        self.0.path.iter().rev().map(String::as_str).collect()
    }

    /// Returns true if a field is missing, so that nothing which is there is wrong.
    pub fn is_missing(&self) -> bool {
        self.0.missing
    }

    /// The value that is there, in words, if it is of another type than expected or out of that type's range.
    pub fn found(&self) -> Option<&str> {
        self.0.found.as_deref()
    }

    /// The fault of another key of the object, if this one is an unknown key and the other is unknown too.
    pub(crate) fn of_sibling(&self, key: &str) -> Option<Self> {
        let known = self.0.known;
        if known.is_empty() || known.contains(&key) {
            return None;
        }
        let around = self.0.path.iter().skip(1);
        let path = [key.to_owned()].into_iter().chain(around.cloned()).collect();
        let mut fault = Self::unknown_field(key, known);
        fault.0.path = path;
        Some(fault)
    }

    /// The fault in one sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The fault with the key or position of the value that contains it.
    pub(super) fn within(mut self, key: impl fmt::Display) -> Self {
        self.0.path.push(key.to_string());
        self
    }

    fn unexpected(found: &Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = (in_words(found), wanted(found, &expected.to_string()));
        let mut fault = Self::custom(format_args!("must be {}, not {}", found.1, found.0));
        fault.0.found = Some(found.0);
        fault
    }
}

/// Name of a value in plain words.
fn in_words(found: &Unexpected<'_>) -> String {
    const LONGEST: usize = 40;
    match found {
        Unexpected::Bool(flag) => format!("`{flag}`"),
        Unexpected::Unsigned(whole) => whole.to_string(),
        Unexpected::Signed(whole) => whole.to_string(),
        Unexpected::Float(number) => shortest(*number),
        Unexpected::Str(text) => {
            let rest = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
            format!("the text {:?}", text.chars().take(LONGEST).collect::<String>() + rest)
        }
        Unexpected::Unit => "`null`".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Name of what serde expects in plain words, without Rust's types.
fn wanted(found: &Unexpected<'_>, expected: &str) -> String {
    let range = matches!(found, Unexpected::Unsigned(_) | Unexpected::Signed(_));
    let highest = match expected {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        "u32" => u32::MAX.into(),
        _ => 0.0,
    };
    match expected {
        "u8" | "u16" | "u32" if range => format!("a whole number from 0 to {}", grouped(highest)),
        "u64" | "usize" if range => "a whole number from 0".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            "a whole number".to_owned()
        }
        "f32" | "f64" => "a number".to_owned(),
        "a string" | "a borrowed string" => "text".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "`null`".to_owned(),
        _ if expected.starts_with("struct ") => "an object".to_owned(),
        _ if expected.starts_with("tuple ") => "a list".to_owned(),
        _ => match length(expected) {
            Some(length) => format!("a list of {length} values"),
            None => expected.to_owned(),
        },
    }
}

/// The length of a list of which serde expects that length.
fn length(expected: &str) -> Option<&str> {
    ["an array of length ", "a tuple of size "].iter().find_map(|list| expected.strip_prefix(list))
}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        Self(Box::new(Inner { path: Vec::new(), missing: false, found: None, known: &[], message }))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::unexpected(&found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::unexpected(&found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        let wanted = wanted(&Unexpected::Seq, &expected.to_string());
        Self::custom(format_args!("must be {wanted}, not of {length}"))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self::custom(format_args!("unknown value `{name}`, expected one of `{}`", known.join("`, `")))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let mut fault = Self::custom(value::Error::unknown_field(field, known));
        fault.0.known = known;
        fault
    }

    fn missing_field(field: &'static str) -> Self {
        let mut fault = Self::custom(format_args!("missing field `{field}`"));
        fault.0.missing = true;
        fault
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::custom(format_args!("duplicate field `{field}`")).within(field)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Fault {}
