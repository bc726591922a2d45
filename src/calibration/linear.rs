//! Maximum a posteriori (MAP) estimate of the corrections for residuals that are linear in the corrections' logarithms.

use super::prior::{FREEDOM, Prior};
use super::solve::{Normal, dot, variance};
use super::time_kind::TimeKind;
use super::{Matrix, Vector};

/// A row's linearised residual: log(measured / predicted) = `residual` − `slope` · logarithms of the corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equation {
    /// log(measured / predicted) with all corrections at 1, extrapolated linearly from the current point.
    pub residual: f64,
    /// Derivative of log(predicted) with respect to the logarithm of each correction.
    pub slope: Vector,
    /// The measured quantity, which determines the row's scatter.
    pub kind: TimeKind,
}

/// Huber's threshold in standard deviations: rows with larger residuals get less weight. Usual values are 1.345 to 2.
const FAR: f64 = 1.5;

/// Weight of the published rows' scatter, in rows. The visitor's rows have weight 1 each, since their scatter may
/// differ.
const SCATTER_ROWS: f64 = 2.0;

/// Iterations of reweighted least squares. Weights, scatter and solution converge to 0.1 %.
const ROUNDS: u32 = 20;

/// Posterior of the corrections' logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Most probable logarithms.
    pub logarithms: Vector,
    /// Covariance of the logarithms.
    pub covariance: Matrix,
    /// Standard deviation of log(measured / predicted) about the corrected prediction, by kind of time.
    pub scatter: [f64; TimeKind::ALL.len()],
    /// Huber weight of each row: 1, or less if its residual exceeds the threshold.
    pub weights: Vec<f64>,
}

impl Estimate {
    /// A row's residual with the estimated corrections.
    pub fn left(&self, equation: &Equation) -> f64 {
        equation.residual - dot(&equation.slope, &self.logarithms)
    }

    /// Weight of the prior of the correction at `place`: the expected precision of a t-distribution as a mixture of normal
    /// ones (Lange, Little and Taylor 1989, section 3), relative to that of its scale. It is 1 without rows, and falls as
    /// rows move the correction away from 1.
    pub fn prior_weight(&self, prior: &Prior, place: usize) -> f64 {
        let scale = prior.corrections[place] * prior.corrections[place];
        (FREEDOM + 1.0) / (FREEDOM + self.square(place) / scale)
    }

    /// Fraction of the prior variance of the correction at `place` that the rows remove. The prior's variance is that of the
    /// normal distribution with the weight above, which is wider for a correction that rows move far.
    pub fn information(&self, prior: &Prior, place: usize) -> f64 {
        let scale = prior.corrections[place] * prior.corrections[place];
        1.0 - self.covariance[place][place] * self.prior_weight(prior, place) / scale
    }

    /// Expected square of the logarithm of the correction at `place`.
    pub fn square(&self, place: usize) -> f64 {
        self.logarithms[place] * self.logarithms[place] + self.covariance[place][place]
    }

    /// Standard deviation of log(measured / predicted) of a new row with this kind and slope: its scatter and the
    /// uncertainty of the corrections, combined in quadrature.
    pub fn deviation(&self, kind: TimeKind, slope: &Vector) -> f64 {
        let scatter = self.scatter[kind as usize];
        libm::sqrt(scatter * scatter + variance(slope, &self.covariance))
    }
}

/// Estimates the corrections. The scatter of each kind of time is pooled from the published rows' and that of the given rows.
pub fn estimate(prior: &Prior, equations: &[Equation]) -> Estimate {
    settled(prior, equations, SCATTER_ROWS)
}

/// Estimates the corrections with the prior's scatter held fixed. Used to estimate the prior itself.
pub fn estimate_with_scatter(prior: &Prior, equations: &[Equation]) -> Estimate {
    settled(prior, equations, f64::INFINITY)
}

fn settled(prior: &Prior, equations: &[Equation], scatter_rows: f64) -> Estimate {
    let (logarithms, covariance) = Normal::prior(&prior.corrections).solved();
    let weights = vec![1.0; equations.len()];
    let mut estimate = Estimate { logarithms, covariance, scatter: prior.scatter, weights };
    for _ in 0..ROUNDS {
        for (place, equation) in equations.iter().enumerate() {
            let off = estimate.left(equation).abs() / estimate.scatter[equation.kind as usize];
            estimate.weights[place] = if off > FAR { FAR / off } else { 1.0 };
        }
        let deviation =
            |place: usize| prior.corrections[place] / libm::sqrt(estimate.prior_weight(prior, place));
        let mut normal = Normal::prior(&std::array::from_fn(deviation));
        for (equation, weight) in equations.iter().zip(&estimate.weights) {
            let scatter = estimate.scatter[equation.kind as usize];
            normal.add(&equation.slope, equation.residual, weight / (scatter * scatter));
        }
        (estimate.logarithms, estimate.covariance) = normal.solved();
        if scatter_rows.is_finite() {
            estimate.scatter = scattered(prior, equations, &estimate, scatter_rows);
        }
    }
    estimate
}

/// The scatter of each kind of time: the prior's, weighted as `scatter_rows` rows, pooled with the residuals of the given
/// rows.
fn scattered(
    prior: &Prior,
    equations: &[Equation],
    estimate: &Estimate,
    scatter_rows: f64,
) -> [f64; TimeKind::ALL.len()] {
    TimeKind::ALL.map(|kind| {
        let known = prior.scatter[kind as usize];
        let (mut sum, mut rows) = (scatter_rows * known * known, scatter_rows);
        for (equation, weight) in equations.iter().zip(&estimate.weights) {
            if equation.kind == kind {
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
        Equation { residual, slope, kind: TimeKind::Step }
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

    /// Rows that agree with each other move a correction to where they are, however far that is from the prior. A row alone
    /// does not.
    #[test]
    fn rows_that_agree_outweigh_the_prior() {
        let prior = Prior::of(Level::Home);
        let row = equation(0.6, [1.0, 0.0, 0.0, 0.0, 0.0]);
        let of = |count: usize| estimate(&prior, &vec![row; count]);
        assert!(prior.corrections[0] < 0.15 && of(3).logarithms[0] > 0.5, "{:?}", of(3));
        assert!(of(1).logarithms[0] < 0.5 * 0.6, "{:?}", of(1));
        assert!(of(3).prior_weight(&prior, 0) < 0.2);
    }

    /// A row's influence is at most that of a row at Huber's threshold.
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
