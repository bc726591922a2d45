//! Cards that several views have, and the ranges of predicted times.

use super::{Card, Range};
use crate::estimate::Footprint;
use crate::scenario::{ErrorChoice, Scenario, Topic, View, link};
use crate::system::AssumptionSet;
use crate::units::{Amount, Seconds};
use crate::validation::band::{self, Band};
use crate::validation::{Family, Quantity};

/// A predicted time with the range in which measured ones lie.
pub(super) fn time(
    (id, label): (&str, &str),
    time: Seconds,
    note: String,
    question: &Scenario,
    (quantity, topic): (Quantity, Topic),
) -> Card {
    let range = range(time, question, quantity, topic);
    Card { range, ..Card::new(id, label, Amount::time(time)).noted(note) }
}

/// The range of a predicted time, with a link to the measurements that it rests on; none where nothing alike was
/// measured.
fn range(time: Seconds, question: &Scenario, quantity: Quantity, topic: Topic) -> Option<Range> {
    // Bands are fitted to the errors of the calibrated set.
    if question.assumptions != AssumptionSet::Calibrated {
        return None;
    }
    let Band { group, rows, sources, low, high } = band::of(question, quantity)?;
    let errors = ErrorChoice {
        of: topic,
        generation: group.generation.clone().unwrap_or_default(),
        family: group.family.map_or("", Family::name).to_owned(),
        bits: group.bits.map(|bits| bits.to_string()).unwrap_or_default(),
        ..ErrorChoice::default()
    };
    let there = Scenario { view: View::Validation, errors, ..question.clone() };
    Some(Range {
        low: Amount::time(time * low),
        high: Amount::time(time * high),
        why: format!(
            "Eight of ten measured values lie in this range, of a source left out as well: {rows} {group} from {sources} sources. Opens their errors"
        ),
        link: link::encode(&there),
    })
}

/// Memory of the fullest GPU.
pub(super) fn memory(memory: &Footprint) -> Card {
    let (total, capacity) = (memory.total(), memory.capacity);
    let note = format!(
        "{}; {} of {}",
        Amount::traffic(total),
        Amount::percent(total / capacity),
        Amount::memory(capacity)
    );
    Card::new("memory", "Memory per GPU", Amount::memory(total)).noted(note)
}
