//! Quantities with their units in the type, so that bytes cannot be added to seconds.
//!
//! Each is a newtype over `f64`; [`mod@format`] turns them into text with a prefix.

mod amount;
pub mod exact;
pub mod format;
mod rounded;

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

pub use amount::{Amount, Unit};
pub(crate) use rounded::rounded;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0.0);

            /// The quantity of this value in the base unit.
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The value in the base unit.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The value in the base unit, to be changed.
            pub const fn get_mut(&mut self) -> &mut f64 {
                &mut self.0
            }

            /// The larger of the two.
            #[must_use]
            pub const fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller of the two.
            #[must_use]
            pub const fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity!(
    /// An amount of data, in bytes.
    Bytes
);
quantity!(
    /// A duration, in seconds.
    Seconds
);
quantity!(
    /// A count of floating-point operations; a multiply-add is two.
    Flops
);
quantity!(
    /// Floating-point operations per second.
    FlopRate
);
quantity!(
    /// Bytes per second.
    Bandwidth
);

quantity!(
    /// An area of silicon, in mm².
    Area
);
quantity!(
    /// A length of die edge, in mm.
    Length
);
quantity!(
    /// Energy per time, in W.
    Power
);
quantity!(
    /// Energy, in J.
    Energy
);
quantity!(
    /// Cycles per second, in Hz.
    Frequency
);

impl Bytes {
    /// Converts from binary gigabytes (2^30 bytes), the unit of memory sizes.
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * 1_073_741_824.0)
    }

    /// Converts from decimal megabytes.
    pub const fn from_mb(mb: f64) -> Self {
        Self(mb * 1e6)
    }

    /// Converts to binary gigabytes (2^30 bytes).
    pub const fn to_gib(self) -> f64 {
        self.0 / 1_073_741_824.0
    }
}

impl Energy {
    /// Converts from picojoules.
    pub const fn from_pico(pico: f64) -> Self {
        Self(pico * 1e-12)
    }
}

impl Frequency {
    /// Converts from GHz.
    pub const fn from_giga(giga: f64) -> Self {
        Self(giga * 1e9)
    }

    /// Converts to GHz.
    pub const fn to_giga(self) -> f64 {
        self.0 / 1e9
    }
}

impl Seconds {
    /// Converts from microseconds.
    pub const fn from_micros(micros: f64) -> Self {
        Self(micros * 1e-6)
    }

    /// Converts from days of 24 hours.
    pub const fn from_days(days: f64) -> Self {
        Self(days * 86_400.0)
    }

    /// Converts to days of 24 hours.
    pub const fn to_days(self) -> f64 {
        self.0 / 86_400.0
    }
}

impl FlopRate {
    /// Converts from TFLOP/s (10^12 per second).
    pub const fn from_tera(tera: f64) -> Self {
        Self(tera * 1e12)
    }

    /// Converts to TFLOP/s (10^12 per second).
    pub const fn to_tera(self) -> f64 {
        self.0 / 1e12
    }
}

impl Bandwidth {
    /// Converts from decimal GB/s.
    pub const fn from_gb(gb: f64) -> Self {
        Self(gb * 1e9)
    }
}

impl Div<Bandwidth> for Bytes {
    type Output = Seconds;
    fn div(self, bandwidth: Bandwidth) -> Seconds {
        Seconds(self.0 / bandwidth.0)
    }
}

impl Div<FlopRate> for Flops {
    type Output = Seconds;
    fn div(self, rate: FlopRate) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Div<Seconds> for Flops {
    type Output = FlopRate;
    fn div(self, time: Seconds) -> FlopRate {
        FlopRate(self.0 / time.0)
    }
}

impl Div<Seconds> for Bytes {
    type Output = Bandwidth;
    fn div(self, time: Seconds) -> Bandwidth {
        Bandwidth(self.0 / time.0)
    }
}

impl Mul<Frequency> for Energy {
    type Output = Power;
    fn mul(self, rate: Frequency) -> Power {
        Power(self.0 * rate.0)
    }
}

impl Mul<Seconds> for Power {
    type Output = Energy;
    fn mul(self, time: Seconds) -> Energy {
        Energy(self.0 * time.0)
    }
}
