//! Settings in which questions differ, and names of questions that are made of them.

use serde::{Deserialize, Serialize};

use super::settings::settings;
use super::title::title;
use crate::figure::within;
use crate::scenario::Scenario;
use crate::units::format;

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
    /// The value of a setting as a part of a question's name. Numbers and short words have the setting's label (`tensor 4 GPUs`), unless
    /// the unit repeats it (`500 users`). A plural label follows its count (`512 GPUs`).
    fn short(&self, index: usize) -> Option<String> {
        let value = self.shown.get(index)?;
        let label = self.name.rsplit(": ").next()?;
        let (alone, label) = (value.starts_with(char::is_alphabetic) && value.len() > 3, within(label));
        let things = label.ends_with('s') && !label.contains(' ');
        // The singular of a count of one.
        let label = if value == "1" { format::singular(&label).to_owned() } else { label };
        Some(if alone || value.ends_with(&label) {
            value.clone()
        } else if things && value.ends_with(char::is_numeric) {
            format!("{value} {label}")
        } else {
            format!("{label} {value}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn names_say_each_thing_once() {
        let of =
            |link: &str| difference(&Scenario::default(), &link::decode(&format!("v=1&{link}")).scenario);
        assert_eq!(of("gpus=1024"), "1,024 GPUs");
        assert_eq!(of("gpus=1"), "1 GPU");
        assert_eq!(of("tp=4"), "tensor 4 GPUs");
        assert_eq!(of("size.users=2000"), "2,000 users");
        assert_eq!(of("view=sizing"), "Sizing");
        let [view] = &differences(&[Scenario::default(), link::decode("v=1&view=sizing").scenario])[..]
        else {
            panic!("one setting differs")
        };
        assert_eq!(view.name, "View");
    }
}
