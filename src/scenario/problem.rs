//! Problems of a question, shown beside the invalid field.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a scenario cannot be answered, or what about it was ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The document path of the field, e.g. `parallelism.tensor`.
    pub field: String,
    /// The problem and the allowed values: one sentence without a full stop.
    pub message: String,
}

impl Problem {
    /// A problem with the field at this document path.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for Problem {}
