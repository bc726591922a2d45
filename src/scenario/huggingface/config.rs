//! A `config.json` that remembers which of its keys were read, and with which success.

use std::rc::Rc;

use super::audit::Audit;
use crate::json::Json;
use crate::scenario::Problem;

/// The most layers that are read one by one.
pub(super) const MOST_LAYERS: u32 = 1024;

/// The fields of an object, and which of them were read. Clones share what was read.
#[derive(Clone)]
pub(super) struct Config<'a> {
    fields: &'a Json<'a>,
    object: usize,
    audit: Rc<Audit<'a>>,
    defaults: &'static [(&'static str, u32)],
}

/// A whole number, also where it is written with a fraction or an exponent.
pub(super) fn whole(value: &Json<'_>) -> Option<u32> {
    let number = value.as_number().filter(|number| number.fract() == 0.0 && number.is_sign_positive())?;
    (number <= f64::from(u32::MAX)).then_some(number as u32)
}

/// Why the file is refused: its field, and what is wrong in a sentence without a full stop.
pub(super) fn problem(field: &str, message: impl Into<String>) -> Problem {
    Problem::new(format!("config.json {field}"), message)
}

/// The problem of a model with more layers than are read one by one.
pub(super) fn too_many_layers() -> Problem {
    problem("num_hidden_layers", format!("must be at most {MOST_LAYERS}"))
}

impl<'a> Config<'a> {
    /// The fields of a file.
    pub(super) fn new(fields: &'a Json<'a>) -> Self {
        let audit = Rc::new(Audit::default());
        let object = audit.open(String::new(), fields);
        Self { fields, object, audit, defaults: &[] }
    }

    /// The same fields, where missing ones have these values.
    #[must_use]
    pub(super) const fn with_defaults(mut self, defaults: &'static [(&'static str, u32)]) -> Self {
        self.defaults = defaults;
        self
    }

    /// What was read so far.
    pub(super) fn audit(&self) -> &Audit<'a> {
        &self.audit
    }

    /// A field that is not null, read as something; none counts as unusable.
    fn read<T>(&self, name: &'static str, read: impl FnOnce(&'a Json<'a>) -> Option<T>) -> Option<T> {
        let value = self.fields.get(name).filter(|value| **value != Json::Null);
        let found = value.and_then(read);
        self.audit.mark(self.object, name, value.is_none() || found.is_some());
        found
    }

    /// A field that is not null; it counts as understood.
    pub(super) fn get(&self, name: &'static str) -> Option<&'a Json<'a>> {
        self.read(name, Some)
    }

    /// Fields that another field implies.
    pub(super) fn implied(&self, names: &[&'static str]) {
        for name in names {
            self.audit.mark(self.object, name, true);
        }
    }

    /// True if the field is there, null or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some()
    }

    /// The first of these fields that holds a whole number; where none is there, the default of the first that has one.
    pub(super) fn number(&self, names: &[&'static str]) -> Option<u32> {
        let mut found = None;
        for name in names {
            // All are read, so that none of several names of one thing is reported.
            let value = self.read(name, whole);
            found = found.or(value);
        }
        if found.is_some() || names.iter().any(|name| self.has(name)) {
            return found;
        }
        let (key, value) = names.iter().find_map(|name| self.defaults.iter().find(|(key, _)| key == name))?;
        self.audit.defaulted(key, *value);
        Some(*value)
    }

    /// The first of these fields that holds a whole number above zero.
    pub(super) fn positive(&self, names: &[&'static str]) -> Option<u32> {
        self.number(names).filter(|value| *value > 0)
    }

    /// The same, without which there is no answer.
    pub(super) fn required(&self, names: &[&'static str]) -> Result<u32, Problem> {
        self.positive(names).ok_or_else(|| problem(names[0], "is missing: a whole number above zero"))
    }

    /// A number, whole or not.
    pub(super) fn factor(&self, name: &'static str) -> Option<f64> {
        self.read(name, Json::as_number)
    }

    /// A list.
    pub(super) fn list(&self, name: &'static str) -> Option<&'a [Json<'a>]> {
        self.read(name, |value| if let Json::List(items) = value { Some(items.as_slice()) } else { None })
    }

    /// A number that is written once, or once for each layer: then the largest of them, with a note if they differ.
    pub(super) fn most(&self, names: &[&'static str]) -> Option<u32> {
        let listed = names.iter().find_map(|name| {
            let numbers = self.numbers(name)?;
            let most = numbers.iter().copied().max()?;
            if numbers.iter().any(|number| *number != most) {
                let path = self.audit.path(self.object, name);
                self.audit.note(format!(
                    "config.json: `{path}` differs from layer to layer; every layer is given the largest, {most}"
                ));
            }
            Some(most)
        });
        listed.or_else(|| self.number(names))
    }

    /// A list of whole numbers, where the field holds one.
    pub(super) fn numbers(&self, name: &'static str) -> Option<Vec<u32>> {
        self.read(name, |value| match value {
            Json::List(items) => items.iter().map(whole).collect(),
            _ => None,
        })
    }

    /// A list of words, where the field holds one.
    pub(super) fn words(&self, name: &'static str) -> Option<Vec<&'a str>> {
        self.read(name, |value| match value {
            Json::List(items) => items.iter().map(Json::as_text).collect(),
            _ => None,
        })
    }

    /// A truth value.
    pub(super) fn flag(&self, name: &'static str) -> Option<bool> {
        self.read(name, Json::as_bool)
    }

    /// The first of these fields that holds a truth value.
    pub(super) fn switch(&self, names: &[&'static str]) -> Option<bool> {
        // All are read, so that none of several names of one thing is reported.
        names.iter().fold(None, |found, name| {
            let value = self.flag(name);
            found.or(value)
        })
    }

    /// A text.
    pub(super) fn text(&self, name: &'static str) -> Option<&'a str> {
        self.read(name, Json::as_text)
    }

    /// The fields of an object inside.
    pub(super) fn inside(&self, name: &'static str) -> Option<Config<'a>> {
        let fields = self.read(name, |value| matches!(value, Json::Object(_)).then_some(value))?;
        let object = self.audit.open(self.audit.path(self.object, name) + ".", fields);
        Some(Config { fields, object, audit: Rc::clone(&self.audit), defaults: &[] })
    }

    /// Objects of a list inside, one for each item; none if one of them is no object.
    pub(super) fn each_inside(&self, name: &'static str) -> Option<Vec<Config<'a>>> {
        let items = self.list(name)?;
        let objects = items.iter().enumerate().map(|(place, fields)| {
            let path = format!("{}.{place}.", self.audit.path(self.object, name));
            matches!(fields, Json::Object(_)).then(|| Config {
                fields,
                object: self.audit.open(path, fields),
                audit: Rc::clone(&self.audit),
                defaults: &[],
            })
        });
        objects.collect()
    }

    /// Refuses a list that has not one entry for each layer, or more layers than are read one by one.
    pub(super) fn each_layer<T>(name: &str, list: Vec<T>, layers: u32) -> Result<Vec<T>, Problem> {
        if layers > MOST_LAYERS {
            return Err(too_many_layers());
        }
        let (found, wanted) = (list.len(), layers as usize);
        // Layers of prediction modules may stand at the end.
        if found < wanted {
            return Err(problem(name, format!("has {found} entries for {layers} layers")));
        }
        Ok(list.into_iter().take(wanted).collect())
    }
}
