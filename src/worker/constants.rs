//! The fitted constants of a device, as a form.

use std::fmt::Write as _;

use crate::answer::html;
use crate::catalog::technology;
use crate::catalog::technology_numbers::Listed;
use crate::figure::escape;
use crate::scenario::{Scenario, View};
use crate::system::calibration::{ListedConstant, listed};
use crate::units::format;

/// Every constant of the scenario's device, in groups that unfold; those that the scenario replaces are marked.
pub(super) fn form(scenario: &Scenario) -> Result<String, String> {
    let (of, constants) = if scenario.view == View::Technology {
        ("nodes, memories and links".to_owned(), scaling())
    } else {
        let device = scenario.system.accelerator().map_err(|problem| problem.message)?;
        let constants = listed(&device);
        (device.name, constants)
    };
    let mut groups: Vec<(&str, Vec<&ListedConstant>)> = Vec::new();
    for constant in &constants {
        let group = constant.key.rsplit_once('.').map_or("", |(group, _)| group);
        match groups.last_mut() {
            Some((last, members)) if *last == group => members.push(constant),
            _ => groups.push((group, vec![constant])),
        }
    }
    let counts = match scenario.view {
        View::Technology => "A change counts in this view and in the link",
        _ => "A change counts in every view, in the link, and in the errors of rows measured on such devices",
    };
    let mut form = format!("<p>Of {}. {counts}</p>", escape(&of));
    if !scenario.constants.is_empty() {
        form.push_str(r#"<button type="button" id="constants-reset" data-reset="">Reset all</button>"#);
    }
    form.push_str(&html::each(groups, |(group, members)| self::group(scenario, group, &members)));
    Ok(form)
}

/// The scaling numbers in the manner of fitted constants.
fn scaling() -> Vec<ListedConstant> {
    let constant = |number: &Listed| {
        let (low, high) = number.range();
        ListedConstant {
            key: format!("technology.{}", number.key()),
            unit: number.what.unit,
            meaning: number.what.meaning,
            value: number.sourced.value,
            low,
            high,
            source: format!("{}. Confidence: {}", number.sourced.source, number.sourced.confidence.name()),
            error: None,
            rows: None,
        }
    };
    technology().listed().iter().map(constant).collect()
}

fn group(scenario: &Scenario, name: &str, members: &[&ListedConstant]) -> String {
    let edited = members.iter().any(|constant| scenario.constants.contains_key(&constant.key));
    let mut about = String::new();
    if let Some(first) = members.first() {
        if let Some(error) = first.error {
            // Writing to a string cannot fail.
            let _ = write!(about, "Mean error {}", format::percent(error));
        }
        if let Some((fitted, scored)) = first.rows {
            let _ = write!(about, ", fitted on {fitted} measurements and scored on {scored} others. ");
        }
        // Fitted constants come from one file, scaling numbers each from somewhere else.
        if members.iter().all(|constant| constant.source == first.source) {
            about.push_str(&first.source);
        }
    }
    let title = if name.is_empty() { "Other" } else { name };
    let open = if edited { " open" } else { "" };
    let mark = if edited { ", edited" } else { "" };
    let own = about.is_empty();
    let rows = html::each(members, |constant| row(scenario, constant, own));
    format!(
        r#"<details{open}><summary id="group-{id}">{title}{mark}</summary><p>{about}</p>{rows}</details>"#,
        id = id(name),
        title = escape(title),
        about = escape(&about),
    )
}

/// One constant, with its own source where it does not share one.
fn row(scenario: &Scenario, constant: &ListedConstant, own: bool) -> String {
    let ListedConstant { key, unit, meaning, value, low, high, .. } = constant;
    let edit = scenario.constants.get(key);
    let id = id(key);
    let name = key.rsplit('.').next().unwrap_or(key).replace('_', " ");
    let reset = match edit {
        Some(_) => format!(
            r#"<button type="button" id="{id}-reset" data-reset="{key}" aria-label="Reset {name} of {key}">Reset</button>"#
        ),
        None => String::new(),
    };
    let shown = edit.unwrap_or(value);
    let range = format!("from {} to {}", number(*low), number(*high));
    let unit = if unit.is_empty() { String::new() } else { format!(r#" <span class="unit">{unit}</span>"#) };
    format!(
        concat!(
            r#"<div class="constant"><label for="{id}">{name}{unit}</label>"#,
            r#"<div><input type="text" inputmode="decimal" autocomplete="off" spellcheck="false" id="{id}" "#,
            r#"data-constant="{key}" data-low="{low}" data-high="{high}" data-range="{range}" value="{shown}" "#,
            r#"aria-describedby="{id}-help {id}-message">{reset}</div>"#,
            r#"<p class="message" id="{id}-message"></p>"#,
            r#"<p id="{id}-help">{meaning}; {found} {fitted}, {range}{source}</p></div>"#,
        ),
        id = id,
        name = escape(&name),
        unit = unit,
        key = escape(key),
        low = low,
        high = high,
        shown = number(*shown),
        reset = reset,
        meaning = escape(meaning.trim_end_matches('.')),
        found = if own { "published" } else { "fitted" },
        source = if own { format!(". {}", escape(&constant.source)) } else { String::new() },
        fitted = number(*value),
        range = range,
    )
}

fn id(key: &str) -> String {
    format!("constant-{}", key.replace('.', "-"))
}

/// The fewest digits that mean this number, with an exponent where its size asks for one.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_marked_and_can_be_reset() {
        let mut scenario = Scenario::default();
        let plain = form(&scenario).expect("a known device");
        assert!(plain.contains(r#"data-constant="matmul.bf16.compute_efficiency""#));
        assert!(!plain.contains("data-reset"));
        scenario.constants.insert("matmul.bf16.compute_efficiency".to_owned(), 0.9);
        let edited = form(&scenario).expect("a known device");
        assert!(edited.contains(r#"data-reset="matmul.bf16.compute_efficiency""#));
        assert!(
            edited.contains("<details open><summary id=\"group-constant-matmul-bf16\">matmul.bf16, edited")
        );
    }

    #[test]
    fn small_numbers_are_legible() {
        assert_eq!(
            [number(0.0), number(0.93), number(2.5e-6), number(6.4e10)],
            ["0", "0.93", "2.5e-6", "6.4e10"]
        );
    }
}
