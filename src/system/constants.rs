//! Constants as data: what each is called, means and may be, and where its value stands.
//!
//! A group of constants is declared once, with `constants!`: that makes its struct, its values in the ideal set,
//! and the table by which the fit, the calibration file, overrides and the page's list reach every value.

use crate::units::{Bytes, Seconds};

/// One constant of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// Name inside the group, e.g. `launch`.
    pub name: &'static str,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// The lowest sensible value.
    pub low: f64,
    /// The highest sensible value.
    pub high: f64,
    /// True if the constant is fitted to kernels; otherwise it is published, or selects a kernel.
    pub fitted: bool,
}

/// Sees every constant of a group and may change its value.
pub type Visit<'a> = dyn FnMut(&Constant, &mut f64) + 'a;

/// A group of constants that is fitted to one kind of kernel.
pub trait Constants {
    /// Shows all constants of the group, always in the same order.
    fn constants(&mut self, visit: &mut Visit<'_>);
}

/// Storage type of a constant: a plain number, or a quantity in its base unit.
pub trait Value {
    /// Converts a number in the base unit.
    fn of(number: f64) -> Self;

    /// The number, to be read or changed.
    fn number(&mut self) -> &mut f64;
}

impl Value for f64 {
    fn of(number: f64) -> Self {
        number
    }

    fn number(&mut self) -> &mut f64 {
        self
    }
}

impl Value for Seconds {
    fn of(number: f64) -> Self {
        Self::new(number)
    }

    fn number(&mut self) -> &mut f64 {
        self.get_mut()
    }
}

impl Value for Bytes {
    fn of(number: f64) -> Self {
        Self::new(number)
    }

    fn number(&mut self) -> &mut f64 {
        self.get_mut()
    }
}

/// Declares a group: each field with its meaning, type, ideal value, range and unit, and how it is known.
macro_rules! constants {
    (
        $(#[doc = $about:literal])+
        $group:ident {
            $($(#[doc = $meaning:literal])+
            $name:ident: $value:ty = $ideal:expr, $low:literal..=$high:literal $unit:literal, $known:ident;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $group {
            $($(#[doc = $meaning])+ pub $name: $value,)+
        }

        impl $group {
            /// Meanings of the constants, one sentence each, in their order. They are kept apart from the constants,
            /// which are also needed where no meaning is read.
            pub(in crate::system) const MEANINGS: &'static [&'static str] =
                &[$(concat!($($meaning),+).trim_ascii()),+];

            /// Constants without overheads, with efficiency 1.
            pub fn ideal() -> Self {
                Self { $($name: <$value as $crate::system::constants::Value>::of($ideal),)+ }
            }
        }

        impl $crate::system::constants::Constants for $group {
            fn constants(&mut self, visit: &mut $crate::system::constants::Visit<'_>) {
                $(visit(
                    &$crate::system::constants::Constant {
                        name: stringify!($name),
                        unit: $unit,
                        low: $low,
                        high: $high,
                        fitted: $crate::system::constants::$known,
                    },
                    $crate::system::constants::Value::number(&mut self.$name),
                );)+
            }
        }
    };
}
pub(super) use constants;

/// Fitted on measured kernels.
#[allow(non_upper_case_globals, reason = "reads as a word in declarations")]
pub(super) const fitted: bool = true;

/// Published, or a property of the kernel.
#[allow(non_upper_case_globals, reason = "reads as a word in declarations")]
pub(super) const given: bool = false;
