//! Settings of a question, with their names in the form.

use serde::{Deserialize, Serialize};

use crate::scenario::{Scenario, fields, link};

/// A setting of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Document path, e.g. `parallelism.tensor`.
    pub path: String,
    /// Name with its group, e.g. `Parallelism: Tensor`; the path if the form has no such field.
    pub name: String,
    /// Value as in links.
    pub value: String,
    /// Value as its control shows it, with its unit; as in links if the form has no such field.
    pub shown: String,
    /// True if it differs from the default.
    pub changed: bool,
    /// True if the question's view has a field for it.
    pub here: bool,
}

/// All settings of a question, in the order of links.
pub(super) fn settings(question: &Scenario) -> Vec<Setting> {
    let usual = link::settings(&Scenario::default());
    let settings = link::settings(question).into_iter().zip(usual);
    settings
        .map(|((path, value), (_, usual))| {
            let field = fields::field(path);
            Setting {
                path: path.to_owned(),
                name: field.map_or_else(|| path.to_owned(), fields::Field::name),
                changed: value != usual,
                here: fields::of_form(fields::Form::of(question)).any(|field| field.path == path),
                shown: field.map_or_else(|| value.clone(), |field| field.shown(question)),
                value,
            }
        })
        .collect()
}
