//! Records which keys of a file were read and whether their values were usable, and writes the warnings about all others.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::{keys, values};
use crate::json::Json;

/// The opened objects of a file, with the keys that were read, and the notes of the import.
#[derive(Default)]
pub(super) struct Audit<'a> {
    objects: RefCell<Vec<Object<'a>>>,
    /// Missing keys, with the defaults that were used.
    defaults: RefCell<Vec<(&'static str, u32)>>,
    /// Sentences about parts that are left out.
    notes: RefCell<Vec<String>>,
}

/// An opened object of the file.
struct Object<'a> {
    /// Path of the object, ending with a dot; empty for the file itself.
    path: String,
    fields: &'a Json<'a>,
    /// Keys that were read, each with true if at least one read found a usable value. A file is asked for some 200.
    read: FxHashMap<&'static str, bool>,
}

impl<'a> Audit<'a> {
    /// Records that an object is opened, and returns its index.
    pub(super) fn open(&self, path: String, fields: &'a Json<'a>) -> usize {
        let mut objects = self.objects.borrow_mut();
        if let Some(place) = objects.iter().position(|object| object.path == path) {
            return place;
        }
        objects.push(Object { path, fields, read: FxHashMap::default() });
        objects.len() - 1
    }

    /// Path of a key.
    pub(super) fn path(&self, object: usize, key: &str) -> String {
        self.objects.borrow().get(object).map_or_else(String::new, |object| format!("{}{key}", object.path))
    }

    /// Records that a key was read, and whether its value is usable.
    pub(super) fn mark(&self, object: usize, key: &'static str, usable: bool) {
        let mut objects = self.objects.borrow_mut();
        let Some(object) = objects.get_mut(object) else { return };
        *object.read.entry(key).or_default() |= usable;
    }

    /// Records that a missing key has the default of its type's class.
    pub(super) fn defaulted(&self, key: &'static str, value: u32) {
        // The maximum sequence length is a limit and not part of the shape.
        if key == "max_position_embeddings" {
            return;
        }
        let mut defaults = self.defaults.borrow_mut();
        if !defaults.iter().any(|(known, _)| *known == key) {
            defaults.push((key, value));
        }
    }

    /// Adds a sentence, unless it was added before.
    pub(super) fn note(&self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&sentence) {
            notes.push(sentence);
        }
    }

    /// The warnings about the file: notes, defaults, unusable values, unknown keys.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes.borrow().clone();
        let defaults = self.defaults.borrow();
        let taken: Vec<String> = defaults.iter().map(|(key, value)| format!("`{key}` {value}")).collect();
        warnings.extend(sentences(
            "config.json: missing keys, set to the defaults of the model's class: ",
            &taken,
        ));
        let (mut unfit, mut unread) = (Vec::new(), Vec::new());
        for object in self.objects.borrow().iter() {
            let Json::Object(fields) = object.fields else { continue };
            let mut inner = Vec::new();
            for (key, value) in fields {
                let read = object.read.get(&**key).copied();
                if read.is_none() && keys::irrelevant(key) {
                    values::unknown_inside(&object.path, key, value, &mut inner);
                }
                if values::PARTS.contains(&&**key)
                    && let Json::Object(parts) = value
                {
                    for (name, part) in parts {
                        values::unknown_inside(&format!("{}{key}.", object.path), name, part, &mut inner);
                    }
                }
                let named = match read {
                    Some(true) => continue,
                    Some(false) => &mut unfit,
                    None if keys::irrelevant(key) => continue,
                    None => &mut unread,
                };
                let name = format!("`{}`", shortened(&format!("{}{key}", object.path)));
                if !values::says_nothing(key, value) && !named.contains(&name) {
                    named.push(name);
                }
            }
            for (path, key) in inner {
                unread.push(format!("`{}`", shortened(&format!("{path}{key}"))));
            }
        }
        warnings.extend(sentences("config.json: keys with an invalid value, left out: ", &unfit));
        warnings.extend(sentences("config.json: not understood and left out: ", &unread));
        warnings
    }
}

/// The path, without its beginning if it is too long. The end has the key.
fn shortened(path: &str) -> String {
    /// Maximum number of characters.
    const LONGEST: usize = 48;
    let excess = path.chars().count().saturating_sub(LONGEST);
    if excess == 0 {
        path.to_owned()
    } else {
        format!("…{}", path.chars().skip(excess).collect::<String>())
    }
}

/// Sentences that list names after a common beginning. Their length and number are bounded, because links carry them.
fn sentences(beginning: &str, names: &[String]) -> Vec<String> {
    /// Maximum length of a sentence, bytes.
    const LENGTH: usize = 220;
    /// Maximum number of sentences; a further one states the number of remaining names.
    const SENTENCES: usize = 6;
    let mut sentences: Vec<String> = Vec::new();
    let mut rest = 0_usize;
    for name in names {
        let full = sentences.len() == SENTENCES;
        match sentences.last_mut() {
            Some(last) if last.len() + name.len() + 2 <= LENGTH => {
                last.push_str(", ");
                last.push_str(name);
            }
            _ if full => rest += 1,
            _ => sentences.push(format!("{beginning}{name}")),
        }
    }
    if rest > 0 {
        let beginning = beginning.trim_end_matches(": ");
        sentences.push(format!("{beginning}: {rest} more keys"));
    }
    sentences
}
