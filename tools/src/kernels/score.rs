//! Errors of predictions against measurements.

use foretoken::system::System;

use super::Sample;

/// Errors over some rows, as fractions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Rows.
    pub rows: usize,
    /// Mean of |predicted / measured - 1|.
    pub mean: f64,
    /// Median of the absolute relative error.
    pub median: f64,
    /// 90th percentile of the absolute relative error.
    pub ninth: f64,
    /// Geometric mean of predicted / measured, less 1.
    pub bias: f64,
}

/// Part of a sample.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    /// Rows that constants are fitted on.
    Fitted,
    /// Rows that are scored.
    Scored,
}

impl Sample {
    /// Indices of the rows of a part, without those left out.
    pub fn rows(&self, part: Part) -> Vec<usize> {
        self.all_rows(part).into_iter().filter(|index| !self.dropped.has(*index)).collect()
    }

    /// Indices of the rows of a part.
    pub fn all_rows(&self, part: Part) -> Vec<usize> {
        let fitted = part == Part::Fitted;
        (0..self.kernels.len()).filter(|index| (index % self.every == 0) == fitted).collect()
    }
}

/// The errors of a system on these rows.
pub fn score(system: &System, sample: &Sample, rows: &[usize]) -> Score {
    if rows.is_empty() {
        return Score::default();
    }
    let mut errors = Vec::new();
    let mut log = 0.0;
    for &index in rows {
        let kernel = &sample.kernels[index];
        let ratio = system.cost(&kernel.work).time.get() / kernel.measured;
        errors.push((ratio - 1.0).abs());
        log += libm::log(ratio);
    }
    errors.sort_by(f64::total_cmp);
    let count = errors.len();
    Score {
        rows: count,
        mean: errors.iter().sum::<f64>() / count as f64,
        median: errors[count / 2],
        ninth: errors[(count - 1) * 9 / 10],
        bias: libm::exp(log / count as f64) - 1.0,
    }
}

/// Loss of a fit: the mean of half the logarithmic and half the relative error, so that neither doubling nor halving is
/// cheap.
pub fn loss(system: &System, sample: &Sample, rows: &[usize]) -> f64 {
    let mut sum = 0.0;
    for &index in rows {
        let kernel = &sample.kernels[index];
        let ratio = system.cost(&kernel.work).time.get() / kernel.measured;
        sum += 0.5 * (libm::log(ratio).abs() + (ratio - 1.0).abs());
    }
    sum / rows.len() as f64
}
