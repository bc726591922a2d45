//! The form of a scenario as markup, from the table of fields.

pub(crate) mod control;

use crate::answer::html;
use crate::figure::escape;
use crate::scenario::Scenario;
use crate::scenario::fields::{FIELDS, Group, of_view};

/// The value of a control whose field holds something spelled out in the link.
pub const CUSTOM: &str = "custom";

/// The form of a question's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Controls under their headings, without values: a reader may have typed since.
    pub markup: String,
    /// The names of fields, those of other views too.
    pub names: Vec<Name>,
}

/// The name of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its document path.
    pub path: String,
    /// The heading that it stands under.
    pub group: String,
    /// Its label there.
    pub label: String,
    /// Whether this view has it.
    pub here: bool,
}

/// The form of a scenario's view.
pub fn form(scenario: &Scenario) -> Form {
    let view = scenario.view;
    let markup = html::each(Group::ALL, |group| {
        let rows = |advanced: bool| {
            let rows = of_view(view).filter(|field| field.group == group && field.advanced == advanced);
            html::each(rows, |field| control::markup(field, scenario))
        };
        fieldset(group, &rows(false), &rows(true))
    });
    let names = of_view(view).map(|field| (field, true));
    let names =
        names.chain(FIELDS.iter().filter(|field| !field.views.contains(&view)).map(|field| (field, false)));
    let names = names.map(|(field, here)| Name {
        path: field.path.to_owned(),
        group: field.group.name().to_owned(),
        label: field.label.to_owned(),
        here,
    });
    Form { markup, names: names.collect() }
}

fn fieldset(group: Group, plain: &str, advanced: &str) -> String {
    if plain.is_empty() {
        return String::new();
    }
    let name = escape(group.name());
    let fold = if advanced.is_empty() {
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
