//! Bar charts of the terms that add up to a time.

mod layout;

use super::limits;
use crate::estimate::{OperatorRow, Term};
use crate::figure::backend::Ink;
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::lines::PINNED;
use crate::figure::frame::{Size, blank, part_of, positive, within};
use crate::figure::{Cell, Figure, MOST_PINNED, Pinned, Table};
use crate::serving::InferenceEstimate;
use crate::system::Bound;
use crate::training::TrainingEstimate;
use crate::units::{Seconds, format};
use layout::Layout;

/// Figure of the terms of a training step, with markers at those of pinned questions.
pub fn step_breakdown(
    estimate: &TrainingEstimate,
    pinned: &[Pinned<TrainingEstimate>],
    size: Size,
) -> Figure {
    let breakdown = Breakdown {
        id: "step-breakdown",
        title: "Where a training step's time goes",
        what: "A training step",
        total: estimate.step,
        terms: &estimate.terms,
        pinned: pinned.iter().map(|one| (one.label(), one.of.step, &*one.of.terms)).collect(),
    };
    let mut figure = breakdown.figure(size);
    if positive(estimate.mfu) {
        figure.finding = format!(
            "{}; model FLOPs utilisation is {}.",
            figure.finding.trim_end_matches('.'),
            format::percent(estimate.mfu)
        );
    }
    figure.assumptions.push("Times are those of the slowest pipeline stage".to_owned());
    figure
}

/// Figure of the terms of the time to first token (TTFT), with markers at those of pinned questions.
pub fn prefill_breakdown(
    estimate: &InferenceEstimate,
    pinned: &[Pinned<InferenceEstimate>],
    size: Size,
) -> Figure {
    let breakdown = Breakdown {
        id: "prefill-breakdown",
        title: "Where the time to the first token goes",
        what: "The first token",
        total: estimate.ttft,
        terms: &estimate.terms_prefill,
        pinned: pinned.iter().map(|one| (one.label(), one.of.ttft, &*one.of.terms_prefill)).collect(),
    };
    let mut figure = breakdown.figure(size);
    figure.finding = explained(&figure.finding, &estimate.prefill, |bound| match bound {
        Bound::Compute => ": each weight that is read is used for many tokens",
        Bound::Network => ": GPUs exchange the activations of every token",
        Bound::Dram | Bound::L2 | Bound::Launch => "",
    });
    figure
}

/// Figure of the terms of the time per output token (TPOT), with markers at those of pinned questions.
pub fn decode_breakdown(
    estimate: &InferenceEstimate,
    pinned: &[Pinned<InferenceEstimate>],
    size: Size,
) -> Figure {
    let breakdown = Breakdown {
        id: "decode-breakdown",
        title: "Where the time of each further token goes",
        what: "Each further token",
        total: estimate.tpot,
        terms: &estimate.terms_decode,
        pinned: pinned.iter().map(|one| (one.label(), one.of.tpot, &*one.of.terms_decode)).collect(),
    };
    let mut figure = breakdown.figure(size);
    figure.finding = explained(&figure.finding, &estimate.decode, |bound| match bound {
        Bound::Dram => ": each step reads the weights and the KV cache",
        Bound::Network => ": GPUs exchange activations in each layer",
        Bound::Launch => ": kernels take less time than their launches",
        Bound::Compute | Bound::L2 => "",
    });
    figure.assumptions.push("Taken at the mean context length of the request".to_owned());
    figure
}

/// A finding with the resource that limits most of the operators of its phase, and why.
fn explained(finding: &str, rows: &[OperatorRow], why: fn(Bound) -> &'static str) -> String {
    let Some((bound, share)) = limits::most(&rows.iter()) else { return finding.to_owned() };
    format!(
        "{}; {} of the operators' time is limited by {}{}.",
        finding.trim_end_matches('.'),
        format::percent(share),
        limits::named(bound),
        why(bound)
    )
}

/// A total and its terms.
struct Breakdown<'a> {
    id: &'static str,
    title: &'static str,
    what: &'static str,
    total: Seconds,
    terms: &'a [Term],
    /// Names, totals and terms of pinned questions.
    pinned: Vec<(String, Seconds, &'a [Term])>,
}

/// Maximum number of bars that can be distinguished; the table has the rest.
const MOST_BARS: usize = 14;

impl Breakdown<'_> {
    fn figure(&self, size: Size) -> Figure {
        let shown = self.shown();
        let known = shown.iter().filter(|term| positive(term.time.get()));
        let largest = known.max_by(|a, b| a.time.get().total_cmp(&b.time.get()));
        let finding = match largest {
            Some(term) => format!(
                "{} takes {}, of which {} ({}) is {}.",
                self.what,
                format::time(self.total),
                format::time(term.time),
                format::percent(term.time / self.total),
                within(term.label),
            ),
            None => format!("{} has no terms to show.", self.what),
        };
        let drawing = match largest {
            Some(largest) => self.drawing(&shown, largest, &finding, size),
            None => blank(size, &finding),
        };
        let assumptions = vec![
            "The terms add up to the total: time that is hidden behind another term is left out".to_owned(),
        ];
        Figure {
            id: self.id.into(),
            title: self.title.to_owned(),
            finding,
            table: table(self.total, self.terms)
                .beside(self.pinned.iter().map(|(name, total, terms)| (name.clone(), table(*total, terms)))),
            assumptions,
            ..drawing.into()
        }
    }

    /// The terms that are drawn: the question's, then those that only pinned questions have.
    fn shown(&self) -> Vec<Term> {
        let taken = |term: &&Term| positive(term.time.get());
        let mut shown: Vec<Term> = self.terms.iter().filter(taken).cloned().collect();
        for (_, _, terms) in self.pinned.iter().take(MOST_PINNED) {
            for term in terms.iter().filter(taken) {
                if shown.iter().all(|known| known.id != term.id) {
                    shown.push(Term { time: Seconds::ZERO, ..term.clone() });
                }
            }
        }
        shown.truncate(MOST_BARS);
        shown
    }

    fn drawing(&self, terms: &[Term], largest: &Term, finding: &str, size: Size) -> Drawing {
        let mut legend = Legend::default();
        for ((name, ..), marker) in self.pinned.iter().zip(PINNED) {
            legend.push(Key::Point(marker, Ink::Text), name);
        }
        let layout = Layout::of(size, terms.len());
        let room = size.width() - 24.0;
        let others = terms.iter().flat_map(|term| self.beside(term)).map(|(_, time)| time.get());
        let axis = Axis::from_zero(others.chain([largest.time.get()]).filter(|time| positive(*time)));
        draw((size.width(), layout.height() + legend.height(room)), finding, |canvas| {
            layout.axis(canvas, axis);
            for (row, term) in terms.iter().enumerate() {
                let (time, share) = (format::time(term.time), part_of(term.time / self.total));
                let text = format!("{time} · {share}");
                let length = |time: Seconds| axis.clamped(time.get()).unwrap_or(0.0);
                let beside = self.beside(term);
                let mut read = format!("{}: {text}. {}", term.label, term.why);
                for (name, time) in &beside {
                    read.extend(["; ", *name, ": ", &*format::time(*time)]);
                }
                let marks: Vec<f64> = beside.iter().map(|(_, time)| length(*time)).collect();
                let lengths = (length(term.time), &*marks);
                layout.bar(
                    canvas,
                    row,
                    lengths,
                    std::ptr::eq(term, largest),
                    (term.label, [&text, &time], read),
                );
            }
            legend.draw(canvas, (12.0, layout.height()), room);
        })
    }

    /// Names of pinned questions and their times of a term.
    fn beside(&self, term: &Term) -> Vec<(&str, Seconds)> {
        let time = |terms: &[Term]| {
            terms.iter().find(|other| other.id == term.id).map_or(Seconds::ZERO, |other| other.time)
        };
        self.pinned.iter().zip(PINNED).map(|((name, _, terms), _)| (&**name, time(terms))).collect()
    }
}

fn table(total: Seconds, terms: &[Term]) -> Table {
    let mut table =
        Table::new([("Term", None), ("Time", Some("s")), ("Share", Some("%")), ("Description", None)]);
    for term in terms {
        let share = term.time / total;
        table.push([
            Cell::text(term.label),
            Cell::number(term.time.get(), format::time(term.time)),
            Cell::number(share * 100.0, format::percent(share)),
            Cell::text(term.why),
        ]);
    }
    let total = Cell::number(total.get(), format::time(total));
    table.push([Cell::text("Total"), total, Cell::number(100.0, "100 %"), Cell::none()]);
    table
}
