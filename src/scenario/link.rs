//! A scenario as the fragment of a link: `v=1&model=llama-3.1-70b&gpus=512&tp=8`.
//!
//! A link holds what differs from its version's defaults, so that a short question is a short link and a link
//! means the same for ever. A link is untrusted: its size is checked before anything else, each pair stands or
//! falls alone, and what is wrong with one is reported beside what the others mean. `docs/link.md` is the grammar.

mod decode;
mod explicit;
mod text;

use std::fmt::Write;
use std::sync::LazyLock;

use serde::Serialize;

use super::fields::{FIELDS, Field, Value};
use super::{Choice, Scenario, VERSION, constants};
use crate::json::Json;

pub use decode::{Decoded, decode};
pub(crate) use text::shown;

/// Bytes of the longest link that is read.
pub const MAX_BYTES: usize = 8192;

/// Pairs of one link that are read: all of the table, a model and a device spelled out, and constants.
pub const MAX_PAIRS: usize = 352;

/// Bytes of the longest value that is read, percent escapes decoded: the sources of a catalogue entry are long.
pub const MAX_VALUE: usize = 512;

/// The separator of questions: compared ones, or one and those that are pinned beside it. No question has it: [`encode`]
/// escapes it.
pub const AND: char = '~';

/// Questions of one link that are read.
pub const MAX_COMPARED: usize = 8;

/// The field of problems with a link as a whole.
pub const LINK: &str = "link";

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

/// The link of a scenario that opens a part of the answer, beside pinned questions.
pub fn encode_pinned(scenario: &Scenario, part: &str, pinned: &[Scenario]) -> String {
    let mut link = encode_at(scenario, part);
    for question in pinned {
        link.push(AND);
        link.push_str(&encode(question));
        write_pair(&mut link, PIN, "true");
    }
    link
}

fn write_pair(link: &mut String, key: &str, value: &str) {
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

/// Reads a link of several questions: those of a comparison, the baseline first; or one and those that are pinned beside it.
pub fn decode_all(links: &str) -> Vec<Decoded> {
    decode_up_to(links, MAX_COMPARED)
}

/// Reads up to `most` links joined by `~`.
pub(crate) fn decode_up_to(links: &str, most: usize) -> Vec<Decoded> {
    let links = links.strip_prefix('#').unwrap_or(links);
    links.split(AND).take(most).map(decode).collect()
}

/// Settings of a scenario, field by field in the order of [`FIELDS`]: the document path, and the value as in links. The
/// value of an explicit catalogue entry is its name.
pub fn settings(scenario: &Scenario) -> Vec<(&'static str, String)> {
    FIELDS.iter().map(|field| (field.path, text::of_value(field.get(scenario)))).collect()
}
