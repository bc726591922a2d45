//! Fitted constants that a scenario replaces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::Problem;
use crate::catalog::Names;
use crate::system::Assumptions;

/// The prefix of scaling numbers' keys, which are no fitted constants: the Technology view reads them.
pub(super) const TECHNOLOGY: &str = "technology.";

/// The field of documents, and the first part of link keys.
pub(super) const FIELD: &str = "constants";

/// The keys of all fitted constants, which every device has.
static KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut keys = BTreeSet::new();
    Assumptions::ideal().constants(&mut |group, constant, _| {
        keys.insert(format!("{group}.{}", constant.name));
    });
    keys
});

/// The constants with a scenario's replacements; the error lists invalid replacements.
pub(super) fn replaced(
    mut assumptions: Assumptions,
    edits: &BTreeMap<String, f64>,
) -> Result<Assumptions, Vec<Problem>> {
    let mut problems = Vec::new();
    for (key, value) in edits.iter().filter(|(key, _)| !key.starts_with(TECHNOLOGY)) {
        match assumptions.clone().with([(key.as_str(), *value)]) {
            Ok(edited) => assumptions = edited,
            Err(error) => problems.push(Problem::new(format!("{FIELD}.{key}"), error.to_string())),
        }
    }
    if problems.is_empty() { Ok(assumptions) } else { Err(problems) }
}

/// Returns true if this is the key of a fitted constant or may be that of a scaling number.
pub(super) fn exists(key: &str) -> bool {
    key.starts_with(TECHNOLOGY) || KEYS.contains(key)
}

/// The key of a fitted constant that is nearest to this one, if any is near.
pub(super) fn nearest(key: &str) -> Option<&'static str> {
    const NEAR: f64 = 0.75;
    static NAMES: LazyLock<Names<'static>> = LazyLock::new(|| Names::of(keys()));
    NAMES.nearest(key, NEAR).and_then(|position| keys().nth(position))
}

/// The keys of all fitted constants, in alphabetical order.
fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(String::as_str)
}
