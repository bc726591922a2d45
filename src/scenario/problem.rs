//! What is wrong with a question, said beside the field that is wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::catalog::nearest;

/// Why a scenario cannot be answered, or what about it was ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The document path of the field, e.g. `parallelism.tensor`.
    pub field: String,
    /// What is wrong and what would be allowed: one sentence without a full stop.
    pub message: String,
}

impl Problem {
    /// A problem with the field at this document path.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }

    /// What a JSON document got wrong, and where.
    pub(super) fn from_json_error(error: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let path = error.path().to_string();
        let field = if path == "." { "document".to_owned() } else { path };
        Self::new(field, Self::explain(error.inner()))
    }

    /// What JSON got wrong, and for an unknown field the nearest known one.
    pub(super) fn explain(error: &serde_json::Error) -> String {
        let message = error.to_string();
        // serde quotes the unknown name first, then every name that it expected.
        let mut quoted = message.split('`').skip(1).step_by(2);
        let near = match (message.starts_with("unknown "), quoted.next()) {
            (true, Some(unknown)) => nearest(unknown, quoted),
            _ => None,
        };
        match near {
            Some(near) => format!("{message}: did you mean `{near}`?"),
            None => message,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for Problem {}
