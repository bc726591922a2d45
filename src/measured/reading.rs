//! What a file measured: values, time by activity, and rows that were left out.

use super::{Kind, Statistic};
use crate::estimate::Activity;

/// A measured number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The quantity.
    pub kind: Kind,
    /// The statistic of the quantity.
    pub statistic: Statistic,
    /// The value, in the base unit of the kind.
    pub value: f64,
}

/// Time of one activity: the mean per step, or the total of a profile without steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The activity.
    pub activity: Activity,
    /// Time, s.
    pub time: f64,
    /// Number of kernels; a mean over steps need not be whole.
    pub kernels: f64,
}

/// Rows that the readings leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Number of rows.
    pub rows: u32,
    /// Reason, as a phrase after the number: `that failed`.
    pub why: &'static str,
}
