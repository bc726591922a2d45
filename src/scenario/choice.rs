//! A catalogue entry by its id, or one spelled out.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

/// A catalogue entry by its id, or one spelled out.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice<T> {
    /// The id of a catalogue entry.
    Named(String),
    /// An explicit entry with all properties.
    Explicit(Box<T>),
}

impl<T: Serialize> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(name) => serializer.serialize_str(name),
            Self::Explicit(entry) => entry.serialize(serializer),
        }
    }
}

/// Implemented by hand, because serde's untagged enums lose the error in an explicit entry.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor(PhantomData))
    }
}

struct ChoiceVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ChoiceVisitor<T> {
    type Value = Choice<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the id of a catalogue entry, or an entry spelled out")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Choice<T>, E> {
        Ok(Choice::Named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, entry: A) -> Result<Choice<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entry)).map(|entry| Choice::Explicit(Box::new(entry)))
    }
}
