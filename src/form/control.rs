//! The markup of one control, with its name, its explanation and a place for its message.

use crate::answer::html;
use crate::figure::escape;
use crate::scenario::Scenario;
use crate::scenario::fields::{Field, Kind, Number, Opt};

/// The id of the control of a field: the path with dashes.
pub(crate) fn id(path: &str) -> String {
    path.replace(['.', '_'], "-")
}

/// A row of the form.
pub(super) fn markup(field: &Field, scenario: &Scenario) -> String {
    let Field { path, label, unit, help, wide, kind, .. } = *field;
    let id = id(path);
    let bears = format!(r#"id="{id}" data-field="{path}" aria-describedby="{id}-help {id}-message""#);
    let (class, control, range) = match kind {
        Kind::Number(number) => {
            let words = format!("; {} {unit}", number.range_text());
            ("field", self::number(number, &bears, scenario), words)
        }
        Kind::Select(options) => {
            let options = self::options(options(scenario));
            ("field select-field", format!("<select {bears}>{options}</select>"), String::new())
        }
        Kind::Text => return String::new(),
        Kind::Switch => ("field switch-field", format!(r#"<input type="checkbox" {bears}>"#), String::new()),
    };
    format!(
        concat!(
            r#"<div class="{class}"{wide}><div class="field-name"><label for="{id}">{label}{unit}</label>"#,
            r#"<button type="button" class="hint" aria-label="About {about}" aria-describedby="{id}-help">?"#,
            r#"</button><span class="tip" role="tooltip" id="{id}-help">{help}{range}</span></div>"#,
            r#"{control}<p class="message" id="{id}-message"></p></div>"#,
        ),
        class = class,
        wide = if wide.contains(&scenario.view) { " data-wide" } else { "" },
        id = id,
        label = escape(label),
        about = escape(&label.to_ascii_lowercase()),
        unit = if unit.is_empty() { String::new() } else { format!(r#" <span class="unit">{unit}</span>"#) },
        help = escape(help),
        range = range.trim_end(),
        control = control,
    )
}

/// A text field that says which numbers it takes, and two buttons for the pointer: the arrow keys do the same.
fn number(number: Number, bears: &str, scenario: &Scenario) -> String {
    let Number { whole, step, scale, otherwise, .. } = number;
    let (min, max) = number.limits();
    let attribute = |name: &str, value: Option<String>| {
        value.map_or_else(String::new, |value| format!(r#" {name}="{}""#, escape(&value)))
    };
    let button = |by: &str, sign: &str| {
        format!(r#"<button type="button" tabindex="-1" aria-hidden="true" data-by="{by}">{sign}</button>"#)
    };
    format!(
        concat!(
            r#"<div class="number"><input type="text" autocomplete="off" spellcheck="false" "#,
            r#"inputmode="{mode}" {bears} data-min="{min}" data-max="{max}" data-scale="{scale}""#,
            r#"{step}{otherwise}>{less}{more}</div>"#,
        ),
        mode = if whole { "numeric" } else { "decimal" },
        bears = bears,
        min = min,
        max = max,
        scale = scale,
        step = attribute("data-step", step.map(|step| step.to_string())),
        otherwise = attribute("placeholder", otherwise.map(|text| text(scenario).unwrap_or_default())),
        less = button("-1", "−"),
        more = button("1", "+"),
    )
}

/// Neighbours of the same heading together.
fn options(options: Vec<Opt>) -> String {
    let mut groups: Vec<(Option<String>, String)> = Vec::new();
    for Opt { value, label, group, enabled } in options {
        let disabled = if enabled { "" } else { " disabled" };
        let option = format!(r#"<option value="{}"{disabled}>{}</option>"#, escape(&value), escape(&label));
        match groups.last_mut() {
            Some((heading, members)) if *heading == group => members.push_str(&option),
            _ => groups.push((group, option)),
        }
    }
    html::each(groups, |(heading, members)| match heading {
        Some(heading) => format!(r#"<optgroup label="{}">{members}</optgroup>"#, escape(&heading)),
        None => members,
    })
}
