//! A model or a device spelled out: one pair per leaf of its JSON object, keys joined by dots.
//!
//! `gpu.dram.capacity_gib=192` is such a pair. Lists have their positions as keys. Together with a catalogue id
//! (`gpu=h100-sxm`) the pairs say what is different from that entry; alone they must say everything.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::limits::MAX_VALUE;
use super::text;
use crate::json::{Fault, Json};
use crate::order;
use crate::scenario::Problem;
use crate::scenario::document::explained;

/// Parts of the longest key, so that no link nests deeper than the stack.
const MAX_DEPTH: usize = 8;

/// One number, word or text in an object.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'a> {
    /// Key in the link, escaped.
    pub(super) key: String,
    /// The keys of the objects around it, outermost first.
    path: Vec<String>,
    /// Value.
    pub(super) value: Json<'a>,
}

impl Leaf<'_> {
    fn is_empty_name(&self) -> bool {
        self.path == ["name"] && self.value.as_text() == Some("")
    }
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
    leaves: Vec<Leaf<'static>>,
}

impl Spelling {
    /// An empty collection of pairs for the choice with this key and document path.
    pub(super) fn new(key: &'static str, path: &'static str) -> Self {
        Self { key, path, ..Self::default() }
    }

    /// Returns true if nothing is spelled out.
    pub(super) fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Returns true if this key sets a leaf here.
    pub(super) fn owns(&self, key: &str) -> bool {
        key.strip_prefix(self.key).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Returns true if a pair with this key sets a leaf of a named entry.
    pub(super) fn changes(&self, key: &str) -> bool {
        self.name.is_some() && self.leaves.iter().any(|leaf| leaf.key == key)
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
        // Quoting may lengthen the value, and a value that was read must be short enough to be read again.
        if text::of_scalar(&value).len() > MAX_VALUE {
            return Err(format!("`{shown}` has more than {MAX_VALUE} bytes"));
        }
        self.leaves.retain(|leaf| leaf.path != path);
        self.leaves.push(Leaf { key: shown, path, value });
        Ok(())
    }

    /// The entry given by the pairs. Without pairs, or if they are invalid, the catalogue id applies.
    ///
    /// `find` gives the catalogue's entry of an id.
    pub(super) fn read<T: DeserializeOwned>(
        mut self,
        find: fn(&str) -> Option<&'static Json<'static>>,
        problems: &mut Vec<Problem>,
    ) -> Option<T> {
        if self.leaves.is_empty() {
            return None;
        }
        let base = self.name.as_deref().and_then(find);
        // An empty name is none: the entry keeps that of the catalogue's.
        self.leaves.retain(|leaf| base.is_none() || !leaf.is_empty_name());
        if self.leaves.is_empty() {
            return None;
        }
        if let Some(id) = self.name.as_deref().filter(|_| base.is_none()) {
            let (id, key) = (text::shown(id), self.key);
            let message = format!("`{id}` is no id in the catalogue: only what `{key}.` spells out counts");
            problems.push(Problem::new(self.path, message));
        }
        let mut refused = Refused { places: (0..self.leaves.len()).collect(), problems: Vec::new() };
        let mut unfit = None;
        let mut entry = None;
        // Each round either ends or drops what was wrong, so that there are no more rounds than pairs.
        while !self.leaves.is_empty() {
            let whole = assemble(base, &self.leaves);
            let fault = match whole.read() {
                Ok(read) => {
                    entry = Some(read);
                    break;
                }
                Err(fault) => fault,
            };
            if !self.refuse(&fault, &mut refused) {
                let (key, why) = (self.key, explained(&fault));
                let message =
                    format!("what `{key}.` spells out is ignored: {why}; `{key}=ID` fills in the rest");
                unfit = Some(Problem::new(self.path, message));
                break;
            }
            for fault in self.next_unknown(&whole, &fault) {
                while self.refuse(&fault, &mut refused) {}
            }
        }
        order::sort(&mut refused.problems, |(a, _), (b, _)| a.cmp(b));
        problems.extend(refused.problems.into_iter().map(|(_, problem)| problem).chain(unfit));
        entry
    }

    /// Drops the leaf that causes a fault. Returns false if none does.
    fn refuse(&mut self, fault: &Fault, refused: &mut Refused) -> bool {
        let Some(wrong) = self.guilty(fault) else { return false };
        let leaf = self.leaves.remove(wrong);
        let field = format!("{}.{}", self.path, text::shown(&leaf.path.join(".")));
        let message = format!("`{}` is ignored: {}", leaf.key, explained(fault));
        refused.problems.push((refused.places.remove(wrong), Problem::new(field, message)));
        true
    }

    /// After the fault of an unknown key, those that the next rounds would find: of the same key, and of unknown keys
    /// directly behind it. Each round assembles the entry, and a link may have hundreds of such keys.
    fn next_unknown(&self, whole: &Json<'_>, fault: &Fault) -> Vec<Fault> {
        let path = fault.path();
        let Some((wrong, around)) = path.split_last() else { return Vec::new() };
        let object = around.iter().try_fold(whole, |value, key| match value {
            Json::List(items) => items.get(position(key)?),
            _ => value.get(key),
        });
        let Some(Json::Object(fields)) = object else { return Vec::new() };
        // Without one of its own keys the object may become a list, or without an object the value of an earlier leaf.
        let stays = fields.iter().any(|(key, _)| fault.of_sibling(key).is_none());
        let earlier = |leaf: &Leaf<'_>| leaf.path.len() <= around.len() && meets(&leaf.path, around);
        if !stays || self.leaves.iter().any(earlier) {
            return Vec::new();
        }
        let from = fields.iter().skip_while(|(key, _)| key != wrong);
        from.map_while(|(key, _)| fault.of_sibling(key)).collect()
    }

    /// Position of the leaf that causes a fault. A missing value is the fault of no leaf.
    fn guilty(&self, fault: &Fault) -> Option<usize> {
        // A leaf may be wrong itself, or make an object where something else belongs.
        let path = fault.path();
        let found = self.leaves.iter().rposition(|leaf| meets(&leaf.path, &path));
        found.filter(|_| !fault.is_missing())
    }
}

/// The leaves that are wrong.
struct Refused {
    /// Places in the link of the leaves that are left.
    places: Vec<usize>,
    /// What is wrong, with the place of its leaf. Faults come in the order of the entry's fields, and are reported in that of the
    /// link.
    problems: Vec<(usize, Problem)>,
}

/// Returns true if two paths are the same as far as both go.
fn meets(one: &[String], other: &[&str]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// The leaves of a value with their keys in the link, which begin with this one; absent values have none.
pub(super) fn leaves<'a>(key: &str, value: &Json<'a>) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    collect(&mut leaves, key, &[], value);
    leaves
}

fn collect<'a>(leaves: &mut Vec<Leaf<'a>>, key: &str, path: &[String], value: &Json<'a>) {
    let mut part = |name: String, value: &Json<'a>| {
        let key = format!("{key}.{}", text::escape(&name).replace('.', "%2E"));
        collect(leaves, &key, &[path, &[name]].concat(), value);
    };
    match value {
        Json::Object(fields) if fields.iter().any(|(_, value)| *value != Json::Null) => {
            fields
                .iter()
                .filter(|(_, value)| *value != Json::Null)
                .for_each(|(name, value)| part(name.to_string(), value));
        }
        Json::List(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(position, value)| part(position.to_string(), value));
        }
        scalar => {
            // An object of absent values is there all the same.
            let value = if matches!(scalar, Json::Object(_)) { EMPTY } else { scalar.clone() };
            leaves.push(Leaf { key: key.to_owned(), path: path.to_vec(), value });
        }
    }
}

/// An object without fields.
const EMPTY: Json<'static> = Json::Object(Vec::new());

/// The object with these leaves set, on top of one that exists.
fn assemble<'a>(base: Option<&Json<'a>>, leaves: &[Leaf<'a>]) -> Json<'a> {
    let mut whole = base.cloned().unwrap_or(EMPTY);
    for leaf in leaves {
        put(&mut whole, &leaf.path, &leaf.value);
    }
    gather(&mut whole);
    whole
}

/// Puts a value where this path leads. Where an object and a leaf claim the same place, the later of them has it.
///
/// A list on the way becomes an object whose keys are positions, which has room for what is set later.
fn put<'a>(slot: &mut Json<'a>, path: &[String], value: &Json<'a>) {
    let Some((name, rest)) = path.split_first() else {
        *slot = value.clone();
        return;
    };
    let mut fields = match std::mem::replace(slot, Json::Null) {
        Json::Object(fields) => fields,
        Json::List(items) => {
            let named = |(position, item): (usize, Json<'a>)| (Cow::Owned(position.to_string()), item);
            items.into_iter().enumerate().map(named).collect()
        }
        _ => Vec::new(),
    };
    let position = fields.iter().position(|(key, _)| key == name).unwrap_or_else(|| {
        fields.push((Cow::Owned(name.clone()), Json::Null));
        fields.len() - 1
    });
    put(&mut fields[position].1, rest, value);
    *slot = Json::Object(fields);
}

/// Turns objects whose keys are the positions from 0 into the lists that they are.
fn gather(value: &mut Json<'_>) {
    let Json::Object(fields) = value else { return };
    for (_, value) in &mut *fields {
        gather(value);
    }
    let positions: Option<Vec<usize>> = fields.iter().map(|(key, _)| position(key)).collect();
    let Some(positions) = positions.filter(|positions| !positions.is_empty()) else { return };
    let mut items = vec![None; fields.len()];
    for (position, (_, item)) in positions.into_iter().zip(&*fields) {
        let Some(slot) = items.get_mut(position) else { return };
        *slot = Some(item.clone());
    }
    if let Some(items) = items.into_iter().collect() {
        *value = Json::List(items);
    }
}

/// The position that a key is, written without leading zeros.
fn position(key: &str) -> Option<usize> {
    key.parse().ok().filter(|position: &usize| position.to_string() == key)
}
