//! The table of a scenario's fields: documents, links, forms, comparisons and error messages follow from it.
//!
//! A new field is a field of its struct and one row here. Rows stand in the order of links and, under each heading,
//! of forms.

mod catalog_options;
mod comparison;
mod deployment;
mod economics;
mod errors;

mod field;
mod form;
mod group;
mod hardware;
mod inference;
mod measured;
mod menu;
mod number;
mod options;
mod papers;
mod parallelism;
mod prefix_cache;
mod profile;
mod recipe;
mod search;
mod sizing;
mod speculation;
mod steps;
mod technology;
mod value;
mod views;
mod written;

use std::sync::LazyLock;

use super::{Problem, Scenario};
use crate::order;

pub use catalog_options::device;
pub use field::{Field, Kind};
pub use form::Form;
pub use group::Group;
pub use menu::{CUSTOM, Menu};
pub use number::{Number, Otherwise};
pub use options::Opt;
pub use value::{Mismatch, Value};

const PARTS: [&[Field]; 17] = [
    hardware::FIELDS,
    parallelism::FIELDS,
    recipe::FIELDS,
    inference::FIELDS,
    prefix_cache::FIELDS,
    speculation::FIELDS,
    deployment::FIELDS,
    economics::FIELDS,
    hardware::CONSTANTS,
    search::FIELDS,
    sizing::FIELDS,
    comparison::FIELDS,
    technology::FIELDS,
    papers::FIELDS,
    errors::FIELDS,
    measured::FIELDS,
    profile::FIELDS,
];

const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// All fields, each once.
pub static FIELDS: [Field; COUNT] = {
    let mut all = [hardware::FIELDS[0]; COUNT];
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut row = 0;
        while row < PARTS[part].len() {
            all[count] = PARTS[part][row];
            (count, row) = (count + 1, row + 1);
        }
        part += 1;
    }
    all
};

/// Positions in [`FIELDS`] by key and by path.
static INDEX: LazyLock<[Vec<usize>; 2]> = LazyLock::new(|| {
    let sorted = |name: fn(&Field) -> &str| {
        order::places(FIELDS.len(), &|one, other| name(&FIELDS[one]).cmp(name(&FIELDS[other])))
    };
    [sorted(|field| field.key), sorted(|field| field.path)]
});

/// The position in [`FIELDS`] of the field with this link key.
pub(super) fn position_of_key(key: &str) -> Option<usize> {
    let positions = &INDEX[0];
    positions.binary_search_by_key(&key, |&position| FIELDS[position].key).ok().map(|found| positions[found])
}

/// The field with this document path.
pub fn field(path: &str) -> Option<&'static Field> {
    let positions = &INDEX[1];
    let found = positions.binary_search_by_key(&path, |&position| FIELDS[position].path).ok()?;
    Some(&FIELDS[positions[found]])
}

/// The fields with a control in a form, in order. Validation names two of them otherwise.
pub fn of_form(form: Form) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().chain(errors::SHARED).filter(move |field| field.is_in(form))
}

/// The fields of a form under one heading, those that are folded away or the others.
pub fn of_group(form: Form, group: Group, advanced: bool) -> impl Iterator<Item = &'static Field> {
    of_form(form).filter(move |field| field.group == group && field.advanced == advanced)
}

/// The fields of a form as they follow each other there.
pub fn in_order(form: Form) -> impl Iterator<Item = &'static Field> {
    let of = move |group| [false, true].into_iter().flat_map(move |advanced| of_group(form, group, advanced));
    Group::ALL.into_iter().flat_map(of)
}

impl Scenario {
    /// The value at a document path of the table.
    pub fn at(&self, path: &str) -> Option<Value<'_>> {
        field(path).map(|field| field.get(self))
    }

    /// Sets the value at a document path of the table, unless it does not fit the field's type.
    pub fn put(&mut self, path: &str, value: Value<'_>) -> Result<(), Mismatch> {
        field(path).map_or(Ok(()), |field| field.set(self, value))
    }

    /// Every number that is out of its range. An optional field may be left out.
    pub(super) fn out_of_range(&self) -> Vec<Problem> {
        let outside = |field: &Field| {
            let Kind::Number(number) = field.kind else { return None };
            let (low, high) = number.range;
            let value = field.get(self).as_number()?;
            let fine = (low..=high).contains(&value);
            (!fine).then(|| Problem::new(field.path, number.demand(field.unit, value)))
        };
        FIELDS.iter().filter_map(outside).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::economics::Terms;
    use crate::inference::Engine;
    use crate::scenario::View;
    use crate::sizing::{LoadKind, SizingJob};

    #[test]
    fn each_row_fits_its_field() {
        let scenario = Scenario::default();
        for field in FIELDS.iter().chain(errors::SHARED) {
            let (path, value) = (field.path, field.get(&scenario));
            assert!(
                !field.label.is_empty() && !field.help.is_empty() && !field.help.ends_with('.'),
                "{path}"
            );
            match field.kind {
                Kind::Number(number) => {
                    assert!(matches!(value, Value::Absent | Value::Whole(_) | Value::Number(_)), "{path}");
                    assert_eq!(value == Value::Absent, number.otherwise.is_some(), "{path}: {value:?}");
                    assert_eq!(
                        matches!(value, Value::Whole(_)),
                        number.whole && value != Value::Absent,
                        "{path}"
                    );
                    assert!(number.range.0 < number.range.1, "{path} has no range");
                }
                Kind::Switch => assert!(matches!(value, Value::Switch(_)), "{path}: {value:?}"),
                Kind::Text => assert!(value.as_text().is_some() && field.views.is_empty(), "{path}"),
                Kind::Select(options) => {
                    let text = value.as_text().map(str::to_owned);
                    let text = text.or_else(|| value.as_number().map(|number| number.to_string()));
                    assert!(
                        options(&scenario).iter().any(|option| Some(&option.value) == text.as_ref()),
                        "{path}"
                    );
                }
            }
        }
    }

    #[test]
    fn keys_and_paths_are_unique_and_found() {
        for (position, field) in FIELDS.iter().enumerate() {
            assert_eq!(position_of_key(field.key), Some(position));
            assert_eq!(super::field(field.path).map(|found| found.key), Some(field.key));
        }
        assert!(position_of_key("tpp").is_none() && super::field("parallelism").is_none());
    }

    const fn form(view: View, job: SizingJob) -> Form {
        Form {
            view,
            job,
            one_device: false,
            load: LoadKind::Users,
            thinks: false,
            engine: Engine::None,
            terms: Terms::OnDemand,
            adapted: false,
            has_turns: true,
            repeats: true,
            sees: true,
            hears: true,
        }
    }

    #[test]
    fn each_form_has_each_field_once() {
        for view in View::ALL {
            for job in SizingJob::ALL {
                let paths: Vec<&str> = of_form(form(view, job)).map(|field| field.path).collect();
                let once: BTreeSet<&str> = paths.iter().copied().collect();
                assert_eq!(once.len(), paths.len(), "{view:?}: {paths:?}");
                assert!(!paths.is_empty(), "{view:?}");
            }
        }
    }

    #[test]
    fn the_sizing_form_has_the_fields_of_what_is_sized() {
        let has = |job, path: &str| {
            let form = form(View::Sizing, job);
            of_form(form).any(|field| field.path == path)
        };
        for (job, other) in [(SizingJob::Serve, SizingJob::Train), (SizingJob::Train, SizingJob::Serve)] {
            let paths = match job {
                SizingJob::Serve => ["sizing.users", "inference.input", "inference.tpot_limit_ms"],
                SizingJob::Train => ["sizing.days", "recipe.tokens", "economics.restart_s"],
            };
            for path in paths {
                assert!(has(job, path) && !has(other, path), "{path}");
            }
            assert!(has(job, "sizing.job") && has(job, "sizing.by") && has(job, "model"));
        }
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let mut scenario = Scenario::default();
        scenario.system.gpus = 0;
        scenario.recipe.tokens = f64::INFINITY;
        let problems = scenario.out_of_range();
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(said[0], "system.gpus: must be between 1 and 1,048,576");
        assert_eq!((said.len(), problems[1].field.as_str()), (2, "recipe.tokens"));
    }
}
