//! A ratio of a measured time to its prediction, in words: one form wherever such a ratio stands.

use crate::units::format;

/// From this ratio on, a factor is easier to read than a percentage.
const FACTOR_FROM: f64 = 2.0;

/// A ratio with its sign: `+12.3 %`, `−40.0 %`, `3.74×`.
pub(in crate::view) fn signed(ratio: f64) -> String {
    if ratio < FACTOR_FROM { format::signed_percent(ratio - 1.0) } else { format::times(ratio) }
}

/// A ratio above 1, of a mean without a sign: `12.3 %`, `3.74×`.
pub(in crate::view) fn unsigned(ratio: f64) -> String {
    if ratio < FACTOR_FROM { format::percent(ratio - 1.0) } else { format::times(ratio) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_ratio_has_one_form() {
        assert_eq!(
            [1.123, 0.6, 1.0, 1.99, 3.74].map(signed),
            ["+12.3 %", "−40.0 %", "0 %", "+99.0 %", "3.74×"]
        );
        assert_eq!([1.123, 3.74].map(unsigned), ["12.3 %", "3.74×"]);
    }
}
