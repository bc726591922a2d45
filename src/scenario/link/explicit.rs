//! A model or a device spelled out: one pair per leaf of its JSON object, keys joined by dots.
//!
//! `gpu.dram.capacity_gib=192` is such a pair. Lists have their positions as keys. Together with a catalogue id
//! (`gpu=h100-sxm`) the pairs say what is different from that entry; alone they must say everything.

use super::{MAX_VALUE, text};
use crate::catalog::{self, Accelerator, Architecture};
use crate::document::{Fault, Field, Object, Value};
use crate::scenario::Problem;

/// Parts of the longest key, so that no link nests deeper than the stack.
const MAX_DEPTH: usize = 8;

/// One number, word or text in an object.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Its key in the link, escaped.
    pub(super) key: String,
    /// The keys of the objects around it, outermost first.
    path: Vec<String>,
    /// What stands there.
    pub(super) value: Value,
}

/// What a link says of the model or the device.
#[derive(Debug)]
pub(super) struct Spelling {
    /// The link key of the choice, the first part of all keys here.
    key: &'static str,
    /// The document path of the choice.
    pub(super) path: &'static str,
    /// The catalogue id, if the link names one.
    pub(super) name: Option<String>,
    leaves: Vec<Leaf>,
    /// The catalogue entry of an id as JSON.
    entry: fn(&str) -> Option<Value>,
    /// What is wrong with the JSON of an entry.
    check: fn(&Value) -> Result<(), Fault>,
}

impl Spelling {
    /// The pairs that begin with `model.`.
    pub(super) fn model() -> Self {
        let entry = |id: &str| catalog::architecture(id).map(Field::value);
        let check = check::<Architecture>;
        Self { key: "model", path: "model", name: None, leaves: Vec::new(), entry, check }
    }

    /// The pairs that begin with `gpu.`.
    pub(super) fn device() -> Self {
        let entry = |id: &str| catalog::accelerator(id).map(Field::value);
        let check = check::<Accelerator>;
        Self { key: "gpu", path: "system.accelerator", name: None, leaves: Vec::new(), entry, check }
    }

    /// Whether this key sets a leaf here.
    pub(super) fn owns(&self, key: &str) -> bool {
        key.strip_prefix(self.key).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Takes one pair; the last of equal keys counts.
    pub(super) fn add(&mut self, raw: &str, key: &str, value: &str) -> Result<(), String> {
        let shown = text::shown(key);
        // Parts are separated before they are unescaped, so that a part may hold a dot.
        let path: Result<Vec<_>, _> = raw.split('.').skip(1).map(text::unescape).collect();
        let path = path.map_err(|fault| format!("`{shown}` has {fault}"))?;
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

    /// The object that the pairs mean; without pairs or where they mean none, the catalogue id stands.
    pub(super) fn read(mut self, problems: &mut Vec<Problem>) -> Option<Value> {
        if self.leaves.is_empty() {
            return None;
        }
        let base = self.name.as_deref().and_then(self.entry);
        if let Some(id) = self.name.as_deref().filter(|_| base.is_none()) {
            let (id, key) = (text::shown(id), self.key);
            let message = format!("`{id}` is no id in the catalogue: only what `{key}.` spells out counts");
            problems.push(Problem::new(self.path, message));
        }
        // Each round either ends or drops what was wrong, so that there are no more rounds than pairs.
        loop {
            let whole = assemble(base.clone(), &self.leaves);
            let Err(fault) = (self.check)(&whole) else {
                return Some(whole).filter(|_| !self.leaves.is_empty());
            };
            let Some(wrong) = self.guilty(&fault) else {
                let key = self.key;
                let message =
                    format!("what `{key}.` spells out is ignored: {fault}; `{key}=ID` fills in the rest");
                problems.push(Problem::new(self.path, message));
                return None;
            };
            let leaf = self.leaves.remove(wrong);
            let field = format!("{}.{}", self.path, text::shown(&leaf.path.join(".")));
            problems.push(Problem::new(field, format!("`{}` is ignored: {fault}", leaf.key)));
        }
    }

    /// The position of the leaf that this fault is in. What is missing is no leaf's fault.
    fn guilty(&self, fault: &Fault) -> Option<usize> {
        // A leaf may be wrong itself, or make an object where something else belongs.
        let meets = |leaf: &Leaf| leaf.path.iter().zip(&fault.path).all(|(own, wrong)| own == wrong);
        self.leaves.iter().rposition(meets).filter(|_| !fault.missing)
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
        Value::Object(fields) if fields.iter().any(|(_, value)| *value != Value::Null) => {
            fields
                .iter()
                .filter(|(_, value)| **value != Value::Null)
                .for_each(|(name, value)| part(name.to_owned(), value));
        }
        Value::List(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(position, value)| part(position.to_string(), value));
        }
        scalar => {
            // An object of absent values is there all the same.
            let absent = matches!(scalar, Value::Object(_));
            let value = if absent { Value::Object(Object::default()) } else { scalar.clone() };
            leaves.push(Leaf { key: key.to_owned(), path: path.to_vec(), value });
        }
    }
}

/// The object with these leaves set, on top of one that exists.
fn assemble(base: Option<Value>, leaves: &[Leaf]) -> Value {
    let mut whole = base.map_or_else(|| Value::Object(Object::default()), spread);
    for leaf in leaves {
        put(&mut whole, &leaf.path, &leaf.value);
    }
    gather(whole)
}

/// Puts a value where this path leads. Where an object and a leaf claim the same place, the later of them has it.
fn put(slot: &mut Value, path: &[String], value: &Value) {
    *slot = match path.split_first() {
        None => value.clone(),
        Some((name, rest)) => {
            let mut object = match std::mem::replace(slot, Value::Null) {
                Value::Object(object) => object,
                _ => Object::default(),
            };
            put(object.slot(name), rest, value);
            Value::Object(object)
        }
    };
}

/// Lists as objects whose keys are positions, which have room for what is set later.
fn spread(value: Value) -> Value {
    match value {
        Value::List(items) if !items.is_empty() => {
            let mut object = Object::default();
            for (position, item) in items.into_iter().enumerate() {
                *object.slot(&position.to_string()) = spread(item);
            }
            Value::Object(object)
        }
        Value::Object(fields) => Value::Object(fields.map(spread)),
        scalar => scalar,
    }
}

/// Objects whose keys are the positions from 0 as the lists that they are.
fn gather(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let fields = fields.map(gather);
    let items: Option<Vec<Value>> =
        (0..fields.len()).map(|position| fields.get(&position.to_string()).cloned()).collect();
    items.filter(|items| !items.is_empty()).map_or(Value::Object(fields), Value::List)
}

fn check<T: Field>(value: &Value) -> Result<(), Fault> {
    T::blank().set(value)
}
