//! A number with where it comes from and how far it can be trusted.

use serde::{Deserialize, Serialize};

/// A number that a reader may doubt, and change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced {
    /// The number, in the unit that its field says.
    pub value: f64,
    /// Where it was read, or how it was derived.
    pub source: String,
    /// How far it can be trusted.
    pub confidence: Confidence,
}

/// How far a number can be trusted.
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
    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
