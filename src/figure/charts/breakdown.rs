//! Bar charts of the terms that add up to a time.

use super::limits;
use crate::estimate::{OperatorRow, Term};
use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::ticks::{self, Grid};
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::serving::InferenceEstimate;
use crate::system::Bound;
use crate::training::TrainingEstimate;
use crate::units::{Seconds, format};

/// Figure of the terms of a training step.
pub fn step_breakdown(estimate: &TrainingEstimate, size: Size) -> Figure {
    let breakdown = Breakdown {
        id: "step-breakdown",
        title: "Where a training step's time goes",
        what: "A training step",
        total: estimate.step,
        terms: &estimate.terms,
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

/// Figure of the terms of the time to first token (TTFT).
pub fn prefill_breakdown(estimate: &InferenceEstimate, size: Size) -> Figure {
    let breakdown = Breakdown {
        id: "prefill-breakdown",
        title: "Where the time to the first token goes",
        what: "The first token",
        total: estimate.ttft,
        terms: &estimate.terms_prefill,
    };
    let mut figure = breakdown.figure(size);
    figure.finding = explained(&figure.finding, &estimate.prefill, |bound| match bound {
        Bound::Compute => ": each weight that is read is used for many tokens",
        Bound::Network => ": GPUs exchange the activations of every token",
        Bound::Dram | Bound::L2 | Bound::Launch => "",
    });
    figure
}

/// Figure of the terms of the time per output token (TPOT).
pub fn decode_breakdown(estimate: &InferenceEstimate, size: Size) -> Figure {
    let breakdown = Breakdown {
        id: "decode-breakdown",
        title: "Where the time of each further token goes",
        what: "Each further token",
        total: estimate.tpot,
        terms: &estimate.terms_decode,
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
}

/// Maximum number of bars that can be distinguished; the table has the rest.
const MOST_BARS: usize = 14;

impl Breakdown<'_> {
    fn figure(&self, size: Size) -> Figure {
        let shown: Vec<&Term> =
            self.terms.iter().filter(|term| positive(term.time.get())).take(MOST_BARS).collect();
        let largest = shown.iter().copied().max_by(|a, b| a.time.get().total_cmp(&b.time.get()));
        let finding = match largest {
            Some(term) => format!(
                "{} takes {}, of which {} ({}) is {}.",
                self.what,
                format::time(self.total),
                format::time(term.time),
                format::percent(self.share(term)),
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
            table: self.table(),
            assumptions,
            ..drawing.into()
        }
    }

    fn share(&self, term: &Term) -> f64 {
        term.time / self.total
    }

    fn table(&self) -> Table {
        let mut table =
            Table::new([("Term", None), ("Time", Some("s")), ("Share", Some("%")), ("Description", None)]);
        for term in self.terms {
            let share = self.share(term);
            table.push([
                Cell::text(term.label),
                Cell::number(term.time.get(), format::time(term.time)),
                Cell::number(share * 100.0, format::percent(share)),
                Cell::text(term.why),
            ]);
        }
        let total = Cell::number(self.total.get(), format::time(self.total));
        table.push([Cell::text("Total"), total, Cell::number(100.0, "100 %"), Cell::none()]);
        table
    }

    fn drawing(&self, terms: &[&Term], largest: &Term, finding: &str, size: Size) -> Drawing {
        let layout = Layout::of(size, terms.len());
        let axis = Axis::from_zero([largest.time.get()]);
        draw((size.width(), layout.height()), finding, |canvas| {
            layout.axis(canvas, axis);
            for (row, term) in terms.iter().enumerate() {
                let text = format!("{} · {}", format::time(term.time), format::percent(self.share(term)));
                let length = axis.clamped(term.time.get()).unwrap_or(0.0);
                let read = format!("{}: {text}. {}", term.label, term.why);
                layout.bar(canvas, row, length, std::ptr::eq(*term, largest), (term.label, &text, read));
            }
        })
    }
}

/// Layout of rows of labelled bars: labels beside the bars, or above them in narrow charts.
#[derive(Clone, Copy, Debug)]
struct Layout {
    size: Size,
    rows: usize,
    left: f64,
    right: f64,
    pitch: f64,
}

const TOP: f64 = 8.0;
const THICKNESS: f64 = 18.0;
const BAR: (Ink, Hatch) = (Ink::Series(1), Hatch::Plain);

impl Layout {
    fn of(size: Size, rows: usize) -> Self {
        match size {
            // Behind the longest bar there is room for its value.
            Size::Wide => Self { size, rows, left: 232.0, right: 652.0, pitch: 34.0 },
            Size::Medium | Size::Narrow => {
                Self { size, rows, left: 8.0, right: size.width() - 24.0, pitch: 44.0 }
            }
        }
    }

    fn bottom(&self) -> f64 {
        TOP + self.pitch * self.rows as f64
    }

    fn height(&self) -> f64 {
        self.bottom() + 46.0
    }

    fn axis(&self, canvas: &mut Canvas<'_>, axis: Axis) {
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let most = ((self.right - self.left) / 75.0) as usize;
        for tick in axis.ticks(Grid::Time, most) {
            let x = self.left + tick.at * (self.right - self.left);
            canvas.line((x, TOP), (x, self.bottom()), Stroke::solid(Ink::Grid, 1.0));
            canvas.text((x, self.bottom() + 12.0), &ticks::time(tick.value), style);
        }
        canvas.text((f64::midpoint(self.left, self.right), self.bottom() + 32.0), "Time", style);
        canvas.line((self.left, TOP), (self.left, self.bottom()), Stroke::solid(Ink::Muted, 1.0));
    }

    /// The bar of a row: `length` of the axis, with a label, a value and a read-out; `stress` marks the largest.
    fn bar(
        &self,
        canvas: &mut Canvas<'_>,
        row: usize,
        length: f64,
        stress: bool,
        (label, value, read): (&str, &str, String),
    ) {
        let top = TOP + self.pitch * row as f64;
        let style = Type::label().bold_if(stress);
        // A shorter bar could be mistaken for the axis.
        let width = (length * (self.right - self.left)).max(1.5);
        match self.size {
            Size::Wide => {
                let middle = top + self.pitch / 2.0;
                let label = style.fit(label, self.left - 16.0);
                canvas.text((self.left - 8.0, middle), &label, style.align(Align::Right));
                let corner = (self.left, middle - THICKNESS / 2.0);
                canvas.bar(corner, (width, THICKNESS), BAR, read);
                canvas.text((self.left + width + 7.0, middle), value, style);
            }
            Size::Medium | Size::Narrow => {
                let line = top + 11.0;
                let room = self.size.width() - 2.0 * self.left - style.width(value) - 8.0;
                let named = if style.width(label) > room { Type::small(Ink::Text) } else { style };
                canvas.text((self.left + 2.0, line), &named.fit(label, room), named);
                canvas.text((self.size.width() - self.left, line), value, style.align(Align::Right));
                let corner = (self.left, top + 21.0);
                canvas.bar(corner, (width, 14.0), BAR, read);
            }
        }
    }
}
