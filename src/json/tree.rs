//! A JSON text as a tree that borrows from it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Fault;

/// A JSON value. Texts without escapes are parts of the text that was parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number from 0.
    Whole(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// An object, in the order of the text, whose keys may occur more than once.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Json<'a> {
    /// The tree of a JSON text, which may be nested 127 deep.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(Fault::custom)
    }

    /// Reads the tree as a type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        T::deserialize(self)
    }

    /// The value of a key of an object: the last of several.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The items of the list that a key of an object has; none of anything else.
    pub fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Self::items)
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Self::Whole(whole) => Some(whole as f64),
            Self::Negative(whole) => Some(whole as f64),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// `true` or `false`, if it is one of them.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = *self { Some(flag) } else { None }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(flag))
    }

    fn visit_u64<E>(self, whole: u64) -> Result<Json<'de>, E> {
        Ok(Json::Whole(whole))
    }

    fn visit_i64<E>(self, whole: i64) -> Result<Json<'de>, E> {
        Ok(Json::Negative(whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(key)) = object.next_key()? {
            fields.push((key, object.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}

/// A key, borrowed if it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(TreeVisitor)? {
            Json::Text(key) => Ok(Self(key)),
            _ => Err(Error::custom("a key is text")),
        }
    }
}

impl<'a> From<&'a Value> for Json<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(whole), _, _) => Self::Whole(whole),
                (_, Some(whole), _) => Self::Negative(whole),
                (_, _, number) => Self::Number(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(fields) => Self::Object(
                fields.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), value.into())).collect(),
            ),
        }
    }
}
