//! A model or a device spelled out: one pair per leaf of its JSON object, keys joined by dots.
//!
//! `gpu.dram.capacity_gib=192` is such a pair. Lists have their positions as keys. Together with a catalogue id
//! (`gpu=h100-sxm`) the pairs say what is different from that entry; alone they must say everything.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{MAX_VALUE, text};
use crate::json::{Fault, Json};
use crate::scenario::Problem;
use crate::scenario::document::explained;

/// Parts of the longest key, so that no link nests deeper than the stack.
const MAX_DEPTH: usize = 8;

/// One number, word or text in an object.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Its key in the link, escaped.
    pub(super) key: String,
    /// The keys of the objects around it, outermost first.
    path: Vec<String>,
    /// Its value.
    pub(super) value: Value,
}

/// The pairs of a link that spell out the model or the device.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    /// The link key of the choice, the first part of all keys here.
    key: &'static str,
    /// The document path of the choice.
    pub(super) path: &'static str,
    /// The catalogue id, if the link names one.
    pub(super) name: Option<String>,
    leaves: Vec<Leaf>,
}

impl Spelling {
    /// No pairs yet of the choice with this key and document path.
    pub(super) fn new(key: &'static str, path: &'static str) -> Self {
        Self { key, path, ..Self::default() }
    }

    /// Whether nothing is spelled out.
    pub(super) fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Whether this key sets a leaf here.
    pub(super) fn owns(&self, key: &str) -> bool {
        key.strip_prefix(self.key).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Takes one pair; the last of equal keys counts.
    pub(super) fn add(&mut self, raw: &str, key: &str, value: &str) -> Result<(), String> {
        let shown = text::shown(key);
        // Parts are separated before they are unescaped, so that a part may hold a dot.
        let path: Result<Vec<_>, _> =
            raw.split('.').skip(1).map(|part| text::unescape(part).map(Into::into)).collect();
        let path: Vec<String> = path.map_err(|fault| format!("`{shown}` has {fault}"))?;
        if path.is_empty() || path.len() > MAX_DEPTH || path.iter().any(String::is_empty) {
            return Err(format!("`{shown}` is no key: 1 to {MAX_DEPTH} names follow `{}.`", self.key));
        }
        let value = text::scalar(value);
        // Quotes may make it longer than it came, and what is read must be short enough to be read again.
        if text::of_scalar(&value).len() > MAX_VALUE {
            return Err(format!("`{shown}` has more than {MAX_VALUE} bytes"));
        }
        self.leaves.retain(|leaf| leaf.path != path);
        self.leaves.push(Leaf { key: shown, path, value });
        Ok(())
    }

    /// The entry that the pairs mean; without pairs or where they mean none, the catalogue id stands.
    pub(super) fn read<T: Serialize + DeserializeOwned + 'static>(
        mut self,
        find: fn(&str) -> Option<&'static T>,
        problems: &mut Vec<Problem>,
    ) -> Option<T> {
        if self.leaves.is_empty() {
            return None;
        }
        let base = self.name.as_deref().and_then(find);
        let base = base.and_then(|entry| serde_json::to_value(entry).ok()).map(spread);
        if let Some(id) = self.name.as_deref().filter(|_| base.is_none()) {
            let (id, key) = (text::shown(id), self.key);
            let message = format!("`{id}` is no id in the catalogue: only what `{key}.` spells out counts");
            problems.push(Problem::new(self.path, message));
        }
        // Each round either ends or drops what was wrong, so that there are no more rounds than pairs.
        while !self.leaves.is_empty() {
            let fault = match Json::from(&assemble(base.clone(), &self.leaves)).read() {
                Ok(entry) => return Some(entry),
                Err(fault) => fault,
            };
            let Some(wrong) = self.guilty(&fault) else {
                let (key, why) = (self.key, explained(&fault));
                let message =
                    format!("what `{key}.` spells out is ignored: {why}; `{key}=ID` fills in the rest");
                problems.push(Problem::new(self.path, message));
                return None;
            };
            let leaf = self.leaves.remove(wrong);
            let field = format!("{}.{}", self.path, text::shown(&leaf.path.join(".")));
            problems.push(Problem::new(field, format!("`{}` is ignored: {}", leaf.key, explained(&fault))));
        }
        None
    }

    /// The position of the leaf that this fault is in. What is missing is no leaf's fault.
    fn guilty(&self, fault: &Fault) -> Option<usize> {
        // A leaf may be wrong itself, or make an object where something else belongs.
        let path = fault.path();
        let meets = |leaf: &Leaf| leaf.path.iter().zip(&path).all(|(own, wrong)| own == wrong);
        self.leaves.iter().rposition(meets).filter(|_| !fault.is_missing())
    }
}

/// The leaves of a value with their keys in the link, which begin with this one; absent values have none.
pub(super) fn leaves(key: &str, value: &Value) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    collect(&mut leaves, key, &[], value);
    leaves
}

fn collect(leaves: &mut Vec<Leaf>, key: &str, path: &[String], value: &Value) {
    let mut part = |name: String, value: &Value| {
        let key = format!("{key}.{}", text::escape(&name).replace('.', "%2E"));
        collect(leaves, &key, &[path, &[name]].concat(), value);
    };
    match value {
        Value::Object(fields) if fields.values().any(|value| !value.is_null()) => {
            fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .for_each(|(name, value)| part(name.to_owned(), value));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(position, value)| part(position.to_string(), value));
        }
        scalar => {
            // An object of absent values is there all the same.
            let value = if scalar.is_object() { Value::Object(Map::new()) } else { scalar.clone() };
            leaves.push(Leaf { key: key.to_owned(), path: path.to_vec(), value });
        }
    }
}

/// The object with these leaves set, on top of one that exists.
fn assemble(base: Option<Value>, leaves: &[Leaf]) -> Value {
    let mut whole = base.unwrap_or_else(|| Value::Object(Map::new()));
    for leaf in leaves {
        put(&mut whole, &leaf.path, &leaf.value);
    }
    gather(whole)
}

/// Puts a value where this path leads. Where an object and a leaf claim the same place, the later of them has it.
fn put(slot: &mut Value, path: &[String], value: &Value) {
    let Some((name, rest)) = path.split_first() else {
        *slot = value.clone();
        return;
    };
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    if let Value::Object(fields) = slot {
        put(fields.entry(name).or_insert(Value::Null), rest, value);
    }
}

/// Lists as objects whose keys are positions, which have room for what is set later.
fn spread(value: Value) -> Value {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let named = |(position, item): (usize, Value)| (position.to_string(), spread(item));
            items.into_iter().enumerate().map(named).collect()
        }
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, spread(value))).collect(),
        scalar => scalar,
    }
}

/// Objects whose keys are the positions from 0 as the lists that they are.
fn gather(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let fields: Map<String, Value> = fields.into_iter().map(|(name, value)| (name, gather(value))).collect();
    let items: Option<Vec<Value>> =
        (0..fields.len()).map(|position| fields.get(&position.to_string()).cloned()).collect();
    items.filter(|items| !items.is_empty()).map_or(Value::Object(fields), Value::Array)
}
