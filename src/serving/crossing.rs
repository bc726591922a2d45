//! Roots by false position.

/// Most evaluations of a function whose crossing is searched for.
const ROUNDS: u32 = 60;

/// An interval with the values of a function at its ends, of which one is positive and one is not.
pub(super) struct Bracket {
    /// The lower end and the value there.
    pub(super) low: (f64, f64),
    /// The upper end and the value there.
    pub(super) high: (f64, f64),
    /// 1 after the lower end moved, -1 after the upper end moved.
    side: i32,
}

impl Bracket {
    pub(super) const fn new(low: (f64, f64), high: (f64, f64)) -> Self {
        Self { low, high, side: 0 }
    }

    /// The root of the line through both ends.
    pub(super) fn root(&self) -> f64 {
        let (low, high) = (self.low, self.high);
        (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1)
    }

    /// Moves the lower end. The value at an end that stays twice counts half (Illinois algorithm).
    pub(super) fn move_low(&mut self, end: (f64, f64)) {
        self.low = end;
        self.high.1 *= if self.side > 0 { 0.5 } else { 1.0 };
        self.side = 1;
    }

    /// Moves the upper end, as [`Self::move_low`] the lower one.
    pub(super) fn move_high(&mut self, end: (f64, f64)) {
        self.high = end;
        self.low.1 *= if self.side < 0 { 0.5 } else { 1.0 };
        self.side = -1;
    }
}

/// The value that a function maps to itself, within a relative tolerance. The function maps 0 to a larger value and `most` to a
/// smaller one, and crosses the identity once. If it maps `most` to a larger value, the result is `most`.
pub(super) fn crossing(most: f64, tolerance: f64, mut next: impl FnMut(f64) -> f64) -> f64 {
    let over = next(most) - most;
    if over >= -tolerance * most {
        return most;
    }
    let mut bracket = Bracket::new((0.0, f64::INFINITY), (most, over));
    for _ in 0..ROUNDS {
        let (low, high) = (bracket.low, bracket.high);
        let middle = if low.1.is_finite() { bracket.root() } else { 0.5 * (low.0 + high.0) };
        let over = next(middle) - middle;
        if over.abs() <= tolerance * middle || high.0 - low.0 <= tolerance * high.0 {
            return middle;
        }
        if over > 0.0 {
            bracket.move_low((middle, over));
        } else {
            bracket.move_high((middle, over));
        }
    }
    bracket.low.0
}
