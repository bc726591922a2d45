//! Measured values beside their predictions.

use super::{Card, Link, Notice, Part, TablePart, cards};
use crate::figure::{Cell, Column, Table};
use crate::scenario::{ErrorChoice, Scenario, Topic, View, link};
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::band::{self, Spread};
use crate::validation::{Family, Quantity};

/// Id of the table and of the card.
const ID: &str = "measured";

/// A measured value beside the predicted one.
struct Beside {
    name: &'static str,
    measured: Amount,
    predicted: Amount,
    /// The time whose error band applies, also for a rate that follows from it; and its topic.
    time: (Quantity, Topic),
    /// True for a rate: larger is faster.
    rate: bool,
}

impl Beside {
    /// Measured over predicted time, for a rate the inverse of its ratio: above 1 if the measurement is slower.
    fn slower(&self) -> f64 {
        let ratio = self.measured.value / self.predicted.value;
        if self.rate { 1.0 / ratio } else { ratio }
    }

    /// The range of measurements that eight of ten published rows would have, in the unit of this value.
    fn range(&self, question: &Scenario) -> Option<(Amount, Amount)> {
        let (low, high) = cards::reach(question, self.time.0)?;
        let at = |factor: f64| Amount { value: self.predicted.value * factor, ..self.predicted };
        Some(if self.rate { (at(1.0 / high), at(1.0 / low)) } else { (at(low), at(high)) })
    }

    /// `12 % longer than predicted`.
    fn difference(&self) -> String {
        let slower = self.slower() - 1.0;
        let share = Amount::percent(slower.abs());
        let (longer, shorter) = if self.rate { ("slower", "faster") } else { ("longer", "shorter") };
        match slower {
            slower if slower.abs() < 0.005 => "as predicted".to_owned(),
            slower if slower > 0.0 => format!("{share} {longer} than predicted"),
            _ => format!("{share} {shorter} than predicted"),
        }
    }

    /// The share of published rows that were at least as far off, on the same side.
    fn place(&self, spread: Option<&Spread>) -> Cell {
        let Some(spread) = spread else { return Cell::text("no similar rows") };
        let below = spread.below(self.slower());
        let (share, side) = if below > 0.5 { (1.0 - below, "slower") } else { (below, "faster") };
        let text = if share < LEAST { "under 5 %".to_owned() } else { Amount::percent(share).to_string() };
        let note = format!("of {} rows were {side} still", Amount::count(spread.rows));
        Cell { note, ..Cell::number(100.0 * share, text) }
    }
}

/// Smallest share of rows that the table of spreads resolves: its first quantile.
const LEAST: f64 = 0.05;

/// Measured values of training. The predicted MFU is converted to the peak that the measured MFU refers to.
fn of_training(question: &Scenario, estimate: &TrainingEstimate) -> Vec<Beside> {
    let own = &question.measured;
    let time = (Quantity::IterTime, Topic::Step);
    let of = |name, measured: Option<f64>, unit, predicted: f64, rate| {
        let (measured, predicted) = (Amount::new(measured?, unit), Amount::new(predicted, unit));
        Some(Beside { name, measured, predicted, time, rate })
    };
    let mfu = question.mfu_as_measured(estimate.mfu);
    let tokens = estimate.tokens_per_second_per_gpu;
    [
        of("Step time", own.step_s, Unit::Seconds, estimate.step.get(), false),
        of("Tokens per second and GPU", own.tokens_per_gpu, Unit::Rate, tokens, true),
        of("MFU", own.mfu, Unit::Percent, mfu, true),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Measured values of serving.
fn of_serving(question: &Scenario, estimate: &InferenceEstimate) -> Vec<Beside> {
    let own = &question.measured;
    let time = |name, measured: Option<f64>, predicted: Seconds, time| {
        let measured = Amount::time(Seconds::new(measured? * 1e-3));
        Some(Beside { name, measured, predicted: Amount::time(predicted), time, rate: false })
    };
    let request = (Quantity::RequestLatency, Topic::Request);
    let output = own.output.map(|output| Beside {
        name: "Output tokens per second",
        measured: Amount::rate(output),
        predicted: Amount::rate(estimate.tokens_per_second),
        time: request,
        rate: true,
    });
    [
        time("Time to first token", own.ttft_ms, estimate.ttft, (Quantity::Ttft, Topic::Ttft)),
        time("Time per output token", own.tpot_ms, estimate.tpot, (Quantity::Tpot, Topic::Tpot)),
        time("Request latency", own.latency_ms, estimate.latency, request),
        output,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The card and the parts of a training answer, if a value was measured.
pub(super) fn training(question: &Scenario, estimate: &TrainingEstimate) -> (Option<Card>, Vec<Part>) {
    shown(question, &of_training(question, estimate))
}

/// The card and the parts of a serving answer, if a value was measured.
pub(super) fn serving(question: &Scenario, estimate: &InferenceEstimate) -> (Option<Card>, Vec<Part>) {
    shown(question, &of_serving(question, estimate))
}

/// The card of the first value, the table of all, and links to similar published rows.
fn shown(question: &Scenario, all: &[Beside]) -> (Option<Card>, Vec<Part>) {
    let Some(first) = all.first() else { return (None, Vec::new()) };
    let spread = |beside: &Beside| {
        // Published rows lie about predictions without anybody's profile.
        let plain = question.profile_in_use().is_none();
        cards::band(question, beside.time.0).and(band::spread(question, beside.time.0)).filter(|_| plain)
    };
    let label = format!("Measured {}", lower(first.name));
    let note = match first.range(question) {
        Some((low, high)) if first.measured.value < low.value || first.measured.value > high.value => {
            format!("{}, outside its range", first.difference())
        }
        Some(_) => format!("{}, within its range", first.difference()),
        None => first.difference(),
    };
    let card = Card::new(ID, label, first.measured).noted(note);
    let mut table = Table::under([
        Column::new("Quantity"),
        Column::new("Measured"),
        Column::new("Predicted"),
        Column::of("Ratio", "times"),
        Column::new("8 of 10 rows"),
        Column::of("As far off", "%"),
    ]);
    for beside in all {
        let range =
            beside.range(question).map_or_else(|| "–".to_owned(), |(low, high)| format!("{low} to {high}"));
        let slower = beside.slower();
        table.push([
            Cell::text(beside.name),
            Cell::amount(beside.measured),
            Cell::amount(beside.predicted),
            Cell::number(slower, format::times(slower)),
            Cell::text(range),
            beside.place(spread(beside).as_ref()),
        ]);
    }
    let from = match question.measured.from.as_str() {
        "" => "As entered".to_owned(),
        from => format!("As measured by {from}"),
    };
    let finding = format!(
        "{from}, {} is {}. Ratios are of times, also for rates: above 1 is slower than predicted. The range holds \
         eight of ten published rows like this one; the last column is the share of rows that were at least as far \
         off. Your numbers stay in this link and are sent nowhere.",
        lower(first.name),
        first.difference()
    );
    let part = TablePart::new(ID, "Measured beside predicted", finding, table);
    let mut parts = vec![part.into()];
    parts.extend(rows_alike(question, all).map(Part::Notice));
    (Some(card), parts)
}

/// A name inside a sentence: abbreviations keep their capitals.
fn lower(name: &str) -> String {
    match name {
        "MFU" => name.to_owned(),
        _ => name.to_lowercase().replace(" gpu", " GPU"),
    }
}

/// Links to the published rows that the range of each value is based on.
fn rows_alike(question: &Scenario, all: &[Beside]) -> Option<Notice> {
    let mut links: Vec<Link> = Vec::new();
    for beside in all {
        let Some(band) = cards::band(question, beside.time.0) else { continue };
        let errors = ErrorChoice {
            of: beside.time.1,
            generation: band.group.generation.clone().unwrap_or_default(),
            family: band.group.family.map_or("", Family::name).to_owned(),
            bits: band.group.bits.map(|bits| bits.to_string()).unwrap_or_default(),
            ..ErrorChoice::default()
        };
        let there = Scenario { view: View::Validation, errors, ..question.clone() };
        let text = format!("{} published {}", Amount::count(band.rows), band.group);
        if links.iter().all(|known| known.text != text) {
            links.push(Link { text, link: link::encode(&there), ..Link::default() });
        }
    }
    (!links.is_empty()).then(|| Notice {
        id: "measured-rows".to_owned(),
        text: "Published rows like this one".to_owned(),
        links,
    })
}
