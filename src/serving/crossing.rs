//! The value that a falling function maps to itself.

/// Most evaluations of the function.
const ROUNDS: u32 = 60;

/// The value that a falling function maps to itself, between 0 and a value that it maps to a smaller one, within a relative
/// tolerance: false position; an end that stays twice counts half (Illinois).
pub(super) fn crossing(most: f64, tolerance: f64, mut next: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = ((0.0, f64::INFINITY), (most, next(most) - most));
    if high.1 >= -tolerance * most {
        return most;
    }
    let mut side = 0;
    for _ in 0..ROUNDS {
        let middle = if low.1.is_finite() {
            (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1)
        } else {
            0.5 * (low.0 + high.0)
        };
        let over = next(middle) - middle;
        if over.abs() <= tolerance * middle || high.0 - low.0 <= tolerance * high.0 {
            return middle;
        }
        if over > 0.0 {
            low = (middle, over);
            high.1 *= if side > 0 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            high = (middle, over);
            low.1 *= if side < 0 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    low.0
}
