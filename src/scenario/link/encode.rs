//! Writes links.

use std::fmt::Write;
use std::sync::LazyLock;

use serde::Serialize;

use super::{explicit, text};
use crate::json::Json;
use crate::scenario::fields::{FIELDS, Field, Value};
use crate::scenario::{Choice, Scenario, VERSION, constants};

/// The key that names the part of the answer that a link opens, e.g. `part=dram`.
pub const PART: &str = "part";

/// The key of questions after the first that are pinned beside it instead of compared with it: `pin=true`.
pub const PIN: &str = "pin";

static DEFAULT: LazyLock<Scenario> = LazyLock::new(Scenario::default);

/// The link that means this scenario, without a leading `#`.
///
/// It consists of letters, digits and `-_.+%=&`, so that it is safe in fragments, HTML attributes and Markdown.
pub fn encode(scenario: &Scenario) -> String {
    let mut link = format!("v={VERSION}");
    for field in &FIELDS {
        let value = field.get(scenario);
        match value {
            Value::Entry(_) => write_entry(&mut link, field, scenario),
            _ if value == field.get(&DEFAULT) => {}
            _ => write_pair(&mut link, field.key, &text::of_value(value)),
        }
    }
    for (key, value) in &scenario.constants {
        let key = format!("{}.{}", constants::FIELD, text::escape(key));
        write_pair(&mut link, &key, &text::of_value(Value::Number(*value)));
    }
    // Whatever turns addresses in running text into links leaves out punctuation at their end.
    for (mark, escape) in [('.', "%2E"), ('_', "%5F")] {
        if link.ends_with(mark) {
            link.truncate(link.len() - 1);
            link.push_str(escape);
        }
    }
    link
}

/// The link of a scenario that opens a part of the answer; without a part, the whole answer.
pub fn encode_at(scenario: &Scenario, part: &str) -> String {
    let mut link = encode(scenario);
    if !part.is_empty() {
        write_pair(&mut link, PART, part);
    }
    link
}

/// Writes a pair behind those that a link has.
pub(super) fn write_pair(link: &mut String, key: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = write!(link, "&{key}={}", text::escape(value));
}

/// Writes the leaves of a catalogue entry that is spelled out.
fn write_entry(link: &mut String, field: &Field, scenario: &Scenario) {
    fn json<T: Serialize>(choice: &Choice<T>) -> serde_json::Value {
        // An entry has names for keys and no type that fails to serialize.
        serde_json::to_value(choice).unwrap_or_default()
    }
    let entry = match field.path {
        "model" => json(&scenario.model),
        _ => json(&scenario.system.accelerator),
    };
    for leaf in explicit::leaves(field.key, &Json::from(&entry)) {
        write_pair(link, &leaf.key, &text::of_scalar(&leaf.value));
    }
}
