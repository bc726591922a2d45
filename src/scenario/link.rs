//! A scenario as the fragment of a link: `v=1&model=llama-3.1-70b&gpus=512&tp=8`.
//!
//! A link holds what differs from its version's defaults, so that a short question is a short link and a link
//! means the same for ever. A link is untrusted: its size is checked before anything else, each pair stands or
//! falls alone, and what is wrong with one is reported beside what the others mean. `docs/link.md` is the grammar.

mod decode;
mod encode;
mod explicit;
mod key;
mod limits;
mod rivals;
mod text;

use super::Scenario;
use super::fields::FIELDS;
use encode::write_pair;

pub use decode::{Decoded, LINK, decode};
pub use encode::{PART, PIN, encode, encode_at};
pub use limits::{MAX_BYTES, MAX_PAIRS, MAX_VALUE};
pub(crate) use text::shown;

/// The separator of questions: compared ones, or one and those that are pinned beside it. No question has it: [`encode()`]
/// escapes it.
pub const AND: char = '~';

/// Questions of one link that are read.
pub const MAX_COMPARED: usize = 8;

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
