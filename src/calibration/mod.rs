//! Calibration to a visitor's own system: five corrections, fitted to rows measured with one machine and its software.
//!
//! The logarithm of each correction has a t-distribution about 0 as prior, and the log(measured / predicted) of each row
//! has a normal error. The scales of both come from published rows that no constant was fitted on ([`Prior`]). The fit is
//! the maximum a posteriori estimate, found by Gauss-Newton steps with numerical derivatives; Huber weights (Huber 1964)
//! limit the influence of outliers. The tails of the prior let rows that agree move a correction far. A row changes only the
//! corrections that its prediction depends on: a run on one GPU leaves the link correction at its prior.

mod collected;
mod correction;
mod difference;
mod fit;
mod linear;
mod measured;
mod prior;
mod range;
mod result;
mod row;
mod run;
mod solve;
mod sources;
mod time_kind;

pub use collected::{Collected, Kept, collect, put, row_name};
pub use correction::Correction;
pub use difference::{Cause, Difference};
pub use fit::{Fit, LARGEST, fit, fit_under};
pub use linear::{Equation, Estimate, estimate, estimate_with_scatter};
pub use measured::rows_of;
pub use prior::{Level, Prior, SIXTY_EIGHT};
pub use range::{EIGHT_OF_TEN, deviation, reach};
pub use result::{Calibration, CalibrationError, Errors, MAX_ROWS, RowResult};
pub use row::Row;
pub use run::tangent;
pub use sources::Sources;
pub use time_kind::TimeKind;

/// Number of corrections.
pub const COUNT: usize = Correction::ALL.len();

/// One value for each correction, in the order of [`Correction::ALL`].
pub type Vector = [f64; COUNT];

/// One value for each pair of corrections.
pub type Matrix = [Vector; COUNT];
