//! Names that the catalogue lists, and those near to one that it does not.

use super::{Choice, Problem};
use crate::catalog;

/// The entry that a choice names or spells out.
pub(super) fn choose<'a, T: 'static>(
    choice: &'a Choice<T>,
    field: &str,
    find: impl Fn(&str) -> Option<&'static T>,
    ids: impl Fn() -> Vec<&'static str>,
) -> Result<&'a T, Problem> {
    match choice {
        Choice::Explicit(explicit) => Ok(explicit),
        Choice::Named(name) => find(name).ok_or_else(|| Problem::new(field, unlisted(name, ids()))),
    }
}

/// Message that the catalogue lacks a name, with near matches.
pub(super) fn unlisted(name: &str, ids: Vec<&'static str>) -> String {
    // Published names, such as `deepseek-r1`, come before names with the same words, and these before similar spellings.
    let published = [catalog::model_named(name).map(|model| model.id.as_str()), catalog::device_named(name)];
    let published = published.into_iter().flatten().find(|id| ids.contains(id));
    let named = published.or_else(|| catalog::named(name, ids.iter().copied()));
    let near = named.or_else(|| catalog::nearest(name, ids));
    format!("`{name}` is not in the catalogue{}", catalog::suggestion(near))
}

/// The ids of all devices.
pub(super) fn accelerators() -> Vec<&'static str> {
    catalog::catalog().accelerators.iter().map(|entry| entry.id.as_str()).collect()
}

/// The ids of all models.
pub(super) fn models() -> Vec<&'static str> {
    catalog::catalog().architectures.iter().map(|entry| entry.id.as_str()).collect()
}
