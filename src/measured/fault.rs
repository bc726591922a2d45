//! Errors of reading a measurement.

use std::fmt;

use super::limits::{MAX_BYTES, MAX_KERNELS};
use crate::units::{Amount, Bytes};

/// Reasons why a text could not be read as a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is in no known format.
    Unknown,
    /// The text is longer than [`MAX_BYTES`].
    TooLong {
        /// Length of the text, bytes.
        bytes: u64,
    },
    /// The trace has more kernels than [`MAX_KERNELS`].
    Kernels,
    /// The file is binary.
    Binary,
    /// A known format that has no reader.
    Unread {
        /// Name of the format, with an article.
        what: &'static str,
        /// The output of the same run to open instead.
        instead: &'static str,
    },
    /// A known format whose quantities no view predicts.
    Unpredicted {
        /// Name of the format, with an article.
        what: &'static str,
        /// Reason, as a clause.
        because: &'static str,
    },
    /// A known format, cut short or damaged.
    Broken {
        /// Name of the format that its keys suggest, with an article.
        what: &'static str,
        /// Message of the JSON parser.
        why: String,
    },
    /// A known format without a measured value.
    Empty {
        /// Name of the format.
        what: &'static str,
        /// The value that is missing, in the singular.
        wanted: &'static str,
    },
    /// A unit that the quantity cannot have.
    Unit {
        /// Name of the format.
        what: &'static str,
        /// The quantity's name in the file.
        field: String,
        /// The unit in the file.
        unit: String,
        /// Supported units.
        known: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("is neither a benchmark result nor a training log in a known format")
            }
            Self::TooLong { bytes } => {
                let amount = |bytes: u64| Amount::traffic(Bytes::new(bytes as f64));
                let (has, most) = (amount(*bytes), amount(MAX_BYTES as u64));
                write!(
                    f,
                    "has {has}, but the limit is {most}: keep only the lines with steps, or the summary"
                )
            }
            Self::Kernels => write!(
                f,
                "has more than {} kernels: record fewer steps (two or three are enough)",
                Amount::count(MAX_KERNELS as f64)
            ),
            Self::Binary => {
                f.write_str("is not text: unpack it, or save the benchmark's JSON, CSV or console output")
            }
            Self::Unread { what, instead } => write!(f, "is {what}, which is not supported: use {instead}"),
            Self::Unpredicted { what, because } => write!(f, "is {what}, which no view predicts: {because}"),
            Self::Broken { what, why } => write!(f, "looks like {what} but cannot be read: {why}"),
            Self::Empty { what, wanted } => write!(f, "looks like {what} but has no {wanted}"),
            Self::Unit { what, field, unit, known } => {
                write!(f, "looks like {what}, but its {field} is in `{unit}`; supported units: {known}")
            }
        }
    }
}

impl std::error::Error for Fault {}
