//! A `config.json` that remembers which of its keys were read.

use std::cell::RefCell;

use crate::json::Json;
use crate::scenario::Problem;

/// Maximum number of layers that are read individually.
const MOST_LAYERS: u32 = 1024;

/// The fields of an object, and which of them were read.
pub(super) struct Config<'a> {
    fields: &'a Json<'a>,
    read: RefCell<Vec<&'static str>>,
}

/// Parses a whole number, also if it is written with a fraction or an exponent.
fn whole(value: &Json<'_>) -> Option<u32> {
    let number = value.as_number().filter(|number| number.fract() == 0.0 && number.is_sign_positive())?;
    (number <= f64::from(u32::MAX)).then_some(number as u32)
}

/// Problem of the file: the field, and the reason in a sentence without a full stop.
pub(super) fn problem(field: &str, message: impl Into<String>) -> Problem {
    Problem::new(format!("config.json {field}"), message)
}

impl<'a> Config<'a> {
    /// The fields of this object.
    pub(super) const fn new(fields: &'a Json<'a>) -> Self {
        Self { fields, read: RefCell::new(Vec::new()) }
    }

    /// A field that is not null; it counts as read either way.
    pub(super) fn get(&self, name: &'static str) -> Option<&'a Json<'a>> {
        let mut read = self.read.borrow_mut();
        if !read.contains(&name) {
            read.push(name);
        }
        self.fields.get(name).filter(|value| **value != Json::Null)
    }

    /// The first of these fields that holds a whole number.
    pub(super) fn number(&self, names: &[&'static str]) -> Option<u32> {
        let mut found = None;
        for name in names {
            // All are read, so that none of several names of one thing is reported.
            let value = self.get(name).and_then(whole);
            found = found.or(value);
        }
        found
    }

    /// The first of these fields that holds a whole number above zero.
    pub(super) fn positive(&self, names: &[&'static str]) -> Option<u32> {
        self.number(names).filter(|value| *value > 0)
    }

    /// A required number above zero; a problem if it is missing.
    pub(super) fn required(&self, names: &[&'static str]) -> Result<u32, Problem> {
        self.positive(names).ok_or_else(|| problem(names[0], "is missing: a whole number above zero"))
    }

    /// A list.
    pub(super) fn list(&self, name: &'static str) -> Option<&'a [Json<'a>]> {
        match self.get(name)? {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    /// A number that is written once, or once for each layer: the largest of them.
    pub(super) fn most(&self, names: &[&'static str]) -> Option<u32> {
        let listed = names.iter().find_map(|name| self.list(name)?.iter().filter_map(whole).max());
        self.number(names).or(listed)
    }

    /// A list of whole numbers, where the field holds a list.
    pub(super) fn numbers(&self, name: &'static str) -> Option<Vec<u32>> {
        Some(self.list(name)?.iter().map(|item| whole(item).unwrap_or(u32::MAX)).collect())
    }

    /// A list of words, where the field holds a list.
    pub(super) fn words(&self, name: &'static str) -> Option<Vec<&'a str>> {
        Some(self.list(name)?.iter().map(|item| item.as_text().unwrap_or_default()).collect())
    }

    /// A boolean.
    pub(super) fn flag(&self, name: &'static str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// A text.
    pub(super) fn text(&self, name: &'static str) -> Option<&'a str> {
        self.get(name)?.as_text()
    }

    /// The fields of an object inside.
    pub(super) fn inside(&self, name: &'static str) -> Option<Config<'a>> {
        self.get(name).filter(|value| matches!(value, Json::Object(_))).map(Config::new)
    }

    /// Refuses a list whose length is not the number of layers, and models with more than [`MOST_LAYERS`] layers.
    pub(super) fn each_layer<T>(name: &str, list: Vec<T>, layers: u32) -> Result<Vec<T>, Problem> {
        if layers > MOST_LAYERS {
            return Err(problem("num_hidden_layers", format!("must be at most {MOST_LAYERS}")));
        }
        let (found, wanted) = (list.len(), layers as usize);
        // Layers of prediction modules may follow at the end.
        if found < wanted {
            return Err(problem(name, format!("has {found} entries for {layers} layers")));
        }
        Ok(list.into_iter().take(wanted).collect())
    }

    /// Names of relevant fields that were not read.
    pub(super) fn unread(&self) -> Vec<&'a str> {
        let Json::Object(fields) = self.fields else { return Vec::new() };
        let read = self.read.borrow();
        let unread = fields.iter().filter(|(name, value)| *value != Json::Null && !read.contains(&&**name));
        unread.map(|(name, _)| &**name).collect()
    }
}
