//! What a question sets, with the names that the form has for it.

use serde::{Deserialize, Serialize};

use crate::form;
use crate::scenario::{Scenario, link};

/// A setting of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its document path, e.g. `parallelism.tensor`.
    pub path: String,
    /// Its name with its group, e.g. `Parallelism: Tensor`; the path where the form has no such field.
    pub name: String,
    /// Its value, as links write it.
    pub value: String,
    /// Whether it differs from the default.
    pub changed: bool,
    /// Whether the question's view has a field for it.
    pub here: bool,
}

/// All settings of a question, in the order of links.
pub(super) fn settings(question: &Scenario) -> Vec<Setting> {
    let names = form::whole(question).names;
    let usual = link::settings(&Scenario::default());
    let settings = link::settings(question).into_iter().zip(usual);
    settings
        .map(|((path, value), (_, usual))| {
            let name = names.iter().find(|name| name.path == path);
            Setting {
                path: path.to_owned(),
                name: name.map_or_else(|| path.to_owned(), |name| format!("{}: {}", name.group, name.label)),
                changed: value != usual,
                here: name.is_some_and(|name| name.here),
                value,
            }
        })
        .collect()
}
