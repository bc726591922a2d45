//! Numbers that several views have, and where their measured values probably are.

use super::html;
use crate::estimate::Footprint;
use crate::figure::escape;
use crate::scenario::{ErrorChoice, Scenario, Topic, View, link};
use crate::system::AssumptionSet;
use crate::units::{Seconds, format};
use crate::validation::band::{self, Band};
use crate::validation::{Family, Quantity};

/// A time that was predicted, with the range in which measured ones lie.
pub(super) fn time(
    (id, label): (&str, &str),
    time: Seconds,
    note: &str,
    question: &Scenario,
    (quantity, topic): (Quantity, Topic),
) -> String {
    let range = range(id, time, question, quantity, topic).unwrap_or_default();
    html::card_within(id, label, &format::time(time), note, &range)
}

/// From what to what, with a link to the measurements on which that rests; none where nothing like it was measured.
fn range(id: &str, time: Seconds, question: &Scenario, quantity: Quantity, topic: Topic) -> Option<String> {
    // Bands are of the calibrated set's errors.
    if question.assumptions != AssumptionSet::Calibrated {
        return None;
    }
    let Band { group, rows, low, high } = band::of(question, quantity)?;
    let errors = ErrorChoice {
        of: topic,
        generation: group.generation.clone().unwrap_or_default(),
        family: group.family.map_or("", Family::name).to_owned(),
        bits: group.bits.map(|bits| bits.to_string()).unwrap_or_default(),
        ..ErrorChoice::default()
    };
    let there = Scenario { view: View::Validation, errors, ..question.clone() };
    let why = format!("Eight of ten measured values lie so: {rows} {group}. Opens their errors");
    Some(format!(
        concat!(
            r##"<dd class="range"><a href="#{address}" data-range="{id}" aria-describedby="{id}-why">{low} to {high}</a>"##,
            r#"<span class="tip" role="tooltip" id="{id}-why">{why}</span></dd>"#,
        ),
        address = escape(&link::encode(&there)),
        id = id,
        low = format::time(time * low),
        high = format::time(time * high),
        why = escape(&why),
    ))
}

/// What the fullest GPU holds.
pub(super) fn memory(memory: &Footprint) -> String {
    let share = memory.total() / memory.capacity;
    let note = format!(
        "{}; {} of {}",
        format::traffic(memory.total()),
        format::percent(share),
        format::memory(memory.capacity)
    );
    html::card("memory", "Memory per GPU", &format::memory(memory.total()), &note)
}
