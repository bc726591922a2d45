//! Computed values that links carry.

/// The value as links carry it: values of 1 and more with five decimals, smaller ones with six significant digits. A point of a chart
/// is computed at this value, so that its link opens the same answer: near saturation, latencies depend on further digits of the rate.
pub(crate) fn rounded(value: f64) -> f64 {
    let small = if value > 0.0 { (-libm::floor(libm::log10(value))).clamp(0.0, 300.0) } else { 0.0 };
    let scale = libm::pow(10.0, 5.0 + small);
    libm::round(value * scale) / scale
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn small_values_keep_their_digits() {
        let is = |value: f64, expected: f64| assert!((rounded(value) - expected).abs() < 1e-12, "{value}");
        is(37.142_594_9, 37.142_59);
        is(0.001_234_567_89, 0.001_234_57);
        is(0.0, 0.0);
    }
}
