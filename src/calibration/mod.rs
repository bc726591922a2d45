//! A visitor's own calibration: five corrections, fitted to the rows that were measured on one machine and its software.
//!
//! The logarithms of the corrections have a normal prior about 0 and each row's log(measured / predicted) has a normal
//! error, both as wide as those of published rows that nothing was fitted on ([`Prior`]). The fit is the most probable point, by
//! Gauss-Newton steps with numerical derivatives; a row that is far off weighs less (Huber 1964). Few rows move the
//! corrections little, and only those that they speak of: one GPU says nothing of links.

mod correction;
mod fit;
mod linear;
mod measured;
mod prior;
mod range;
mod result;
mod row;
mod solve;

pub use correction::Correction;
pub use fit::{MAX_ROWS, fit, fit_under, tangent};
pub use linear::{Equation, Estimate, estimate, estimate_with_scatter};
pub use measured::rows_of;
pub use prior::{Level, Prior, Topic};
pub use range::{EIGHT_OF_TEN, reach};
pub use result::{Calibration, CalibrationError, Errors, RowResult};
pub use row::Row;

/// Corrections that are fitted.
pub const COUNT: usize = Correction::ALL.len();

/// One number for each correction.
pub type Vector = [f64; COUNT];

/// One number for each pair of corrections.
pub type Matrix = [Vector; COUNT];
