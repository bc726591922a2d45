//! The p-norm, which combines durations that overlap in part.

/// An exponent at which the norm is the larger of its arguments.
pub(super) const LARGEST: f64 = 64.0;

/// The p-norm of two durations, (aᵖ + bᵖ)^(1/p), in their unit: their sum for p = 1, their maximum for a large p.
pub fn p_norm(a: f64, b: f64, p: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large <= 0.0 {
        return 0.0;
    }
    if p >= LARGEST {
        return large;
    }
    // Logarithms take half the time of two calls of `pow`.
    let share = libm::exp(p * libm::log(small / large));
    large * libm::exp(libm::log1p(share) / p)
}
