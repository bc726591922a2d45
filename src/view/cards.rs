//! Cards that several views have, and the ranges of predicted times.

use super::{Card, Range};
use crate::calibration;
use crate::estimate::Footprint;
use crate::scenario::{ErrorChoice, Scenario, Topic, View, link};
use crate::system::AssumptionSet;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Bytes, Seconds, format};
use crate::validation::band::{self, Band, Group};
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

/// Adds a range to a number that is inversely proportional to a predicted time.
pub(super) fn with_inverse_range(
    card: Card,
    time: Seconds,
    question: &Scenario,
    of: (Quantity, Topic),
) -> Card {
    following(card, time, question, of, |value, ratio| value / ratio)
}

/// Adds a range to a number that is proportional to a predicted time.
pub(super) fn with_proportional_range(
    card: Card,
    time: Seconds,
    question: &Scenario,
    of: (Quantity, Topic),
) -> Card {
    following(card, time, question, of, |value, ratio| value * ratio)
}

/// Adds the range of a number that follows from a time. `at` gives the number if the time is multiplied by a ratio.
fn following(
    card: Card,
    time: Seconds,
    question: &Scenario,
    (quantity, topic): (Quantity, Topic),
    at: fn(f64, f64) -> f64,
) -> Card {
    let Some(amount) = card.amount else { return card };
    let range = range(time, question, quantity, topic).map(|range| {
        let end = |end: Amount| Amount { value: at(amount.value, end.value / time.get()), ..amount };
        let (one, other) = (end(range.low), end(range.high));
        let (low, high) = if one.value <= other.value { (one, other) } else { (other, one) };
        Range { value: amount, low, high, ..range }
    });
    Card { range, ..card }
}

/// The range of a predicted time, with a link to the measurements that it is based on; `None` without similar
/// measurements.
fn range(time: Seconds, question: &Scenario, quantity: Quantity, topic: Topic) -> Option<Range> {
    if let Some((low, high)) = calibration::reach(question, quantity) {
        return Some(Range {
            value: Amount::time(time),
            low: Amount::time(time * low),
            high: Amount::time(time * high),
            why: format!(
                "Eight of ten measurements on your own machine lie in this range, by the {} that your calibration profile was fitted to",
                measured_rows(question.profile.rows)
            ),
            link: link::encode(question),
        });
    }
    let band = band(question, quantity)?;
    Some(Range {
        value: Amount::time(time),
        low: Amount::time(time * band.low),
        high: Amount::time(time * band.high),
        why: basis(&band),
        link: errors_of(question, &band.group, topic),
    })
}

/// The measurements that a band was derived from, in one sentence.
fn basis(band: &Band) -> String {
    let Band { group, rows, sources, device, unmeasured, .. } = band;
    format!(
        "Eight of ten measured values lie in this range, also of a source that it was not derived from: {rows} {group} from {sources} sources{}. Opens their errors",
        unmeasured.reason(group.quantity, device)
    )
}

/// The link of the errors of a group's measurements.
pub(super) fn errors_of(question: &Scenario, group: &Group, topic: Topic) -> String {
    let errors = ErrorChoice {
        of: topic,
        generation: group.generation.clone().unwrap_or_default(),
        family: group.family.map_or("", Family::name).to_owned(),
        bits: group.bits.map(|bits| bits.to_string()).unwrap_or_default(),
        ..ErrorChoice::default()
    };
    link::encode(&Scenario { view: View::Validation, errors, ..question.clone() })
}

/// Error band of measurements similar to a question; `None` under assumption sets without error statistics.
pub(super) fn band(question: &Scenario, quantity: Quantity) -> Option<Band> {
    let calibrated = question.assumptions == AssumptionSet::Calibrated;
    calibrated.then(|| band::of(question, quantity)).flatten()
}

/// `3 rows`.
fn measured_rows(rows: u32) -> String {
    if rows == 1 { "row".to_owned() } else { format!("{rows} rows") }
}

/// Measured over predicted time of eight of ten measurements like a question's: of the visitor's own under a profile, else
/// of published ones.
pub(super) fn reach(question: &Scenario, quantity: Quantity) -> Option<(f64, f64)> {
    let published = || band(question, quantity).map(|band| (band.low, band.high));
    calibration::reach(question, quantity).or_else(published)
}

/// A predicted time as a sentence has it: `34 days (29 to 41 days)`; under a paper's set with the digits that it prints.
pub(super) fn spoken(time: Seconds, question: &Scenario, quantity: Quantity) -> String {
    if question.assumptions.of_paper() {
        return format::time_printed(time);
    }
    match reach(question, quantity) {
        Some((low, high)) => format::time_within(time, time * low, time * high),
        None => format::time_short(time),
    }
}

/// A predicted rate with the range that follows from that of the time behind it: `38 (33 to 41) tokens/s`.
pub(super) fn spoken_rate(rate: f64, question: &Scenario, quantity: Quantity) -> String {
    let range = reach(question, quantity).map_or_else(String::new, |(low, high)| {
        format!(" ({} to {})", format::short(rate / high), format::short(rate / low))
    });
    format!("{}{range} tokens/s", format::short(rate))
}

/// States that a GPU has too little memory, and the required memory.
pub(super) fn too_large(memory: &Footprint, on: &str) -> String {
    let [needed, there] = [memory.total(), memory.capacity].map(Amount::memory);
    format!("Does not fit on {on}: needs {needed} per GPU ({there} available)")
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

/// Memory of the fullest GPU in training, with its range. The note says where the range exceeds the GPU's memory. If the job
/// fits only without the memory overhead of typical software, the note has the size of its tensors.
pub(super) fn trained_memory(estimate: &TrainingEstimate, question: &Scenario) -> Card {
    let footprint = &estimate.memory;
    let mut card = memory(footprint);
    if let Some(bare) = estimate.bare_memory.filter(|_| !footprint.fits()) {
        let bare = Amount::memory(bare);
        card.note =
            format!("{}; {bare} of tensors: fits only in software with low memory overhead", card.note);
    }
    let Some(band) = band(question, Quantity::PeakMemory) else { return card };
    if exceeds(footprint, &band) {
        card.note.push_str("; may not fit, by its range");
    }
    card.range = Some(Range {
        value: Amount::memory(footprint.total()),
        low: Amount::memory(needed(footprint, band.low)),
        high: Amount::memory(needed(footprint, band.high)),
        why: basis(&band),
        link: errors_of(question, &band.group, Topic::Memory),
    });
    card
}

/// Returns true if a training job fits by its predicted memory, but not at the upper end of its range.
pub(super) fn may_not_fit(footprint: &Footprint, question: &Scenario) -> bool {
    band(question, Quantity::PeakMemory).is_some_and(|band| exceeds(footprint, &band))
}

fn exceeds(footprint: &Footprint, band: &Band) -> bool {
    footprint.fits() && needed(footprint, band.high) > footprint.capacity
}

/// Memory per GPU if the allocator needs `ratio` times its predicted memory. Published peaks are without the driver's reserve.
fn needed(footprint: &Footprint, ratio: f64) -> Bytes {
    footprint.reserve + (footprint.total() - footprint.reserve) * ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minutes begin at two of them, so that an upper end may be in minutes where the predicted time is not.
    #[test]
    fn a_time_and_its_range_have_one_unit() {
        let link = "v=1&model=megatron-1t&gpus=1024&tp=1&pp=1&zero=3&recompute=full&cp=2";
        let question = link::decode(link).scenario;
        let step = (Quantity::IterTime, Topic::Step);
        for seconds in [90.0, 114.0, 119.0, 121.0, 200.0, 7_000.0, 7_300.0] {
            let card = time(("step", "Step time"), Seconds::new(seconds), String::new(), &question, step);
            let range = card.range.as_ref().map(Range::to_string).unwrap_or_default();
            let unit = card.shown().split_once(' ').map(|(_, unit)| unit.to_owned()).unwrap_or_default();
            assert!(range.ends_with(&format!(" {unit}")), "{} and {range}", card.shown());
        }
    }
}
