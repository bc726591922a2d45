//! Typed reads of a `config.json`. Each read is recorded in the [`Audit`].

use std::rc::Rc;

use super::audit::Audit;
use crate::json::Json;
use crate::scenario::Problem;

/// Maximum number of layers of a model whose layers are described one by one. The catalogue's models have at most 128.
pub(super) const MOST_LAYERS: u32 = 1024;

/// The fields of an object of the file. All objects of a file share its [`Audit`].
#[derive(Clone)]
pub(super) struct Config<'a> {
    fields: &'a Json<'a>,
    /// Index of the object in the audit.
    object: usize,
    audit: Rc<Audit<'a>>,
    /// Values of missing fields.
    defaults: &'static [(&'static str, u32)],
}

/// A whole number, also if it is written with a decimal point or an exponent.
pub(super) fn whole(value: &Json<'_>) -> Option<u32> {
    let number = value.as_number().filter(|number| number.fract() == 0.0 && number.is_sign_positive())?;
    (number <= f64::from(u32::MAX)).then_some(number as u32)
}

/// The problem of a field: a sentence without a full stop.
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

    /// The fields with values for missing ones.
    #[must_use]
    pub(super) const fn with_defaults(mut self, defaults: &'static [(&'static str, u32)]) -> Self {
        self.defaults = defaults;
        self
    }

    /// The record of all reads so far.
    pub(super) fn audit(&self) -> &Audit<'a> {
        &self.audit
    }

    /// Reads a field that is not null. If `read` returns `None`, the value is recorded as unusable.
    fn read<T>(&self, name: &'static str, read: impl FnOnce(&'a Json<'a>) -> Option<T>) -> Option<T> {
        let value = self.fields.get(name).filter(|value| **value != Json::Null);
        let found = value.and_then(read);
        self.audit.mark(self.object, name, value.is_none() || found.is_some());
        found
    }

    /// A field that is not null, of any type.
    pub(super) fn get(&self, name: &'static str) -> Option<&'a Json<'a>> {
        self.read(name, Some)
    }

    /// Records fields as read, because other fields imply their effect or they have none.
    pub(super) fn implied(&self, names: &[&'static str]) {
        for name in names {
            self.audit.mark(self.object, name, true);
        }
    }

    /// Returns true if the field is present, even if it is null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some()
    }

    /// The first whole number among the fields with these names. If all are missing, the first default among them.
    pub(super) fn number(&self, names: &[&'static str]) -> Option<u32> {
        let mut found = None;
        for name in names {
            // Every name is read, so that no synonym is reported as an unknown key.
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

    /// The first whole number, if it is above zero.
    pub(super) fn positive(&self, names: &[&'static str]) -> Option<u32> {
        self.number(names).filter(|value| *value > 0)
    }

    /// A positive whole number without which there is no model.
    pub(super) fn required(&self, names: &[&'static str]) -> Result<u32, Problem> {
        self.positive(names).ok_or_else(|| {
            let key = names.iter().copied().find(|name| self.has(name)).unwrap_or(names[0]);
            let example = if key.contains("hidden_size") { 4096 } else { 32 };
            let allowed = format!("a whole number above zero, such as `\"{key}\": {example}`");
            let message = if self.has(key) {
                format!("must be {allowed}")
            } else {
                format!("is missing: add {allowed}")
            };
            problem(key, message)
        })
    }

    /// A number.
    pub(super) fn factor(&self, name: &'static str) -> Option<f64> {
        self.read(name, Json::as_number)
    }

    /// A list.
    pub(super) fn list(&self, name: &'static str) -> Option<&'a [Json<'a>]> {
        self.read(name, |value| if let Json::List(items) = value { Some(items.as_slice()) } else { None })
    }

    /// A number that is given once or as a list with one entry per layer. Of a list, the largest entry counts, with a note
    /// if entries differ.
    pub(super) fn most(&self, names: &[&'static str]) -> Option<u32> {
        let listed = names.iter().find_map(|name| {
            let numbers = self.numbers(name)?;
            let most = numbers.iter().copied().max()?;
            if numbers.iter().any(|number| *number != most) {
                let path = self.audit.path(self.object, name);
                self.audit.note(format!(
                    "config.json: `{path}` differs from layer to layer; the largest value, {most}, is used for every layer"
                ));
            }
            Some(most)
        });
        listed.or_else(|| self.number(names))
    }

    /// A list of whole numbers.
    pub(super) fn numbers(&self, name: &'static str) -> Option<Vec<u32>> {
        self.read(name, |value| match value {
            Json::List(items) => items.iter().map(whole).collect(),
            _ => None,
        })
    }

    /// A list of strings.
    pub(super) fn words(&self, name: &'static str) -> Option<Vec<&'a str>> {
        self.read(name, |value| match value {
            Json::List(items) => items.iter().map(Json::as_text).collect(),
            _ => None,
        })
    }

    /// A Boolean.
    pub(super) fn flag(&self, name: &'static str) -> Option<bool> {
        self.read(name, Json::as_bool)
    }

    /// The first Boolean among the fields with these names.
    pub(super) fn switch(&self, names: &[&'static str]) -> Option<bool> {
        // Every name is read, so that no synonym is reported as an unknown key.
        names.iter().fold(None, |found, name| {
            let value = self.flag(name);
            found.or(value)
        })
    }

    /// A string.
    pub(super) fn text(&self, name: &'static str) -> Option<&'a str> {
        self.read(name, Json::as_text)
    }

    /// The fields of a nested object.
    pub(super) fn inside(&self, name: &'static str) -> Option<Config<'a>> {
        let fields = self.read(name, |value| matches!(value, Json::Object(_)).then_some(value))?;
        let object = self.audit.open(self.audit.path(self.object, name) + ".", fields);
        Some(Config { fields, object, audit: Rc::clone(&self.audit), defaults: &[] })
    }

    /// The fields of each object of a list; `None` if an item is not an object.
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

    /// A list with one entry for each layer. It is refused if it is too short, or if there are more than [`MOST_LAYERS`].
    pub(super) fn each_layer<T>(name: &str, list: Vec<T>, layers: u32) -> Result<Vec<T>, Problem> {
        if layers > MOST_LAYERS {
            return Err(too_many_layers());
        }
        let (found, wanted) = (list.len(), layers as usize);
        // Additional entries belong to prediction modules (MTP).
        if found < wanted {
            return Err(problem(name, format!("has {found} entries for {layers} layers")));
        }
        Ok(list.into_iter().take(wanted).collect())
    }
}
