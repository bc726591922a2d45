//! A number with its source and confidence.

use serde::{Deserialize, Serialize};

/// A number that a reader may doubt, and change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced {
    /// The number, in the unit of its field.
    pub value: f64,
    /// Publication of the number, or its derivation.
    pub source: String,
    /// Confidence in the number.
    pub confidence: Confidence,
}

/// Confidence in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Recalled, estimated or extrapolated.
    Low,
    /// Derived from published figures, or published by a party with an interest in it.
    Medium,
    /// Published and confirmed, or a definition.
    High,
}

impl Confidence {
    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
