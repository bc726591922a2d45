//! Serialises `f64` as text, so that JSON keeps every bit: JSON has no infinities, and its readers may round.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// Writes the shortest decimal that reads back as the same number; `inf`, `-inf` or `NaN` for values that are not
/// finite.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// Reads what [`serialize`] writes.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_str(Decimal)
}

struct Decimal;

impl Visitor<'_> for Decimal {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number as text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        text.parse().map_err(E::custom)
    }
}

/// Serialization of a number that may be absent.
pub mod option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Exact(#[serde(with = "super")] f64);

    /// Writes `null` for an absent number.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Exact).serialize(serializer)
    }

    /// Reads what [`serialize`] writes.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Exact>::deserialize(deserializer)?.map(|Exact(value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Amount, Unit};

    #[test]
    fn every_number_survives_json() {
        for value in
            [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1.0 / 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
        {
            let json = serde_json::to_string(&Amount::new(value, Unit::None)).expect("JSON");
            let back: Amount = serde_json::from_str(&json).expect("an amount");
            assert_eq!(back.value.to_bits(), value.to_bits(), "{json}");
        }
    }
}
