//! A value with its unit, and the one place where numbers become text.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Bandwidth, Bytes, FlopRate, Flops, Seconds, format};

/// Unit of an [`Amount`], which determines prefixes, digits and the place of the symbol.
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
    /// US dollars: `$2.95`, `$156k`.
    Usd,
    /// GPUs times hours: `53,000 GPU-hours`.
    GpuHours,
    /// Kilowatt-hours, shown from watt-hours to gigawatt-hours.
    KilowattHours,
    /// Joules, e.g. per token.
    Joules,
    /// Watts.
    Watts,
    /// Kilograms, shown from grams to kilotonnes.
    Kilograms,
    /// GPUs: `36 GPUs`.
    Gpus,
    /// Square millimetres of a die.
    SquareMillimetres,
    /// Millimetres of a die's edge.
    Millimetres,
}

/// A value with its unit. Displays as people write it: `13.8 s`, `80.0 GiB`, `51.4 %`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The value, in the base unit of [`Unit`]: seconds, bytes, FLOP, fractions of 1.
    #[serde(with = "super::exact")]
    pub value: f64,
    /// Unit.
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

    /// Bytes moved.
    pub const fn traffic(bytes: Bytes) -> Self {
        Self::new(bytes.get(), Unit::Traffic)
    }

    /// A rate, e.g. tokens per second.
    pub const fn rate(per_second: f64) -> Self {
        Self::new(per_second, Unit::Rate)
    }

    /// A factor.
    pub const fn times(factor: f64) -> Self {
        Self::new(factor, Unit::Times)
    }

    /// US dollars.
    pub const fn usd(usd: f64) -> Self {
        Self::new(usd, Unit::Usd)
    }

    /// A mean number of things. One that rounds to a whole number has no decimals.
    pub fn mean(mean: f64) -> Self {
        let whole = libm::round(mean);
        if whole >= 1.0 && format::digits(mean) == format::digits(whole) {
            Self::count(whole)
        } else {
            Self::new(mean, Unit::None)
        }
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
            Unit::Usd => format::usd(value),
            Unit::GpuHours => format!("{} GPU-hours", format::rounded(value)),
            Unit::KilowattHours => format::kilowatt_hours(value),
            Unit::Joules => format::joules(value),
            Unit::Watts => format::watts(value),
            Unit::Kilograms => format::kilograms(value),
            Unit::Gpus => format!(
                "{} {}",
                format::grouped(value),
                if (value - 1.0).abs() < 0.5 { "GPU" } else { "GPUs" }
            ),
            Unit::SquareMillimetres => format!("{} mm²", format::number(value)),
            Unit::Millimetres => format!("{} mm", format::number(value)),
        };
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_read_as_people_write_them() {
        let shown = |value, unit| Amount::new(value, unit).to_string();
        assert_eq!(shown(2.95, Unit::Usd), "$2.95");
        assert_eq!(shown(3_199.6, Unit::Usd), "$3,200");
        assert_eq!(shown(9_999.4, Unit::Usd), "$9,999");
        assert_eq!(shown(9_999.6, Unit::Usd), "$10.0k");
        assert_eq!(shown(156_400.0, Unit::Usd), "$156k");
        assert_eq!(shown(1_560_000.0, Unit::Usd), "$1.56M");
        assert_eq!(shown(0.00656, Unit::Usd), "$0.00656");
        assert_eq!(shown(0.0, Unit::Usd), "$0");
        assert_eq!(shown(52_983.0, Unit::GpuHours), "53,000 GPU-hours");
        assert_eq!(shown(27_800.0, Unit::Kilograms), "27.8 t");
        assert_eq!(shown(58_600.0, Unit::KilowattHours), "58.6 MWh");
        assert_eq!(shown(0.35, Unit::Joules), "350 mJ");
        assert_eq!(shown(1.0, Unit::Gpus), "1 GPU");
        assert_eq!(shown(1106.0, Unit::Watts), "1,106 W");
        assert_eq!(shown(28_400.0, Unit::Watts), "28.4 kW");
        assert_eq!(shown(1e-15, Unit::Seconds), "0 s");
        assert_eq!(shown(f64::INFINITY, Unit::Usd), "–");
    }
}
