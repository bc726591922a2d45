//! The most probable corrections of rows whose residuals are taken as linear in the corrections' logarithms.

use super::prior::{Prior, Topic};
use super::solve::{Normal, dot, variance};
use super::{Matrix, Vector};

/// A row's residual about a point, and how much of a correction it takes up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equation {
    /// log(measured / predicted) where all corrections are 1, by the tangent at the point that is looked at.
    pub residual: f64,
    /// By how much log(predicted) rises with the logarithm of each correction.
    pub slope: Vector,
    /// What was measured.
    pub topic: Topic,
}

/// Residuals beyond this many standard deviations weigh less: Huber's usual bound is 1.345 to 2.
const FAR: f64 = 1.5;

/// Rows that the corpus's scatter counts for, beside those of the visitor, whose scatter may be another.
const SCATTER_ROWS: f64 = 2.0;

/// Rounds between weights, scatter and solution. They settle to a thousandth in ten.
const ROUNDS: u32 = 12;

/// The most probable logarithms of corrections.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The logarithms.
    pub logarithms: Vector,
    /// Their covariance.
    pub covariance: Matrix,
    /// Standard deviation of rows about their predictions, by topic.
    pub scatter: [f64; Topic::ALL.len()],
    /// The weight of each row: 1, or less where it is far off.
    pub weights: Vec<f64>,
}

impl Estimate {
    /// What is left of a row's residual.
    pub fn left(&self, equation: &Equation) -> f64 {
        equation.residual - dot(&equation.slope, &self.logarithms)
    }

    /// Standard deviation of another row of this topic and slope about its prediction: its scatter, and what is not known of
    /// the corrections.
    pub fn deviation(&self, topic: Topic, slope: &Vector) -> f64 {
        let scatter = self.scatter[topic as usize];
        libm::sqrt(scatter * scatter + variance(slope, &self.covariance))
    }
}

/// The most probable logarithms, with the scatter of each topic between the corpus's and the rows' own.
pub fn estimate(prior: &Prior, equations: &[Equation]) -> Estimate {
    settled(prior, equations, SCATTER_ROWS)
}

/// The same with a scatter that the rows do not change, for the prior's own estimation.
pub fn estimate_with_scatter(prior: &Prior, equations: &[Equation]) -> Estimate {
    settled(prior, equations, f64::INFINITY)
}

fn settled(prior: &Prior, equations: &[Equation], scatter_rows: f64) -> Estimate {
    let (logarithms, covariance) = Normal::prior(&prior.corrections).solved();
    let weights = vec![1.0; equations.len()];
    let mut estimate = Estimate { logarithms, covariance, scatter: prior.scatter, weights };
    for _ in 0..ROUNDS {
        for (place, equation) in equations.iter().enumerate() {
            let off = estimate.left(equation).abs() / estimate.scatter[equation.topic as usize];
            estimate.weights[place] = if off > FAR { FAR / off } else { 1.0 };
        }
        let mut normal = Normal::prior(&prior.corrections);
        for (equation, weight) in equations.iter().zip(&estimate.weights) {
            let scatter = estimate.scatter[equation.topic as usize];
            normal.add(&equation.slope, equation.residual, weight / (scatter * scatter));
        }
        (estimate.logarithms, estimate.covariance) = normal.solved();
        if scatter_rows.is_finite() {
            estimate.scatter = scattered(prior, equations, &estimate, scatter_rows);
        }
    }
    estimate
}

/// The scatter of each topic: the corpus's as so many rows, and the rows that there are.
fn scattered(
    prior: &Prior,
    equations: &[Equation],
    estimate: &Estimate,
    scatter_rows: f64,
) -> [f64; Topic::ALL.len()] {
    Topic::ALL.map(|topic| {
        let known = prior.scatter[topic as usize];
        let (mut sum, mut rows) = (scatter_rows * known * known, scatter_rows);
        for (equation, weight) in equations.iter().zip(&estimate.weights) {
            if equation.topic == topic {
                let left = estimate.left(equation);
                (sum, rows) = (sum + weight * left * left, rows + 1.0);
            }
        }
        libm::sqrt(sum / rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Level;

    fn equation(residual: f64, slope: Vector) -> Equation {
        Equation { residual, slope, topic: Topic::Step }
    }

    #[test]
    fn nothing_measured_is_the_prior() {
        let prior = Prior::of(Level::Home);
        let found = estimate(&prior, &[]);
        assert_eq!((found.logarithms, found.scatter), ([0.0; 5], prior.scatter));
        for (place, deviation) in prior.corrections.into_iter().enumerate() {
            assert!((found.covariance[place][place] - deviation * deviation).abs() < 1e-12);
        }
    }

    /// A row counts at most as one that is as far off as Huber's bound.
    #[test]
    fn an_outlier_moves_no_more_than_its_weight() {
        let prior = Prior::of(Level::Home);
        let slope = [0.9, 0.1, 0.0, 0.0, 0.0];
        let mut rows = vec![equation(0.05, slope); 9];
        rows.push(equation(3.0, slope));
        let with = estimate(&prior, &rows);
        let weight = with.weights[9];
        assert!(
            weight < 0.2 && with.weights[..9].iter().all(|weight| (weight - 1.0).abs() < 1e-12),
            "{weight}"
        );
        let bound = FAR * with.scatter[0];
        assert!((with.left(&rows[9]).abs() * weight - bound).abs() < 0.05 * bound);
        rows.pop();
        let without = estimate(&prior, &rows);
        assert!((with.logarithms[0] - without.logarithms[0]).abs() < 0.08, "{with:?} {without:?}");
    }
}
