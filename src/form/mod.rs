//! The question as a form: what can be asked in each view, once, and the markup of its controls.
//!
//! A control bears the document path of its field, and what may be entered; whoever shows it reads and writes the
//! field by that path, so that one row of a table is all that a field needs here. The page draws the rows of its
//! first view itself ([`first`]); its second program draws all ([`whole`]).

mod compare;
pub(crate) mod control;
mod cost;
mod errors;
mod hardware;
mod job;
mod load;
pub mod number;
mod opening;
pub(crate) mod options;
mod parallelism;
mod row;
mod search;
mod technology;

use crate::answer::html;
use crate::figure::escape;
use crate::scenario::Scenario;
use row::{Group, Part};

/// What a control bears that holds something spelled out in the link rather than chosen from the catalogue.
pub const CUSTOM: &str = "custom";

/// The form of a question's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Controls under their headings. What they hold is not in it: a reader may have typed since.
    pub markup: String,
    /// What fields are called, those of other views too.
    pub names: Vec<Name>,
}

/// What a field is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its document path.
    pub path: String,
    /// The heading that it stands under.
    pub group: String,
    /// Its name there.
    pub label: String,
    /// Whether this view has it.
    pub here: bool,
}

/// Every row but those that are drawn at once.
static MORE: &[&[Part]] = &[
    errors::PARTS,
    search::PARTS,
    technology::PARTS,
    hardware::PARTS,
    parallelism::PARTS,
    job::PARTS,
    load::PARTS,
    cost::PARTS,
    compare::PARTS,
];

/// The form as far as it is there at once: the rows of the page's first view.
pub fn first(scenario: &Scenario) -> Form {
    let parts: Vec<&Part> = opening::PARTS.iter().collect();
    // What is folded away comes later; its folds are there, so that nothing moves when it does.
    form(scenario, &parts, true)
}

/// The whole form.
pub fn whole(scenario: &Scenario) -> Form {
    let parts: Vec<&Part> = opening::PARTS.iter().chain(MORE.iter().copied().flatten()).collect();
    form(scenario, &parts, false)
}

fn form(scenario: &Scenario, parts: &[&Part], folds: bool) -> Form {
    let view = scenario.view;
    let markup = html::each(Group::ALL, |group| {
        let rows = |advanced: bool| {
            let of = |part: &&&Part| {
                part.group == group && part.advanced == advanced && part.views.contains(&view)
            };
            let rows = parts.iter().filter(of).flat_map(|part| part.rows);
            html::each(rows, |row| control::markup(row, scenario))
        };
        fieldset(group, &rows(false), &rows(true), folds)
    });
    let names = parts.iter().flat_map(|part| {
        part.rows.iter().map(|row| Name {
            path: row.path.to_owned(),
            group: part.group.name().to_owned(),
            label: row.label.to_owned(),
            here: part.views.contains(&view),
        })
    });
    Form { markup, names: names.collect() }
}

fn fieldset(group: Group, plain: &str, advanced: &str, folds: bool) -> String {
    if plain.is_empty() {
        return String::new();
    }
    let name = escape(group.name());
    let fold = if advanced.is_empty() && !folds {
        String::new()
    } else {
        format!(
            concat!(
                r#"<details id="advanced-{id}"><summary>Advanced<span class="visually-hidden">: {name}</span>"#,
                r#"</summary><div class="fields">{advanced}</div></details>"#,
            ),
            id = group.id(),
            name = name,
            advanced = advanced,
        )
    };
    format!(
        r#"<fieldset id="{}"><legend>{name}</legend><div class="fields">{plain}</div>{fold}</fieldset>"#,
        group.id(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::row::{Kind, Row};
    use super::*;
    use crate::document::Value;
    use crate::scenario::{View, range};

    fn rows() -> impl Iterator<Item = (&'static Part, &'static Row)> {
        let parts = opening::PARTS.iter().chain(MORE.iter().copied().flatten());
        parts.flat_map(|part| part.rows.iter().map(move |row| (part, row)))
    }

    fn asked(view: View) -> Scenario {
        Scenario { view, ..Scenario::default() }
    }

    /// The paths of a form's controls, in order.
    fn paths(form: &Form) -> Vec<&str> {
        form.markup.split(r#"data-field=""#).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn each_row_fits_what_stands_at_its_path() {
        let question = Scenario::default();
        for (_, Row { path, kind, .. }) in rows() {
            let value = question.at(path).unwrap_or_else(|| panic!("{path} has no link key"));
            match kind {
                Kind::Number(number) => {
                    assert_eq!(value == Value::Null, number.otherwise.is_some(), "{path}: {value:?}");
                    assert!(range(path).is_some(), "{path} has no range");
                    assert!(value.as_number().is_none_or(|value| value % 1.0 == 0.0 || !number.whole));
                }
                Kind::Switch => assert!(matches!(value, Value::Bool(_)), "{path}: {value:?}"),
                Kind::Select(options) => {
                    let text = match &value {
                        Value::Text(text) => text.clone(),
                        other => format!("{}", other.as_number().expect("a text or a number")),
                    };
                    assert!(options(&question).iter().any(|option| option.value == text), "{path}: {text}");
                }
            }
        }
    }

    #[test]
    fn each_view_has_each_field_once() {
        for view in View::ALL {
            let form = whole(&asked(view));
            let paths = paths(&form);
            let once: BTreeSet<&str> = paths.iter().copied().collect();
            assert_eq!(once.len(), paths.len(), "{paths:?}");
            let of_view = rows().filter(|(part, _)| part.views.contains(&view)).count();
            assert_eq!(paths.len(), of_view, "{view:?} lacks rows that stand under no other");
            assert_eq!(form.names.iter().filter(|name| name.here).count(), of_view);
        }
    }

    #[test]
    fn the_first_view_is_there_at_once() {
        let (first, whole) = (first(&asked(View::Training)), whole(&asked(View::Training)));
        let folded: BTreeSet<&str> =
            rows().filter(|(part, _)| part.advanced).map(|(_, row)| row.path).collect();
        let plain: Vec<&str> = paths(&whole).into_iter().filter(|path| !folded.contains(path)).collect();
        // What comes later stands below, so that nothing moves.
        assert_eq!(paths(&first), plain[..paths(&first).len()]);
        let folds = |form: &Form| form.markup.matches("<details").count();
        assert_eq!(folds(&first) + 1, folds(&whole), "only what a run costs comes later as a whole");
    }
}
