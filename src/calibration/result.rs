//! Result of a calibration: corrections, their uncertainties, and the influence of each row.

use std::fmt;

use super::{TimeKind, Vector};
use crate::catalog;
use crate::scenario::Profile;
use crate::system::Corrections;
use crate::validation::Skip;

/// Maximum number of rows in one fit.
pub const MAX_ROWS: usize = 256;

/// Corrections fitted to measured rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The corrections, rounded to four decimals.
    pub corrections: Corrections,
    /// Scales of the prior t-distributions of the corrections' logarithms.
    pub prior: Vector,
    /// Posterior standard deviations of the corrections' logarithms.
    pub deviations: Vector,
    /// Id of the device of the fitted rows.
    pub gpu: String,
    /// The software of the fitted rows, as words separated by commas.
    pub software: String,
    /// Number of runs that were fitted. A run has one or two values.
    pub runs: u32,
    /// The result of each fitted value, in the order in which rows were given.
    pub rows: Vec<RowResult>,
    /// Indices of rows that were not fitted, with the reason.
    pub skipped: Vec<(usize, Skip)>,
    /// Standard deviation of log(measured / predicted) expected of new rows like the fitted ones, for each kind with
    /// fitted rows. It combines scatter and the uncertainty of the corrections.
    pub spreads: Vec<(TimeKind, f64)>,
}

/// Result of one fitted value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowResult {
    /// Index among the given rows.
    pub place: usize,
    /// log(measured / predicted) without corrections; a rate counts as the inverse of a time.
    pub before: f64,
    /// log(measured / predicted) with the fitted corrections.
    pub after: f64,
    /// log(measured / predicted) with corrections fitted to the other runs (leave-one-out). Without other runs, the
    /// corrections are 1.
    pub left_out: f64,
    /// Huber weight: 1, or less for an outlier.
    pub weight: f64,
    /// Influence of the value's run on the logarithm of each correction: its value minus that of the leave-one-out fit.
    pub moved: Vector,
}

/// Mean absolute errors over the fitted values, as fractions of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Error without corrections.
    pub before: f64,
    /// Error with the fitted corrections.
    pub after: f64,
    /// Error with corrections fitted to the other runs (leave-one-out); `None` for a single run.
    pub left_out: Option<f64>,
}

/// Why a calibration failed.
#[derive(Clone, Debug, PartialEq)]
pub enum CalibrationError {
    /// More than [`MAX_ROWS`] values were given.
    TooMany(usize),
    /// The rows were measured on several devices, by id.
    Devices(Vec<String>),
    /// No row can be fitted; index and reason of each row.
    NoRow(Vec<(usize, Skip)>),
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(rows) => {
                write!(f, "{rows} values exceed the limit of {MAX_ROWS} values per calibration")
            }
            Self::Devices(devices) => {
                let names = devices
                    .iter()
                    .map(|id| catalog::accelerator(id).map_or(id.as_str(), |entry| &entry.name));
                write!(
                    f,
                    "the rows are of several devices ({}): a calibration describes one. Remove the rows of the others",
                    names.collect::<Vec<&str>>().join(", ")
                )
            }
            Self::NoRow(skipped) => match skipped.first() {
                None => write!(f, "there are no measured rows to calibrate on"),
                Some((_, skip)) => write!(f, "none of the measured rows can be predicted: {skip}"),
            },
        }
    }
}

impl std::error::Error for CalibrationError {}

impl Calibration {
    /// Mean absolute errors over the fitted rows.
    pub fn errors(&self) -> Errors {
        let mean = |of: fn(&RowResult) -> f64| {
            let sum: f64 = self.rows.iter().map(|row| libm::expm1(-of(row)).abs()).sum();
            sum / self.rows.len().max(1) as f64
        };
        Errors {
            before: mean(|row| row.before),
            after: mean(|row| row.after),
            left_out: (self.runs > 1).then(|| mean(|row| row.left_out)),
        }
    }

    /// The fitted corrections as a profile with this name.
    pub fn profile(&self, name: &str) -> Profile {
        let mut profile = Profile {
            name: name.to_owned(),
            gpu: self.gpu.clone(),
            software: self.software.clone(),
            rows: self.runs,
            ..Profile::of(self.corrections)
        };
        for (kind, spread) in &self.spreads {
            *kind.spread(&mut profile) = rounded(*spread);
        }
        profile
    }
}

/// Rounds to four decimals, which keeps links short and is far finer than the fit's uncertainty.
pub(super) fn rounded(number: f64) -> f64 {
    libm::round(number * 1e4) / 1e4
}
