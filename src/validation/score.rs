//! Errors of a set of predictions against measurements.

use super::Quantity;
use crate::order::quantile;

/// Errors of a set of predictions, as fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Number of predictions.
    pub count: usize,
    /// Mean of |prediction / measurement − 1|.
    pub mean: f64,
    /// Median of |prediction / measurement − 1|.
    pub median: f64,
    /// 90th percentile of |prediction / measurement − 1|.
    pub p90: f64,
    /// Geometric mean of prediction / measurement, minus one: above zero where predictions are too high.
    pub bias: f64,
}

impl Score {
    /// Scores pairs of prediction and measurement. Pairs with a value that is not above zero are left out.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut errors = Vec::new();
        let mut logs = 0.0;
        for (predicted, measured) in pairs {
            let ratio = predicted / measured;
            if ratio.is_finite() && ratio > 0.0 {
                errors.push((ratio - 1.0).abs());
                logs += libm::log(ratio);
            }
        }
        if errors.is_empty() {
            return Self::default();
        }
        errors.sort_by(f64::total_cmp);
        let count = errors.len();
        Self {
            count,
            mean: errors.iter().sum::<f64>() / count as f64,
            median: quantile(&errors, 0.5),
            p90: quantile(&errors, 0.9),
            bias: libm::expm1(logs / count as f64),
        }
    }

    /// Share of predictions of a yes or no that are right.
    pub fn right(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
        let (mut right, mut count) = (0_u32, 0_u32);
        for (predicted, measured) in pairs {
            right += u32::from((predicted > 0.5) == (measured > 0.5));
            count += 1;
        }
        (count > 0).then(|| f64::from(right) / f64::from(count))
    }

    /// Returns true if a quantity is a yes or no, for which relative errors mean nothing.
    pub fn is_choice(quantity: Quantity) -> bool {
        quantity == Quantity::Fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_known_pairs() {
        let score = Score::of([(1.1, 1.0), (0.8, 1.0), (1.0, 1.0), (2.0, 0.0)]);
        assert_eq!(score.count, 3);
        assert!((score.mean - 0.1).abs() < 1e-12);
        assert!((score.median - 0.1).abs() < 1e-12);
        assert!((score.p90 - 0.18).abs() < 1e-12);
        assert!((score.bias - (libm::cbrt(0.88) - 1.0)).abs() < 1e-12);
        assert_eq!(Score::of([]), Score::default());
    }

    #[test]
    fn a_choice_is_right_or_wrong() {
        assert_eq!(Score::right([(1.0, 1.0), (0.0, 1.0)]), Some(0.5));
        assert_eq!(Score::right([]), None);
    }
}
