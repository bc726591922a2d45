//! Linear and logarithmic axes over any values whatever.
//!
//! Bounds come from a scenario that anybody may have written. An axis is therefore never constructed from
//! bounds that are infinite, not numbers, subnormal, equal or too far apart, and has a bounded number of ticks.

use super::ticks::Grid;

/// Largest magnitude of a drawn value; larger values, which no model output approaches, are drawn at the edge.
const LARGEST: f64 = 1e30;
/// The least positive bound of a logarithmic axis.
const SMALLEST: f64 = 1e-24;
/// A linear axis spans at least this share of its larger bound.
const LEAST_SPAN: f64 = 1e-6;
/// A logarithmic axis spans at least this factor.
const LEAST_FACTOR: f64 = 2.0;

/// A mapping of an interval to 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::figure) struct Axis {
    logarithmic: bool,
    low: f64,
    high: f64,
}

/// A marked value of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::figure) struct Tick {
    pub(in crate::figure) value: f64,
    /// Position on the axis, from 0 to 1.
    pub(in crate::figure) at: f64,
    /// True if it is worth a label.
    pub(in crate::figure) labelled: bool,
}

impl Axis {
    /// An axis from 0 to at least the largest value.
    pub(in crate::figure) fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let largest = values.into_iter().filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self::linear(0.0, if largest > 0.0 { largest } else { 1.0 })
    }

    /// A linear axis between two bounds; invalid bounds are replaced.
    pub(in crate::figure) fn linear(low: f64, high: f64) -> Self {
        let bound = |value: f64, other: f64| {
            if value.is_finite() { value.clamp(-LARGEST, LARGEST) } else { other }
        };
        let (low, high) = (bound(low, 0.0), bound(high, 1.0));
        let (low, high) = (low.min(high), low.max(high));
        let least = (low.abs().max(high.abs()) * LEAST_SPAN).max(1e-12);
        Self { logarithmic: false, low, high: high.max(low + least) }
    }

    /// A logarithmic axis around all positive values; 0.1 to 10 without such values.
    pub(in crate::figure) fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let usable = values.into_iter().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = usable
            .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        if low.is_finite() { Self::log(low, high) } else { Self::log(0.1, 10.0) }
    }

    /// A logarithmic axis between two bounds; invalid bounds are replaced.
    pub(in crate::figure) fn log(low: f64, high: f64) -> Self {
        let bound = |value: f64, other: f64| {
            if value.is_finite() && value > 0.0 { value.clamp(SMALLEST, LARGEST) } else { other }
        };
        let (low, high) = (bound(low, 0.1), bound(high, 10.0));
        let (low, high) = (low.min(high), low.max(high));
        if high / low >= LEAST_FACTOR {
            return Self { logarithmic: true, low, high };
        }
        let middle = (low * high).sqrt();
        let half = LEAST_FACTOR.sqrt();
        Self { logarithmic: true, low: middle / half, high: middle * half }
    }

    /// The lower bound.
    pub(in crate::figure) const fn low(self) -> f64 {
        self.low
    }

    /// The upper bound.
    pub(in crate::figure) const fn high(self) -> f64 {
        self.high
    }

    /// The axis, extended at both ends by fractions of its length.
    pub(in crate::figure) fn padded(self, below: f64, above: f64) -> Self {
        if self.logarithmic {
            let factor = self.high / self.low;
            Self::log(self.low / libm::pow(factor, below), self.high * libm::pow(factor, above))
        } else {
            let span = self.high - self.low;
            Self::linear(self.low - span * below, self.high + span * above)
        }
    }

    /// Position of a value: 0 at the lower bound, 1 at the upper; `None` outside the bounds and for NaN.
    pub(in crate::figure) fn at(self, value: f64) -> Option<f64> {
        let share = self.share(value)?;
        (-1e-9..=1.0 + 1e-9).contains(&share).then(|| share.clamp(0.0, 1.0))
    }

    /// As [`Self::at`], with values beyond the bounds at the bounds.
    pub(in crate::figure) fn clamped(self, value: f64) -> Option<f64> {
        if self.logarithmic && value == 0.0 {
            return Some(0.0);
        }
        if value.is_infinite() {
            return (value > 0.0).then_some(1.0);
        }
        self.share(value).map(|share| share.clamp(0.0, 1.0))
    }

    fn share(self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.logarithmic && value <= 0.0) {
            return None;
        }
        Some(if self.logarithmic {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        })
    }

    /// Round values, about `most` of them with a label.
    pub(in crate::figure) fn ticks(self, grid: Grid, most: usize) -> Vec<Tick> {
        let values = if self.logarithmic {
            grid.logarithmic(self.low, self.high, most)
        } else {
            grid.linear(self.low, self.high, most).into_iter().map(|value| (value, true)).collect()
        };
        self.placed(values)
    }

    /// About `most` round values at equal distances, on a logarithmic axis too.
    pub(in crate::figure) fn even_ticks(self, grid: Grid, most: usize) -> Vec<Tick> {
        self.placed(grid.linear(self.low, self.high, most).into_iter().map(|value| (value, true)).collect())
    }

    fn placed(self, values: Vec<(f64, bool)>) -> Vec<Tick> {
        let tick = |(value, labelled)| self.at(value).map(|at| Tick { value, at, labelled });
        values.into_iter().filter_map(tick).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const HOSTILE: [f64; 14] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1e-320,
        f64::MIN_POSITIVE,
        1e308,
        f64::MAX,
        f64::MIN,
        -1.0,
        1.0,
        1.0 + f64::EPSILON,
        3.35,
    ];

    #[test]
    fn any_bounds_make_a_usable_axis() {
        for low in HOSTILE {
            for high in HOSTILE {
                for axis in [
                    Axis::linear(low, high),
                    Axis::log(low, high),
                    Axis::around([low, high]),
                    Axis::from_zero([low, high]),
                    Axis::linear(low, high).padded(0.1, 0.1),
                    Axis::log(low, high).padded(0.1, 0.1),
                ] {
                    assert!(axis.low().is_finite() && axis.high().is_finite(), "{axis:?}");
                    assert!(axis.low() < axis.high(), "{axis:?}");
                    for most in [0, 1, 5, 8] {
                        for grid in [Grid::Decimal, Grid::Time] {
                            let ticks = axis.ticks(grid, most);
                            assert!(ticks.len() <= 9 * 56, "{axis:?}");
                            assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)), "{axis:?}");
                        }
                    }
                    for value in HOSTILE {
                        for at in [axis.at(value), axis.clamped(value)].into_iter().flatten() {
                            assert!((0.0..=1.0).contains(&at), "{axis:?} {value}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn empty_and_single_values_have_room_around_them() {
        assert_eq!(Axis::around([]), Axis::log(0.1, 10.0));
        assert_eq!(Axis::from_zero([]), Axis::linear(0.0, 1.0));
        assert!((Axis::around([8.0]).at(8.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(Axis::from_zero([8.0]).at(8.0), Some(1.0));
    }

    #[test]
    fn ticks_are_round() {
        let values = |axis: Axis, most| -> Vec<f64> {
            axis.ticks(Grid::Decimal, most)
                .into_iter()
                .filter(|tick| tick.labelled)
                .map(|tick| tick.value)
                .collect()
        };
        assert_eq!(values(Axis::linear(0.0, 0.31), 4), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(values(Axis::linear(0.0, 80.0), 5), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(values(Axis::log(0.3, 30.0), 9), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(values(Axis::log(1e-6, 1e6), 4), [1e-6, 1e-3, 1.0, 1e3, 1e6]);
    }

    #[test]
    fn the_middle_of_a_logarithmic_axis_is_the_geometric_mean() {
        assert!((Axis::log(0.1, 10.0).at(1.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(Axis::log(0.1, 10.0).at(0.0), None);
        assert_eq!(Axis::log(0.1, 10.0).clamped(0.0), Some(0.0));
    }
}
