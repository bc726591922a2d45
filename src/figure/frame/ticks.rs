//! Chooses the ticks of an axis: 1, 2 or 5 times a power of ten within the displayed unit.
//!
//! Plotters' own key points are decimal within seconds, so that they would be labelled as "16.7 min", and on a
//! logarithmic axis they are every power of ten, however many there are.

use super::brief;
use crate::units::{Seconds, format};

/// Kind of values on an axis, which determines its round values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Grid {
    /// Numbers: 1, 2 and 5 times powers of ten.
    Decimal,
    /// Seconds: as decimals up to 1 s, then 1, 2, 5, 10, 20 and 30 s and min, 1, 2, 5 and 10 h, then decimal days and years.
    Time,
}

/// Fewer ticks than these do not show a scale.
pub(super) const LEAST: usize = 3;
const DAY: f64 = 86_400.0;
const YEAR: f64 = 365.25 * DAY;
/// End of a linear axis, s, from which on its steps are in years. A label such as `1,000 days` is wider than the margin.
const LONG: f64 = 2.0 * YEAR;
const TIMES: [f64; 16] = [
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_200.0, 1_800.0, 3_600.0, 7_200.0, 18_000.0,
    36_000.0,
];

/// The label of a round time: `500 ms`, `90 s`, `20 min`, `1 h`, `1.5 years`.
pub(in crate::figure) fn time(seconds: f64) -> String {
    let whole = |size: &f64| seconds >= *size && (seconds / size - (seconds / size).round()).abs() < 1e-9;
    let plural = |size: f64, one: &'static str, more| if seconds < 1.5 * size { one } else { more };
    let units = [
        (YEAR, plural(YEAR, "year", "years")),
        (DAY, plural(DAY, "day", "days")),
        (3_600.0, "h"),
        (60.0, "min"),
    ];
    let found = units.into_iter().find(|(size, _)| whole(size));
    // Parts of a year are whole minutes, but seldom whole days.
    let of_year = (seconds >= LONG || whole(&(0.1 * YEAR))) && found.is_none_or(|(size, _)| size < DAY);
    match found {
        _ if of_year => format!("{} years", brief(&format::digits(seconds / YEAR))),
        Some((size, unit)) => format!("{} {unit}", format::grouped(seconds / size)),
        None if seconds >= 60.0 => format!("{} s", format::grouped(seconds)),
        None => brief(&format::time(Seconds::new(seconds))),
    }
}

impl Grid {
    /// The least step between round values that is not below this one, on an axis that ends there.
    fn step(self, least: f64, end: f64) -> f64 {
        match self {
            Self::Time if least > DAY && end >= LONG => YEAR * decimal(least / YEAR),
            Self::Time if least > DAY => DAY * decimal(least / DAY),
            Self::Time if least > 0.5 => TIMES.into_iter().find(|step| *step >= least).unwrap_or(DAY),
            _ => decimal(least),
        }
    }

    /// About `most` round values at equal distances, at least [`LEAST`].
    pub(super) fn linear(self, low: f64, high: f64, most: usize) -> Vec<f64> {
        let mut step = self.step((high - low) / most.max(1) as f64, high);
        let count = |step: f64| (high / step).floor() - (low / step).ceil() + 1.0;
        // Two steps down the list 1, 2, 5, the number of ticks at least doubles.
        for _ in 0..2 {
            if count(step) < LEAST as f64 {
                step = self.step(step * 0.399, high);
            }
        }
        let first = (low / step).ceil();
        // Each value is a product of its own, so that 0.3 is not a sum of three rounding errors.
        let values = (0..most.max(1) * 8).map(|index| tidy((first + index as f64) * step, step));
        values.take_while(|value| *value <= high).collect()
    }

    /// Round values by powers of ten or by units of time, and whether each has a label.
    pub(super) fn logarithmic(self, low: f64, high: f64, most: usize) -> Vec<(f64, bool)> {
        let all: Vec<(f64, Rank)> =
            self.ranked(low, high).into_iter().filter(|(value, _)| (low..=high).contains(value)).collect();
        let count = |least: Rank| all.iter().filter(|(_, rank)| *rank >= least).count();
        if count(Rank::Fine) < LEAST {
            let few = most.clamp(LEAST, 6);
            return self.linear(low, high, few).into_iter().map(|value| (value, true)).collect();
        }
        let least = if count(Rank::Fine) <= most.max(LEAST) || count(Rank::Coarse) < LEAST {
            Rank::Fine
        } else {
            Rank::Coarse
        };
        let mut places = Vec::new();
        for (value, _) in all.iter().filter(|(_, rank)| *rank >= least) {
            places.push(self.place(*value, places.len()));
        }
        let widest = count(least).saturating_sub(1).div_ceil(most.max(1)).max(1);
        let kept = |stride: &usize| places.iter().filter(|place| place.is_multiple_of(*stride)).count();
        let stride = (1..=widest).rev().find(|stride| kept(stride) >= LEAST).unwrap_or(1);
        let mut coarse = 0;
        let mut ticks = Vec::with_capacity(all.len());
        for (value, rank) in all {
            let chosen = least == Rank::Fine || self.place(value, coarse).is_multiple_of(stride);
            let labelled = rank >= least && chosen;
            coarse += usize::from(rank >= least);
            // Lines between powers would mislead if powers are omitted.
            if labelled || least == Rank::Fine || stride == 1 {
                ticks.push((value, labelled));
            }
        }
        ticks
    }

    /// Index of a coarse value where only every n-th is labelled: the exponent of a power of ten, so that 1 keeps its label.
    fn place(self, value: f64, place: usize) -> usize {
        match self {
            Self::Decimal => (libm::log10(value).round() as i32).unsigned_abs() as usize,
            Self::Time => place,
        }
    }

    fn ranked(self, low: f64, high: f64) -> Vec<(f64, Rank)> {
        match self {
            Self::Decimal => decades(low, high, 1.0),
            Self::Time => {
                let below = decades(low, high.min(0.99), 1.0).into_iter().filter(|(value, _)| *value < 0.99);
                let between = TIMES.into_iter().map(|value| {
                    let coarse = [1.0, 10.0, 60.0, 600.0, 3_600.0, 36_000.0].contains(&value);
                    (value, if coarse { Rank::Coarse } else { Rank::Fine })
                });
                let above = |unit: f64, end: f64| {
                    let all = decades((low / unit).max(1.0), high / unit, unit).into_iter();
                    all.filter(move |(value, _)| *value > 0.99 * unit && *value < end)
                };
                below
                    .chain(between)
                    .chain(above(DAY, 0.99 * YEAR))
                    .chain(above(YEAR, f64::INFINITY))
                    .collect()
            }
        }
    }
}

/// Priority of a tick's label where space is scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Has a line only.
    Line,
    /// 2 and 5 times a power of ten.
    Fine,
    /// A power of ten, or one or ten of a unit of time.
    Coarse,
}

/// All multiples of powers of ten between two positive bounds, in a unit.
fn decades(low: f64, high: f64, unit: f64) -> Vec<(f64, Rank)> {
    // The bounds of axes are within 1e-24 and 1e30, hence these are small.
    let (first, last) = (libm::log10(low).floor() as i32, libm::log10(high).ceil() as i32);
    let mut values = Vec::new();
    for exponent in first..=last {
        let power = libm::pow(10.0, f64::from(exponent));
        for digit in 1..=9_u8 {
            let rank = match digit {
                1 => Rank::Coarse,
                2 | 5 => Rank::Fine,
                _ => Rank::Line,
            };
            values.push((tidy(f64::from(digit) * power, power) * unit, rank));
        }
    }
    values
}

/// The least of 1, 2 and 5 times a power of ten that is not below a value.
fn decimal(least: f64) -> f64 {
    let power = libm::pow(10.0, libm::log10(least).floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= least).unwrap_or(least)
}

/// The nearest float to the decimal number that `value`, a multiple of `step`, is meant to be.
fn tidy(value: f64, step: f64) -> f64 {
    if step >= 1.0 {
        return value.round();
    }
    // A power of ten below 1 is inexact: a division by its inverse is not.
    let inverse = libm::pow(10.0, -libm::log10(step).floor());
    (value * inverse).round() / inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[f64]) -> String {
        ticks.iter().map(|value| time(*value)).collect::<Vec<_>>().join(", ")
    }

    fn labelled(low: f64, high: f64, most: usize) -> Vec<f64> {
        let ticks = Grid::Time.logarithmic(low, high, most);
        ticks.into_iter().filter(|(_, labelled)| *labelled).map(|(value, _)| value).collect()
    }

    #[test]
    fn times_are_round_in_their_unit() {
        assert_eq!(labels(&Grid::Time.linear(0.0, 3_000.0, 6)), "0, 10 min, 20 min, 30 min, 40 min, 50 min");
        assert_eq!(labels(&Grid::Time.linear(0.0, 100.0, 6)), "0, 20 s, 40 s, 1 min, 80 s, 100 s");
        assert_eq!(labels(&Grid::Time.linear(0.0, 0.004, 4)), "0, 1 ms, 2 ms, 3 ms, 4 ms");
        assert_eq!(labels(&Grid::Time.linear(0.0, 300_000.0, 4)), "0, 1 day, 2 days, 3 days");
        assert_eq!(
            labels(&labelled(0.5, 4_000.0, 20)),
            "500 ms, 1 s, 2 s, 5 s, 10 s, 20 s, 30 s, 1 min, 2 min, \
            5 min, 10 min, 20 min, 30 min, 1 h"
        );
        assert_eq!(labels(&labelled(0.5, 4_000.0, 6)), "1 s, 10 s, 1 min, 10 min, 1 h");
        let days = labelled(40.0 * DAY, 3_000.0 * DAY, 12);
        assert_eq!(labels(&days), "50 days, 100 days, 200 days, 1 year, 2 years, 5 years");
        let long = Grid::Time.linear(0.0, 1_000.0 * DAY, 6);
        assert_eq!(labels(&long), "0, 0.5 years, 1 year, 1.5 years, 2 years, 2.5 years");
        assert_eq!(labels(&Grid::Time.linear(0.0, 700.0 * DAY, 4)), "0, 200 days, 400 days, 600 days");
    }

    #[test]
    fn no_stride_over_powers_leaves_fewer_than_three() {
        for powers in 3..30 {
            for low in -12..4 {
                let [low, high] = [low, low + powers].map(|power| 0.9 * libm::pow(10.0, f64::from(power)));
                for most in 1..12 {
                    let ticks = Grid::Decimal.logarithmic(low, high, most);
                    assert!(ticks.iter().filter(|tick| tick.1).count() >= LEAST, "{low} {high} {most}");
                }
            }
        }
    }

    #[test]
    fn narrow_ranges_have_three_ticks() {
        assert_eq!(labelled(12.0, 18.0, 10), [12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0]);
        assert_eq!(Grid::Decimal.linear(0.0, 8.04, 4), [0.0, 2.0, 4.0, 6.0, 8.0]);
        for high in 1..2_000 {
            let high = f64::from(high);
            for grid in [Grid::Decimal, Grid::Time] {
                for most in [3, 4, 6, 10] {
                    assert!(grid.linear(0.0, high, most).len() >= LEAST, "{grid:?} {high} {most}");
                    let ticks = grid.logarithmic(high, high * 2.0, most);
                    assert!(ticks.iter().filter(|tick| tick.1).count() >= LEAST, "{grid:?} {high} {most}");
                }
            }
        }
    }
}
