//! Values evenly spaced in the logarithm.

/// Points between two ends, evenly spaced in the logarithm, ends included.
pub(super) fn logarithmic(from: f64, to: f64, points: usize) -> impl Iterator<Item = f64> {
    let ratio = libm::log(to / from);
    let last = points.saturating_sub(1).max(1) as f64;
    (0..points).map(move |index| from * libm::exp(ratio * index as f64 / last))
}
