//! Why a text is no measurement.

use std::fmt;

use super::read::MAX_BYTES;
use crate::units::{Amount, Bytes};

/// Why a text is no measurement that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No format that is known.
    Unknown,
    /// More than is read.
    TooLong {
        /// Its bytes.
        bytes: u64,
    },
    /// No text.
    Binary,
    /// A format that is known but not read.
    Unread {
        /// What it is.
        what: &'static str,
        /// What of the same run is read.
        instead: &'static str,
    },
    /// A format that is cut short or damaged.
    Broken {
        /// What it seemed to be.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// There is nothing measured in it.
    Empty {
        /// What it is.
        what: &'static str,
        /// What was looked for.
        wanted: &'static str,
    },
    /// A unit that the quantity is never in.
    Unit {
        /// What it is.
        what: &'static str,
        /// The quantity.
        field: String,
        /// The unit as found.
        unit: String,
        /// Units that would be understood.
        known: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is no benchmark result and no training log that is known"),
            Self::TooLong { bytes } => {
                let amount = |bytes: u64| Amount::traffic(Bytes::new(bytes as f64));
                let (has, most) = (amount(*bytes), amount(MAX_BYTES as u64));
                write!(
                    f,
                    "has {has}; at most {most} are read: keep the lines with steps, or the summary, and drop the rest"
                )
            }
            Self::Binary => {
                f.write_str("is no text: unpack it, or save the benchmark's JSON, CSV or console")
            }
            Self::Unread { what, instead } => write!(f, "is {what}, which is not read yet: use {instead}"),
            Self::Broken { what, why } => write!(f, "looks like {what} but cannot be read: {why}"),
            Self::Empty { what, wanted } => write!(f, "looks like {what} but has no {wanted}"),
            Self::Unit { what, field, unit, known } => {
                write!(f, "looks like {what}, but its {field} is in `{unit}`: {known} are understood")
            }
        }
    }
}

impl std::error::Error for Fault {}
