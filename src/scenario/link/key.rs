//! The keys of links, and the known key nearest to an unknown one.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::encode::{PART, PIN};
use super::explicit::Spelling;
use crate::catalog::Names;
use crate::scenario::fields::{FIELDS, position_of_key};

/// The prefix of the keys of fitted constants.
pub(super) const CONSTANT: &str = "constants.";

/// Names that people write for keys, with the key of each, in order of precedence among equally similar ones. They include
/// the names in documents: `tensor` or `parallelism.tensor` for `tp`.
static NAMES: LazyLock<(Names<'static>, Vec<&'static str>)> = LazyLock::new(|| {
    let keys = FIELDS.iter().map(|field| (field.key, field.path)).chain([("v", "version")]);
    let names = keys
        .flat_map(|(key, path)| [key, path, path.rsplit('.').next().unwrap_or(path)].map(|name| (name, key)));
    let mut known = HashSet::new();
    // The first of equal names has precedence, so that the others need no comparison.
    let names = names.filter(|(name, _)| known.insert(*name));
    let (names, keys): (Vec<&str>, Vec<&str>) = names.unzip();
    (Names::of(names), keys)
});

/// What a key sets.
pub(super) enum Key {
    Version,
    /// The part of the answer that is opened.
    Part,
    /// Whether the question is pinned.
    Pin,
    Field(usize),
    /// A leaf of the model.
    Model,
    /// A leaf of the device.
    Device,
    Constant,
}

impl Key {
    /// What a key sets, if it is known; `model` and `device` have the keys that spell out these.
    pub(super) fn of(key: &str, model: &Spelling, device: &Spelling) -> Option<Self> {
        if let Some(position) = position_of_key(key) {
            Some(Self::Field(position))
        } else if key == "v" {
            Some(Self::Version)
        } else if key == PART {
            Some(Self::Part)
        } else if key == PIN {
            Some(Self::Pin)
        } else if model.owns(key) {
            Some(Self::Model)
        } else if device.owns(key) {
            Some(Self::Device)
        } else {
            key.starts_with(CONSTANT).then_some(Self::Constant)
        }
    }
}

/// The key that was probably meant by one that is in no table.
pub(super) fn nearest(key: &str) -> Option<&'static str> {
    const NEAR: f64 = 0.8;
    NAMES.0.nearest(key, NEAR).map(|position| NAMES.1[position])
}
