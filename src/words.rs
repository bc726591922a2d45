//! Enumerations whose variants have names: in documents, links and lists by the same table.

/// An enumeration whose variants have names.
pub(crate) trait Word: Copy + 'static {
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

/// The names of an enumeration's variants, by which serde reads and writes them too.
macro_rules! words {
    ($kind:ident { $($variant:ident $name:literal),* $(,)? }) => {
        impl $crate::words::Word for $kind {
            const ALL: &'static [Self] = &[$(Self::$variant),*];
            const NAMES: &'static [&'static str] = &[$($name),*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::words::Word::word(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                <Self as $crate::words::Word>::named(&name).ok_or_else(|| {
                    serde::de::Error::unknown_variant(&name, <Self as $crate::words::Word>::NAMES)
                })
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::words::Word::word(*self))
            }
        }
    };
}

pub(crate) use words;
