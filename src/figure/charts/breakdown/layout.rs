//! Rows of labelled bars.

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::Size;
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::Canvas;
use crate::figure::frame::lines::PINNED;
use crate::figure::frame::tick_labels::Level;
use crate::figure::frame::ticks::{self, Grid};
use crate::figure::frame::typography::{Align, Type};

/// Layout of rows of labelled bars: labels beside the bars, or above them in narrow charts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    size: Size,
    rows: usize,
    left: f64,
    right: f64,
    pitch: f64,
}

const TOP: f64 = 8.0;
const THICKNESS: f64 = 18.0;
/// Radius of a marker.
const RADIUS: f64 = 5.5;
const BAR: (Ink, Hatch) = (Ink::Series(1), Hatch::Plain);

impl Layout {
    pub(super) fn of(size: Size, rows: usize) -> Self {
        match size {
            // Behind the longest bar there is room for its value.
            Size::Wide => Self { size, rows, left: 232.0, right: 652.0, pitch: 34.0 },
            Size::Medium | Size::Narrow => {
                Self { size, rows, left: 8.0, right: size.width() - 24.0, pitch: 44.0 }
            }
        }
    }

    /// Place of a share of the axis.
    fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn bottom(&self) -> f64 {
        TOP + self.pitch * self.rows as f64
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom() + 46.0
    }

    pub(super) fn axis(&self, canvas: &mut Canvas<'_>, axis: Axis) {
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let (ends, lines) = ((self.left, self.right), (TOP, self.bottom()));
        Level { axis, grid: Grid::Time, each: 75.0, ends, lines, below: 12.0 }.draw(canvas, &ticks::time);
        canvas.text((f64::midpoint(self.left, self.right), self.bottom() + 32.0), "Time", style);
        canvas.line((self.left, TOP), (self.left, self.bottom()), Stroke::solid(Ink::Muted, 1.0));
    }

    /// The bar of a row: a length and markers as shares of the axis, with a label, a value, its time alone, and a read-out;
    /// `stress` marks the largest.
    pub(super) fn bar(
        &self,
        canvas: &mut Canvas<'_>,
        row: usize,
        (length, marks): (f64, &[f64]),
        stress: bool,
        (label, [value, time], read): (&str, [&str; 2], String),
    ) {
        let top = TOP + self.pitch * row as f64;
        let style = Type::label().bold_if(stress);
        // A shorter bar could be mistaken for the axis.
        let width = (length * (self.right - self.left)).max(1.5);
        let reach = marks.iter().map(|mark| self.x(*mark) + RADIUS).fold(self.left + width, f64::max);
        let middle = match self.size {
            Size::Wide => {
                let middle = top + self.pitch / 2.0;
                let label = style.fit(label, self.left - 16.0);
                canvas.text((self.left - 8.0, middle), &label, style.align(Align::Right));
                let corner = (self.left, middle - THICKNESS / 2.0);
                canvas.bar(corner, (width, THICKNESS), BAR, read);
                canvas.text((reach + 7.0, middle), value, style);
                middle
            }
            Size::Medium | Size::Narrow => {
                let (line, middle) = (top + 11.0, top + 28.0);
                let room = self.size.width() - 2.0 * self.left - 8.0;
                let beside = room - style.width(value);
                // A value without room beside its label has it behind a short bar. Beside a long bar, it is the time alone.
                let small = Type::small(Ink::Text);
                let fits = small.width(label) <= beside;
                let below = !fits && reach < self.left + beside;
                let (value, room) = match (fits, below) {
                    (true, _) => (value, beside),
                    (false, true) => (value, room),
                    (false, false) => (time, room - style.width(time)),
                };
                let named = if style.width(label) > room { small } else { style };
                canvas.text((self.left + 2.0, line), &named.fit(label, room), named);
                canvas.bar((self.left, middle - 7.0), (width, 14.0), BAR, read);
                let line = if below { middle } else { line };
                canvas.text((self.size.width() - self.left, line), value, style.align(Align::Right));
                middle
            }
        };
        for (mark, marker) in marks.iter().zip(PINNED) {
            canvas.marker((self.x(*mark), middle), marker, Ink::Paper, RADIUS + 1.5);
            canvas.marker((self.x(*mark), middle), marker, Ink::Text, RADIUS);
        }
    }
}
