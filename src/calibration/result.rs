//! Result of a calibration: corrections, their uncertainties, and the influence of each row.

use std::fmt;

use super::Vector;
use super::fit::{Fitted, MAX_ROWS};
use super::linear::{Equation, Estimate, estimate};
use super::prior::{Prior, Topic};
use crate::scenario::Profile;
use crate::system::Corrections;
use crate::validation::Skip;

/// Corrections fitted to measured rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The corrections, rounded to four decimals.
    pub corrections: Corrections,
    /// Prior standard deviations of the corrections' logarithms.
    pub prior: Vector,
    /// Posterior standard deviations of the corrections' logarithms.
    pub deviations: Vector,
    /// The result of each fitted row, in the order in which rows were given.
    pub rows: Vec<RowResult>,
    /// Indices of rows that were not fitted, with the reason.
    pub skipped: Vec<(usize, Skip)>,
    /// Standard deviation of log(measured / predicted) expected of new rows like the fitted ones, for each topic with
    /// fitted rows. It combines scatter and the uncertainty of the corrections.
    pub spreads: Vec<(Topic, f64)>,
}

/// Result of one fitted row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowResult {
    /// Index among the given rows.
    pub place: usize,
    /// log(measured / predicted) without corrections; a rate counts as the inverse of a time.
    pub before: f64,
    /// log(measured / predicted) with the fitted corrections.
    pub after: f64,
    /// log(measured / predicted) with corrections fitted to the other rows (leave-one-out).
    pub left_out: f64,
    /// Huber weight: 1, or less for an outlier.
    pub weight: f64,
    /// Influence on the logarithm of each correction: its value minus that of the leave-one-out fit.
    pub moved: Vector,
}

/// Mean absolute errors over the fitted rows, as fractions of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Error without corrections.
    pub before: f64,
    /// Error with the fitted corrections.
    pub after: f64,
    /// Error with corrections fitted to the other rows (leave-one-out).
    pub left_out: f64,
}

/// Why a calibration failed.
#[derive(Clone, Debug, PartialEq)]
pub enum CalibrationError {
    /// More than [`MAX_ROWS`] rows were given.
    TooMany(usize),
    /// No row can be fitted; index and reason of each row.
    NoRow(Vec<(usize, Skip)>),
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(rows) => {
                write!(f, "{rows} rows exceed the limit of {MAX_ROWS} rows per calibration")
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
            left_out: mean(|row| row.left_out),
        }
    }

    /// The fitted corrections as a profile with this name.
    pub fn profile(&self, name: &str) -> Profile {
        let mut profile = Profile { name: name.to_owned(), ..Profile::of(self.corrections) };
        profile.rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        for (topic, spread) in &self.spreads {
            *topic.spread(&mut profile) = rounded(*spread);
        }
        profile
    }
}

/// Rounds to four decimals, which keeps links short and is far finer than the fit's uncertainty.
fn rounded(number: f64) -> f64 {
    libm::round(number * 1e4) / 1e4
}

/// Builds the result of a fit. `equations` are the rows' residuals, linearised at the fitted point.
pub(super) fn summed_up(
    prior: &Prior,
    fitted: &[Fitted<'_>],
    equations: &[Equation],
    found: &Estimate,
    skipped: Vec<(usize, Skip)>,
) -> Calibration {
    let of = |(index, (fitted, equation)): (usize, (&Fitted<'_>, &Equation))| {
        let mut others = equations.to_vec();
        others.remove(index);
        let others = estimate(prior, &others);
        RowResult {
            place: fitted.place,
            before: fitted.before,
            after: found.left(equation),
            left_out: others.left(equation),
            weight: found.weights[index],
            moved: std::array::from_fn(|place| found.logarithms[place] - others.logarithms[place]),
        }
    };
    let mut rows: Vec<RowResult> = fitted.iter().zip(equations).enumerate().map(of).collect();
    crate::order::sort(&mut rows, |a, b| a.place.cmp(&b.place));
    let spread = |topic: Topic| {
        let of: Vec<f64> = equations
            .iter()
            .filter(|equation| equation.topic == topic)
            .map(|equation| found.deviation(topic, &equation.slope))
            .collect();
        let square: f64 = of.iter().map(|deviation| deviation * deviation).sum();
        (!of.is_empty()).then(|| (topic, libm::sqrt(square / of.len() as f64)))
    };
    Calibration {
        corrections: Corrections::of(found.logarithms.map(|logarithm| rounded(libm::exp(logarithm)))),
        prior: prior.corrections,
        deviations: std::array::from_fn(|place| libm::sqrt(found.covariance[place][place].max(0.0))),
        rows,
        skipped,
        spreads: Topic::ALL.into_iter().filter_map(spread).collect(),
    }
}
