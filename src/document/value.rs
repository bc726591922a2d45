//! A value of a document: what JSON can say.

use std::ops::Index;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nothing.
    Null,
    /// Whether something is so.
    Bool(bool),
    /// A whole number, however it was written.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values under names.
    Object(Object),
}

/// Values under names, in the order of the names.
///
/// It has a few dozen at most, among which a search by halves is as fast as a tree and takes far less code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object(Vec<(String, Value)>);

impl Object {
    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// What has this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).ok().map(|position| &self.0[position].1)
    }

    /// What has this name, after putting null there if nothing had.
    pub(crate) fn slot(&mut self, name: &str) -> &mut Value {
        let position = self.position(name).unwrap_or_else(|position| {
            self.0.insert(position, (name.to_owned(), Value::Null));
            position
        });
        &mut self.0[position].1
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The same names with other values.
    #[must_use]
    pub(crate) fn map(self, change: fn(Value) -> Value) -> Self {
        Self(self.0.into_iter().map(|(name, value)| (name, change(value))).collect())
    }
}

impl Value {
    /// The text that this is.
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number that this is.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Whole(whole) => Some(*whole as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The whole number that this is.
    pub(crate) fn as_whole(&self) -> Option<u64> {
        if let Self::Whole(whole) = self { Some(*whole) } else { None }
    }

    /// The values of the list that this is; there are none in anything else.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }
}

/// What has this name, null where nothing has.
impl Index<&str> for Value {
    type Output = Self;

    fn index(&self, name: &str) -> &Self {
        match self {
            Self::Object(object) => object.get(name).unwrap_or(&Self::Null),
            _ => &Self::Null,
        }
    }
}

/// What stands at this position, null where nothing does.
impl Index<usize> for Value {
    type Output = Self;

    fn index(&self, position: usize) -> &Self {
        self.items().get(position).unwrap_or(&Self::Null)
    }
}
