//! Enumerations whose variants have names.

use super::{Fault, Field, Value};

/// An enumeration whose variants have names in documents.
pub(crate) trait Word: Copy + Default + 'static {
    /// All variants.
    const ALL: &'static [Self];

    /// Their names, in the same order.
    const NAMES: &'static [&'static str];

    /// The name of this variant.
    fn word(self) -> &'static str;

    /// The variant of this name.
    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|position| Self::ALL[position])
    }
}

impl<T: Word> Field for T {
    fn blank() -> Self {
        Self::default()
    }

    fn value(&self) -> Value {
        Value::Text(self.word().to_owned())
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        let name = value.as_text().ok_or_else(|| Fault::expected("text", value))?;
        *self = T::named(name).ok_or_else(|| Fault::unknown("variant", name, T::NAMES))?;
        Ok(())
    }
}

/// The table of an enumeration: its variants and their names.
macro_rules! words {
    ($kind:ident { $($variant:ident $name:literal),* }) => {
        impl $crate::document::Word for $kind {
            const ALL: &'static [Self] = &[$(Self::$variant),*];
            const NAMES: &'static [&'static str] = &[$($name),*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }
    };
}

pub(crate) use words;
