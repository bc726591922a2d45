//! Values of fields in links to computed questions.

/// The value rounded to five decimals, as near to a computed one as answers need: near saturation, latencies depend on further
/// digits of the rate.
pub(super) fn rounded(value: f64) -> f64 {
    libm::round(value * 1e5) / 1e5
}
