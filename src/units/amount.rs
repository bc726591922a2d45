//! A value with its unit, and the one place where numbers become text.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes, FlopRate, Flops, Seconds, format};

/// What an [`Amount`] counts, which decides its prefixes, its digits and the place of its symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A ratio or any other number without a unit: three significant digits.
    #[default]
    None,
    /// Whole things, e.g. GPUs or steps: every digit, in groups of three.
    Count,
    /// A large rate, e.g. tokens per second: three significant digits, in groups of three.
    Rate,
    /// Seconds, shown from nanoseconds to years.
    Seconds,
    /// Bytes of memory, with binary prefixes: GiB.
    Memory,
    /// Bytes moved, with decimal prefixes: GB.
    Traffic,
    /// Bytes per second.
    Bandwidth,
    /// Floating-point operations.
    Flop,
    /// Floating-point operations per second.
    FlopRate,
    /// A fraction of 1, shown in percent.
    Percent,
    /// A difference as a fraction of 1, shown in percent with its sign.
    SignedPercent,
    /// A factor: `7.55×`.
    Times,
}

/// A value with its unit. Displays as people write it: `13.8 s`, `80.0 GiB`, `51.4 %`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The value, in the base unit of [`Unit`]: seconds, bytes, FLOP, fractions of 1.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
}

impl Amount {
    /// A value in the base unit of `unit`.
    pub const fn new(value: f64, unit: Unit) -> Self {
        Self { value, unit }
    }

    /// A duration.
    pub const fn time(time: Seconds) -> Self {
        Self::new(time.get(), Unit::Seconds)
    }

    /// Memory that something takes.
    pub const fn memory(bytes: Bytes) -> Self {
        Self::new(bytes.get(), Unit::Memory)
    }

    /// A fraction of 1, shown in percent.
    pub const fn percent(fraction: f64) -> Self {
        Self::new(fraction, Unit::Percent)
    }

    /// Whole things.
    pub fn count(count: impl Into<f64>) -> Self {
        Self::new(count.into(), Unit::Count)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        if !value.is_finite() {
            return f.write_str("–");
        }
        let text = match self.unit {
            Unit::None => format::digits(value),
            Unit::Count => format::grouped(value),
            Unit::Rate => format::rounded(value),
            Unit::Seconds => format::time(Seconds::new(value)),
            Unit::Memory => format::memory(Bytes::new(value)),
            Unit::Traffic => format::traffic(Bytes::new(value)),
            Unit::Bandwidth => format::bandwidth(Bandwidth::new(value)),
            Unit::Flop => format::flops(Flops::new(value)),
            Unit::FlopRate => format::flop_rate(FlopRate::new(value)),
            Unit::Percent => format::percent(value),
            Unit::SignedPercent => format::signed_percent(value),
            Unit::Times => format::times(value),
        };
        f.write_str(&text)
    }
}
