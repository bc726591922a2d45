//! Compares measured values with their predictions.

mod changes;
mod difference;
mod nearest;
pub(super) mod ratio;
mod runs;

use super::{Card, Link, Notice, Part, TablePart, cards};
use crate::figure::{Cell, Column, Table};
use crate::scenario::{Scenario, Topic, View};
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, Unit};
use crate::validation::Quantity;
use crate::validation::band::{self, Spread};
pub(super) use difference::stage;
pub(super) use nearest::Published;
pub(super) use runs::runs;

/// Id of the table and of the card.
const ID: &str = "measured";

/// A measured value and its prediction.
struct Beside {
    name: &'static str,
    measured: Amount,
    predicted: Amount,
    /// The time whose error band applies, and its topic in the Validation view. A rate uses the band of its time.
    time: (Quantity, Topic),
    /// True for a rate, for which larger is faster.
    rate: bool,
}

impl Beside {
    /// Measured / predicted time; for a rate, predicted / measured. Above 1 if the measurement is slower.
    fn slower(&self) -> f64 {
        let ratio = self.measured.value / self.predicted.value;
        if self.rate { 1.0 / ratio } else { ratio }
    }

    /// The range expected to hold 80 % of measurements, from the errors of similar published rows, in the unit of this
    /// value.
    fn range(&self, question: &Scenario) -> Option<(Amount, Amount)> {
        let (low, high) = cards::reach(question, self.time.0)?;
        let at = |factor: f64| Amount { value: self.predicted.value * factor, ..self.predicted };
        Some(if self.rate { (at(1.0 / high), at(1.0 / low)) } else { (at(low), at(high)) })
    }

    /// The difference in words, e.g. `12.3 % longer than predicted` or `3.74× the prediction`.
    fn difference(&self) -> String {
        let times = self.measured.value / self.predicted.value;
        let more = times - 1.0;
        let share = ratio::unsigned(1.0 + more.abs());
        let (larger, smaller) = if self.rate { ("higher", "lower") } else { ("longer", "shorter") };
        match more {
            more if more >= 1.0 => format!("{} the prediction", ratio::signed(times)),
            more if more.abs() < 0.005 => "as predicted".to_owned(),
            more if more > 0.0 => format!("{share} {larger} than predicted"),
            _ => format!("{share} {smaller} than predicted"),
        }
    }

    /// The share of similar published rows with an error at least as large and of the same sign.
    fn place(&self, spread: Option<&Spread>) -> Cell {
        let Some(spread) = spread else { return Cell::text("no similar rows") };
        let below = spread.below(self.slower());
        let (share, side) = if below > 0.5 { (1.0 - below, "slower") } else { (below, "faster") };
        let text = if share < LEAST { "under 5 %".to_owned() } else { Amount::percent(share).to_string() };
        let note = format!("of {} rows were even {side}", Amount::count(spread.rows));
        Cell { note, ..Cell::number(100.0 * share, text) }
    }
}

/// Smallest share that `spreads.csv` resolves: its first quantile.
const LEAST: f64 = 0.05;

/// Measured values of training. The predicted MFU is converted to the peak rate that the measured MFU refers to.
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
        of("Tokens per second per GPU", own.tokens_per_gpu, Unit::Rate, tokens, true),
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

/// The card and the parts of a training answer; none without a measured value.
pub(super) fn training(question: &Scenario, estimate: &TrainingEstimate) -> (Option<Card>, Vec<Part>) {
    shown(question, &of_training(question, estimate))
}

/// The card and the parts of a serving answer; none without a measured value.
pub(super) fn serving(question: &Scenario, estimate: &InferenceEstimate) -> (Option<Card>, Vec<Part>) {
    shown(question, &of_serving(question, estimate))
}

/// The card of the value that is furthest from its prediction, the table of all, and links to similar published rows.
fn shown(question: &Scenario, all: &[Beside]) -> (Option<Card>, Vec<Part>) {
    let off = |beside: &Beside| libm::log(beside.slower()).abs();
    let Some(first) = all.iter().max_by(|a, b| off(a).total_cmp(&off(b))) else { return (None, Vec::new()) };
    let spread = |beside: &Beside| {
        // Errors of published rows refer to predictions without a calibration profile.
        let plain = !question.is_corrected();
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
        Column::of("Time against prediction", "times"),
        Column::new("80 % range"),
        Column::of("Published rows at least as far off", "%"),
    ]);
    for beside in all {
        let range =
            beside.range(question).map_or_else(|| "–".to_owned(), |(low, high)| format!("{low} to {high}"));
        let slower = beside.slower();
        table.push([
            Cell::text(beside.name),
            Cell::amount(beside.measured),
            Cell::amount(beside.predicted),
            Cell::number(slower, ratio::signed(slower)),
            Cell::text(range),
            beside.place(spread(beside).as_ref()),
        ]);
    }
    let from = match question.measured.from.as_str() {
        "" => "As entered".to_owned(),
        from => format!("As measured by {from}"),
    };
    let finding = format!(
        "{from}, {} is {}. The time against its prediction is a factor from twice as long on; of rates it is the \
         inverse. The range holds 80 % of \
         similar published rows; the last column is the share of these rows with at least this error in the same \
         direction. Your numbers are stored only in this link.",
        lower(first.name),
        first.difference()
    );
    let part = TablePart::new(ID, "Measured and predicted", finding, table);
    let mut parts = vec![part.into()];
    parts.extend(rows_alike(question, all).map(Part::Notice));
    (Some(card), parts)
}

/// Notice that a measured run does not fit by the model, so that a setting differs; `None` without a measured value.
pub(super) fn although_too_large(question: &Scenario) -> Option<Notice> {
    let settings = if question.view == View::Training {
        "recomputation, optimizer and gradient formats, microbatch, ZeRO stage and offloading"
    } else {
        "the number formats of weights and KV cache, the concurrent requests, the lengths and the share of the memory"
    };
    let text = format!(
        "This run was measured, yet by the model it does not fit. A setting probably differs: check {settings}. The \
         comparison ignores the memory."
    );
    (!question.measured.is_empty()).then(|| Notice::new("measured-unfit", text, Vec::new()))
}

/// A name inside a sentence: in lower case, except for abbreviations.
fn lower(name: &str) -> String {
    match name {
        "MFU" => name.to_owned(),
        _ => name.to_lowercase().replace(" gpu", " GPU"),
    }
}

/// Links to the published rows on which the ranges are based.
fn rows_alike(question: &Scenario, all: &[Beside]) -> Option<Notice> {
    let mut links: Vec<Link> = Vec::new();
    for beside in all {
        let Some(band) = cards::band(question, beside.time.0) else { continue };
        let text = format!("{} published {}", Amount::count(band.rows), band.group);
        if links.iter().all(|known| known.text != text) {
            links.push(Link::at(text, cards::errors_of(question, &band.group, beside.time.1)));
        }
    }
    (!links.is_empty()).then(|| Notice::new("measured-rows", "Similar published rows", links))
}
