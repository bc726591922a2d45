//! Waterfall chart from a predicted to a measured step: one bar per term of a profile.

use super::difference::{WORDS, longer};
use crate::figure::frame::cascade::{Bar, Cascade};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Column, Figure, Table};
use crate::order;
use crate::units::{Seconds, format};

/// Smallest difference that has a bar, as a fraction of the predicted time; the table has all.
const LEAST: f64 = 1e-3;

/// A term of a step: predicted and measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermDifference {
    /// Label of the term.
    pub name: &'static str,
    /// Predicted time.
    pub predicted: Seconds,
    /// Measured time.
    pub measured: Seconds,
}

impl TermDifference {
    /// Measured less predicted time.
    pub fn more(&self) -> Seconds {
        self.measured - self.predicted
    }
}

/// The differences of a profile's terms, in the order of the chart: terms that are longer than predicted, then shorter ones, each
/// with the largest first. In this order no running total is negative.
#[derive(Clone, Debug, PartialEq)]
pub struct TermDifferences {
    terms: Vec<TermDifference>,
    predicted: Seconds,
    measured: Seconds,
}

impl TermDifferences {
    /// Differences of these terms, which add up to the predicted and to the measured step up to rounding.
    pub fn new(predicted: Seconds, measured: Seconds, mut terms: Vec<TermDifference>) -> Self {
        order::sort(&mut terms, |a, b| {
            let [first, second] = [a, b].map(|term| term.more().get());
            let shorter = (first < 0.0).cmp(&(second < 0.0));
            shorter.then(second.abs().total_cmp(&first.abs()))
        });
        Self { terms, predicted, measured }
    }

    /// The terms.
    pub const fn terms(&self) -> &[TermDifference] {
        self.terms.as_slice()
    }

    /// The predicted step.
    pub const fn predicted(&self) -> Seconds {
        self.predicted
    }

    /// The measured step.
    pub const fn measured(&self) -> Seconds {
        self.measured
    }
}

/// Figure of the differences of a profile's terms, which add up to measured less predicted time.
pub fn term_differences(differences: &TermDifferences, size: Size) -> Figure {
    let finding = finding(differences);
    let ends = [differences.predicted(), differences.measured()];
    let drawing = if ends.into_iter().all(|end| positive(end.get())) {
        Cascade::of(bars(differences), WORDS, size).drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "difference-step".into(),
        title: "Step time: from predicted to measured".to_owned(),
        finding,
        table: table(differences),
        assumptions: vec![
            "Each bar is the measured time of a part of the profile less its predicted time, so the bars add up to the measured step. \
             NCCL kernels include the wait for other GPUs, whose cause may be another term"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// A difference with its sign, e.g. `+3.20 ms`.
fn signed(time: Seconds) -> String {
    let sign = if time.get() < 0.0 { "−" } else { "+" };
    format!("{sign}{}", format::time(Seconds::new(time.get().abs())))
}

fn finding(differences: &TermDifferences) -> String {
    let (predicted, measured) = (differences.predicted(), differences.measured());
    let whole = format!(
        "The measured step time of {} is {} than the predicted {}",
        format::time(measured),
        longer(measured / predicted),
        format::time(predicted)
    );
    let mut largest: Vec<&TermDifference> = differences.terms.iter().collect();
    order::sort(&mut largest, |a, b| b.more().get().abs().total_cmp(&a.more().get().abs()));
    let text = |term: &&TermDifference| format!("{} {}", within(term.name), signed(term.more()));
    let texts: Vec<String> = largest.iter().take(3).map(text).collect();
    format!("{whole}. The largest differences in the profile: {}.", texts.join(", "))
}

fn table(differences: &TermDifferences) -> Table {
    let mut table = Table::under([
        Column::new("Cause"),
        Column::of("Predicted", "s"),
        Column::of("Measured", "s"),
        Column::of("Difference", "s"),
        Column::of("Time", "s"),
    ]);
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    let (predicted, measured) = (differences.predicted(), differences.measured());
    table.push([Cell::text("Predicted"), time(predicted), Cell::none(), Cell::none(), time(predicted)]);
    let mut at = predicted;
    for term in &differences.terms {
        let more = term.more();
        at += more;
        let difference = Cell::number(more.get(), signed(more));
        table.push([Cell::text(term.name), time(term.predicted), time(term.measured), difference, time(at)]);
    }
    let more = measured - predicted;
    let difference = Cell::number(more.get(), signed(more));
    table.push([Cell::text("Measured"), Cell::none(), time(measured), difference, time(measured)]);
    table
}

fn bars(differences: &TermDifferences) -> Vec<Bar<'_>> {
    let (predicted, measured) = (differences.predicted(), differences.measured());
    let mut bars = Vec::with_capacity(differences.terms.len() + 2);
    let whole = |name, time: Seconds| {
        let (to, text) = (time / predicted, format::time(time));
        Bar { name, from: 1.0, to, range: None, whole: true, text }
    };
    bars.push(whole("Predicted", predicted));
    let mut at = predicted;
    for term in &differences.terms {
        let (from, more) = (at / predicted, term.more());
        at += more;
        let to = at / predicted;
        if (more / predicted).abs() >= LEAST && to > 0.0 {
            bars.push(Bar { name: term.name, from, to, range: None, whole: false, text: signed(more) });
        }
    }
    bars.push(whole("Measured", measured));
    bars
}
