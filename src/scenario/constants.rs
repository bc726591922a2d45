//! Fitted constants that a scenario replaces.

use std::collections::BTreeMap;

use super::Problem;
use crate::system::{Assumptions, OverrideError};

/// What the keys of scaling numbers begin with, which are no fitted constants: the Technology view reads them.
pub(super) const TECHNOLOGY: &str = "technology.";

/// What documents call them, and what their link keys begin with.
pub(super) const FIELD: &str = "constants";

/// The constants with what a scenario says in their place, or what is wrong with that.
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

/// Why there can be no such constant, whatever its value; every device has the same ones.
pub(super) fn unknown(key: &str) -> Option<String> {
    if key.starts_with(TECHNOLOGY) {
        return None;
    }
    match Assumptions::ideal().with([(key, 0.0)]) {
        Err(error @ OverrideError::Unknown { .. }) => Some(error.to_string()),
        _ => None,
    }
}
