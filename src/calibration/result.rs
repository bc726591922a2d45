//! What a fit says: corrections, how certain they are, and what each row did.

use std::fmt;

use super::Vector;
use super::fit::{Fitted, MAX_ROWS};
use super::linear::{Equation, Estimate, estimate};
use super::prior::{Prior, Topic};
use crate::scenario::Profile;
use crate::system::Corrections;
use crate::validation::Skip;

/// Corrections that were fitted to rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The corrections, with four digits.
    pub corrections: Corrections,
    /// Standard deviations of their logarithms before the rows.
    pub prior: Vector,
    /// Standard deviations of their logarithms after the rows.
    pub deviations: Vector,
    /// What each row that was fitted says, in the order in which rows were given.
    pub rows: Vec<RowResult>,
    /// Places of rows that were not fitted, and why.
    pub skipped: Vec<(usize, Skip)>,
    /// Standard deviation of log(measured / predicted) of other rows like these, where there were any: their scatter, and
    /// what is not known of the corrections.
    pub spreads: Vec<(Topic, f64)>,
}

/// What one row says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowResult {
    /// Its place among the rows that were given.
    pub place: usize,
    /// log(measured / predicted) as times without corrections.
    pub before: f64,
    /// The same with them.
    pub after: f64,
    /// The same with the corrections that the other rows give.
    pub left_out: f64,
    /// What it weighs: 1, or less where it is far off.
    pub weight: f64,
    /// By how much it moved the logarithm of each correction.
    pub moved: Vector,
}

/// Mean error of rows before, after, and with the corrections of the other rows, as a fraction of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Without corrections.
    pub before: f64,
    /// With them.
    pub after: f64,
    /// Each row with the corrections that the others give.
    pub left_out: f64,
}

/// Why nothing was fitted.
#[derive(Clone, Debug, PartialEq)]
pub enum CalibrationError {
    /// There are more rows than a fit takes.
    TooMany(usize),
    /// The model has no prediction of any row: their places, and why.
    NoRow(Vec<(usize, Skip)>),
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(rows) => {
                write!(f, "{rows} rows are more than the {MAX_ROWS} that one calibration takes")
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
    /// Mean errors of the rows.
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

    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Profile {
        let mut profile = Profile { name: name.to_owned(), ..Profile::of(self.corrections) };
        profile.rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        for (topic, spread) in &self.spreads {
            *topic.spread(&mut profile) = rounded(*spread);
        }
        profile
    }
}

/// Four digits after the point: more would be longer links and say nothing.
fn rounded(number: f64) -> f64 {
    libm::round(number * 1e4) / 1e4
}

/// The result of rows whose tangents at the point that was found are these equations.
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
