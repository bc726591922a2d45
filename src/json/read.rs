//! A tree as a type: the deserializer.

use std::borrow::Cow;
use std::slice::Iter;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Fault, Json};

impl Json<'_> {
    /// The complaint about this value in place of one that was expected.
    fn unexpected(&self, expected: &dyn Expected) -> Fault {
        let found = match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(flag) => Unexpected::Bool(*flag),
            Self::Whole(whole) => Unexpected::Unsigned(*whole),
            Self::Negative(whole) => Unexpected::Signed(*whole),
            Self::Number(number) => Unexpected::Float(*number),
            Self::Text(text) => Unexpected::Str(text),
            Self::List(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        };
        Fault::invalid_type(found, expected)
    }
}

/// Reads a list for this visitor, which has to take all of it.
fn list<'de, V: Visitor<'de>>(items: &'de [Json<'de>], visitor: V) -> Result<V::Value, Fault> {
    let mut rest = Items { position: 0, rest: items.iter() };
    let value = visitor.visit_seq(&mut rest)?;
    if rest.rest.len() == 0 {
        Ok(value)
    } else {
        Err(Fault::custom(format_args!("must be a shorter list, not of {} values", items.len())))
    }
}

/// Reads a number with a decimal point or an exponent as a whole one if it has no fraction: programs write `8.0` for 8.
fn whole<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, Fault> {
    // 2^63, below which every whole number is an i64.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() != 0.0 || number.abs() >= LIMIT {
        visitor.visit_f64(number)
    } else if number < 0.0 {
        visitor.visit_i64(number as i64)
    } else {
        visitor.visit_u64(number as u64)
    }
}

fn fraction<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, Fault> {
    visitor.visit_f64(number)
}

/// Methods for numbers, which differ in nothing but the visitor and how a number with a decimal point is read.
macro_rules! numbers {
    ($($read:ident: $($name:ident)*;)*) => {$($(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match *self {
                Json::Whole(whole) => visitor.visit_u64(whole),
                Json::Negative(whole) => visitor.visit_i64(whole),
                Json::Number(number) => $read(number, visitor),
                _ => Err(self.unexpected(&visitor)),
            }
        }
    )*)*};
}

// The methods that serde's derived code calls take only what fits, so that no code is compiled for what does not.
impl<'de> Deserializer<'de> for &'de Json<'de> {
    type Error = Fault;

    numbers! {
        whole: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
            deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64;
        fraction: deserialize_f32 deserialize_f64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(flag) => visitor.visit_bool(*flag),
            Json::Whole(whole) => visitor.visit_u64(*whole),
            Json::Negative(whole) => visitor.visit_i64(*whole),
            Json::Number(number) => visitor.visit_f64(*number),
            Json::Text(text) => visitor.visit_borrowed_str(text),
            Json::List(items) => list(items, visitor),
            Json::Object(fields) => visitor.visit_map(Entries { rest: fields.iter(), entry: None }),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Bool(flag) => visitor.visit_bool(*flag),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Text(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::List(items) => list(items, visitor),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Object(fields) => visitor.visit_map(Entries { rest: fields.iter(), entry: None }),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Json::Text(name) => visitor.visit_enum(Variant { name, content: None }),
            Json::Object(fields) => match &fields[..] {
                [(name, content)] => visitor.visit_enum(Variant { name, content: Some(content) }),
                _ => Err(Fault::invalid_value(Unexpected::Map, &"an object with a single key")),
            },
            _ => Err(self.unexpected(&"text or an object")),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { char bytes byte_buf unit unit_struct }
}

/// The remaining items of a list.
struct Items<'de> {
    position: usize,
    rest: Iter<'de, Json<'de>>,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        let position = self.position;
        self.position += 1;
        seed.deserialize(item).map(Some).map_err(|fault| fault.within(position))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// Remaining entries of an object, and the entry whose key was read last.
struct Entries<'de> {
    rest: Iter<'de, (Cow<'de, str>, Json<'de>)>,
    entry: Option<&'de (Cow<'de, str>, Json<'de>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.entry = self.rest.next();
        let Some((key, _)) = self.entry else { return Ok(None) };
        // A key that is refused is itself the place of the fault.
        let name = seed.deserialize(IntoDeserializer::into_deserializer(&**key));
        name.map(Some).map_err(|fault: Fault| fault.within(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some((key, value)) = self.entry else { return Err(Fault::custom("a value before its key")) };
        seed.deserialize(value).map_err(|fault| fault.within(key))
    }
}

/// A variant of an enumeration with its content, if it has one.
struct Variant<'de> {
    name: &'de str,
    content: Option<&'de Json<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Fault> {
        let name = seed.deserialize(IntoDeserializer::into_deserializer(self.name))?;
        Ok((name, self))
    }
}

impl<'de> Variant<'de> {
    /// The content of a variant that has some.
    fn content(self) -> Result<&'de Json<'de>, Fault> {
        let lacking = || format!("`{}` is the key of an object here: its value is missing", self.name);
        self.content.ok_or_else(|| Fault::custom(lacking()))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        self.content.map_or(Ok(()), Deserialize::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content()?.deserialize_map(visitor)
    }
}
