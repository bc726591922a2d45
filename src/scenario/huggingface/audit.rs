//! Which keys of a file were read, with or without a usable value, and the sentences that name the others.

use std::cell::RefCell;

use super::{keys, values};
use crate::json::Json;

/// The objects of a file that were opened, and what was read of each.
#[derive(Default)]
pub(super) struct Audit<'a> {
    objects: RefCell<Vec<Object<'a>>>,
    defaults: RefCell<Vec<(&'static str, u32)>>,
    notes: RefCell<Vec<String>>,
}

/// An opened object.
struct Object<'a> {
    /// Its path with a dot at the end; empty for the file itself.
    path: String,
    fields: &'a Json<'a>,
    /// Keys that were asked for, and whether one of the askers could use the value.
    read: Vec<(&'static str, bool)>,
}

impl<'a> Audit<'a> {
    /// Notes that an object is read, and gives its number.
    pub(super) fn open(&self, path: String, fields: &'a Json<'a>) -> usize {
        let mut objects = self.objects.borrow_mut();
        if let Some(place) = objects.iter().position(|object| object.path == path) {
            return place;
        }
        objects.push(Object { path, fields, read: Vec::new() });
        objects.len() - 1
    }

    /// The path of a key.
    pub(super) fn path(&self, object: usize, key: &str) -> String {
        self.objects.borrow().get(object).map_or_else(String::new, |object| format!("{}{key}", object.path))
    }

    /// Notes that a key was read, with a usable value or not.
    pub(super) fn mark(&self, object: usize, key: &'static str, usable: bool) {
        let mut objects = self.objects.borrow_mut();
        let Some(object) = objects.get_mut(object) else { return };
        match object.read.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known |= usable,
            None => object.read.push((key, usable)),
        }
    }

    /// Notes that a missing key has the default of its type's class.
    pub(super) fn defaulted(&self, key: &'static str, value: u32) {
        // The longest sequence is a limit and no part of the shape.
        if key == "max_position_embeddings" {
            return;
        }
        let mut defaults = self.defaults.borrow_mut();
        if !defaults.iter().any(|(known, _)| *known == key) {
            defaults.push((key, value));
        }
    }

    /// Adds a sentence, once.
    pub(super) fn note(&self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&sentence) {
            notes.push(sentence);
        }
    }

    /// Everything that a reader of the answer must know about the file.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes.borrow().clone();
        let defaults = self.defaults.borrow();
        let taken: Vec<String> = defaults.iter().map(|(key, value)| format!("`{key}` {value}")).collect();
        warnings.extend(sentences(
            "config.json: missing, and set to the defaults of the model's class: ",
            &taken,
        ));
        let (mut unfit, mut unread) = (Vec::new(), Vec::new());
        for object in self.objects.borrow().iter() {
            let Json::Object(fields) = object.fields else { continue };
            let mut inner = Vec::new();
            for (key, value) in fields {
                if !object.read.iter().any(|(known, _)| *known == &**key) && keys::irrelevant(key) {
                    values::unknown_inside(&object.path, key, value, &mut inner);
                }
                if values::PARTS.contains(&&**key)
                    && let Json::Object(parts) = value
                {
                    for (name, part) in parts {
                        values::unknown_inside(&format!("{}{key}.", object.path), name, part, &mut inner);
                    }
                }
                let read = object.read.iter().find(|(known, _)| *known == &**key).map(|(_, usable)| *usable);
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
        warnings
            .extend(sentences("config.json: with a value that is not understood, and left out: ", &unfit));
        warnings.extend(sentences("config.json: not understood and left out: ", &unread));
        warnings
    }
}

/// The end of a long path, which names the key.
fn shortened(path: &str) -> String {
    const LONGEST: usize = 48;
    let excess = path.chars().count().saturating_sub(LONGEST);
    if excess == 0 {
        path.to_owned()
    } else {
        format!("…{}", path.chars().skip(excess).collect::<String>())
    }
}

/// Sentences that name things, each short enough for a link.
fn sentences(beginning: &str, names: &[String]) -> Vec<String> {
    const LENGTH: usize = 220;
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
