//! Why JSON cannot be read as a type, and where.

use std::fmt;

use serde::de::Error;

/// Why JSON cannot be read as a type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    /// Keys and positions around the value that is wrong, innermost first.
    path: Vec<String>,
    missing: bool,
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

    /// The fault in one sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The fault with the key or position of the value that contains it.
    pub(super) fn within(mut self, key: impl fmt::Display) -> Self {
        self.0.path.push(key.to_string());
        self
    }
}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(Inner { path: Vec::new(), missing: false, message: message.to_string() }))
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
