//! Values of a figure that a comparison draws beside those of other questions.

use serde::{Deserialize, Serialize};

use crate::units::Amount;

/// A value of a plan, a fleet, an accelerator or a node, which a figure carries for comparisons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparable {
    /// What has the value, e.g. `TP 4, PP 2` or `H100 SXM`.
    pub of: String,
    /// Link to the question behind the value, without `#`; empty if it opens none.
    pub link: String,
    /// The quantity over which the value is a curve; `None` if values are compared by name.
    pub at: Option<Amount>,
    /// The value.
    pub value: Amount,
}

impl Comparable {
    /// A point of a curve.
    pub(super) const fn point(of: String, link: String, at: Amount, value: Amount) -> Self {
        Self { of, link, at: Some(at), value }
    }

    /// A value that is compared with those of the same name.
    pub(super) const fn named(of: String, link: String, value: Amount) -> Self {
        Self { of, link, at: None, value }
    }
}
