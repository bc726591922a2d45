//! Why a value of a document cannot be read, and where it stands.

use std::fmt;

use super::{Value, nearest};

/// Why a value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The keys of the objects and lists around what is wrong, outermost first.
    pub(crate) path: Vec<String>,
    /// Whether something is missing, so that nothing that is there is wrong.
    pub(crate) missing: bool,
    message: String,
}

impl Fault {
    fn new(message: String) -> Self {
        Self { path: Vec::new(), missing: false, message }
    }

    /// Another value stands where this was expected.
    pub(crate) fn expected(what: &str, found: &Value) -> Self {
        let found = match found {
            Value::Null => "`null`",
            Value::Bool(_) => "`true` or `false`",
            Value::Whole(number) => return Self::new(format!("expected {what}, not {number}")),
            Value::Number(number) => return Self::new(format!("expected {what}, not {number:e}")),
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        };
        Self::new(format!("expected {what}, not {found}"))
    }

    /// Nothing has this name: of a field, say, or of a variant.
    pub(crate) fn unknown(kind: &str, name: &str, known: &[&str]) -> Self {
        let message = format!("unknown {kind} `{name}`, expected one of `{}`", known.join("`, `"));
        Self::new(match nearest(name, known.iter().copied()) {
            Some(near) => format!("{message}: did you mean `{near}`?"),
            None => message,
        })
    }

    /// What has this name has to be there.
    pub(crate) fn missing(name: &str) -> Self {
        Self { missing: true, ..Self::new(format!("missing field `{name}`")) }
    }

    /// The same, of a value that stands under this key.
    pub(crate) fn below(mut self, key: &str) -> Self {
        self.path.insert(0, key.to_owned());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
