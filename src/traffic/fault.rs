//! Reasons why a text is not read as a trace.

use std::fmt;

use super::Format;

/// Reason why a text is not read as a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is in no known format.
    Unknown,
    /// No request has an output length.
    Outputs {
        /// Format of the requests.
        format: Format,
        /// Name of the field in which the format has it.
        field: &'static str,
    },
    /// No request has both a prompt and an answer.
    Empty {
        /// Format of the requests.
        format: Format,
    },
    /// The prompts of sessions, which repeat their earlier turns, have more than 4 million prefix blocks in all.
    TooLong,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is not a request trace in a known format"),
            Self::Outputs { format, field } => write!(
                f,
                "has requests in the format of {}, but not how many tokens each generates: add `{field}` to its lines",
                format.name()
            ),
            Self::Empty { format } => {
                write!(f, "has no request in the format of {} with both a prompt and an answer", format.name())
            }
            Self::TooLong => f.write_str(
                "has sessions whose prompts, which repeat the turns before them, are too long in all: keep fewer of them",
            ),
        }
    }
}

impl std::error::Error for Fault {}
