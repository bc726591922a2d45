//! Settings in which questions differ, and names of questions that are made of them.

use serde::{Deserialize, Serialize};

use super::settings::settings;
use super::title::title;
use crate::figure::within;
use crate::scenario::Scenario;

/// A setting in which questions differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name with its group, e.g. `Parallelism: Tensor`.
    pub name: String,
    /// Each question's value, as links write it.
    pub values: Vec<String>,
    /// Each question's value, as its control shows it.
    pub shown: Vec<String>,
}

/// The settings in which questions differ, in the order of links.
pub(super) fn differences(questions: &[Scenario]) -> Vec<Difference> {
    let columns: Vec<_> = questions.iter().map(settings).collect();
    let Some(first) = columns.first() else { return Vec::new() };
    let rows = first.iter().enumerate().map(|(row, setting)| Difference {
        name: setting.name.clone(),
        values: columns.iter().filter_map(|column| Some(column.get(row)?.value.clone())).collect(),
        shown: columns.iter().filter_map(|column| Some(column.get(row)?.shown.clone())).collect(),
    });
    rows.filter(|row| row.values.windows(2).any(|pair| pair[0] != pair[1])).collect()
}

/// The first settings in which a question differs from the others, or its model and hardware if none does.
pub(super) fn changes(index: usize, question: &Scenario, settings: &[Difference]) -> String {
    /// Maximum number of settings in a name.
    const MOST: usize = 2;
    let changes: Vec<String> =
        settings.iter().filter_map(|setting| setting.short(index)).take(MOST).collect();
    if changes.is_empty() { title(question) } else { changes.join(", ") }
}

/// The first settings in which another question differs from this one, or the other's model and hardware if none does.
pub(super) fn difference(question: &Scenario, other: &Scenario) -> String {
    changes(1, other, &differences(&[question.clone(), other.clone()]))
}

impl Difference {
    /// The text of a question's value in a name: with its label if it is a number or short.
    fn short(&self, index: usize) -> Option<String> {
        let value = self.shown.get(index)?;
        let label = self.name.rsplit(": ").next()?;
        let alone = value.starts_with(char::is_alphabetic) && value.len() > 3;
        Some(if alone { value.clone() } else { format!("{} {value}", within(label)) })
    }
}
