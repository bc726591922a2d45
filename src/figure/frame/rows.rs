//! Rows of bars on one axis, with names beside the bars or, in narrow charts, above them.

use super::axis::Axis;
use super::canvas::{Canvas, Drawing, draw};
use super::legend::Legend;
use super::tick_labels::Level;
use super::ticks::Grid;
use super::typography::{Align, Type};
use crate::figure::backend::Ink;
use crate::figure::frame::{Size, brief};
use crate::units::format;

/// Layout of rows of bars, with their axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) struct Rows {
    pub(in crate::figure) size: Size,
    pub(in crate::figure) count: usize,
    /// Top of the first row, and height of each row.
    pub(in crate::figure) top: f64,
    pub(in crate::figure) pitch: f64,
    pub(in crate::figure) axis: Axis,
    /// The ends of the axis.
    pub(in crate::figure) left: f64,
    pub(in crate::figure) right: f64,
}

impl Rows {
    /// The height of rows with one bar each.
    pub(in crate::figure) const fn pitch(size: Size) -> f64 {
        match size {
            Size::Wide => 30.0,
            Size::Medium | Size::Narrow => 44.0,
        }
    }

    pub(in crate::figure) fn bottom(&self) -> f64 {
        self.top + self.pitch * self.count as f64
    }

    pub(in crate::figure) fn x(&self, value: f64) -> f64 {
        self.left + self.axis.clamped(value).unwrap_or(0.0) * (self.right - self.left)
    }

    pub(in crate::figure) fn middle(&self) -> f64 {
        f64::midpoint(self.left, self.right)
    }

    /// The drawing: an axis, rows each at its height, and the legend below them.
    pub(in crate::figure) fn drawing(
        &self,
        finding: &str,
        legend: &Legend,
        axis: impl Fn(&mut Canvas<'_>),
        row: impl Fn(&mut Canvas<'_>, usize, f64),
    ) -> Drawing {
        let width = self.size.width();
        let legend_top = self.bottom() + 44.0;
        let room = width - 24.0;
        draw((width, legend_top + legend.height(room) + 4.0), finding, |canvas| {
            axis(canvas);
            for index in 0..self.count {
                row(canvas, index, self.top + self.pitch * index as f64);
            }
            legend.draw(canvas, (12.0, legend_top), room);
        })
    }

    /// Draws the axis of factors, with labels such as `2×`.
    pub(in crate::figure) fn factors(&self, canvas: &mut Canvas<'_>) {
        self.ticks(canvas, (Grid::Decimal, 56.0), &|value| format!("{}×", brief(&format::digits(value))));
    }

    /// Draws grid lines, and labels if there is room; `each` is the usual distance of labels.
    pub(in crate::figure) fn ticks(
        &self,
        canvas: &mut Canvas<'_>,
        (grid, each): (Grid, f64),
        label: &dyn Fn(f64) -> String,
    ) {
        let (ends, lines) = ((self.left, self.right), (self.top, self.bottom()));
        Level { axis: self.axis, grid, each, ends, lines, below: 12.0 }.draw(canvas, label);
    }

    /// Draws the title of the axis.
    pub(in crate::figure) fn title(&self, canvas: &mut Canvas<'_>, middle: f64, text: &str) {
        canvas.text((middle, self.bottom() + 32.0), text, UNDER);
    }

    /// The name of a row with one bar; the middle of that.
    pub(in crate::figure) fn name(&self, canvas: &mut Canvas<'_>, top: f64, name: &str, style: Type) -> f64 {
        match self.size {
            Size::Wide => {
                let middle = top + self.pitch / 2.0;
                let lines = style.two_lines(name, self.left - 16.0);
                let first = middle - (lines.len() - 1) as f64 * LINE / 2.0;
                for (index, line) in lines.iter().enumerate() {
                    let y = first + LINE * index as f64;
                    canvas.text((self.left - 8.0, y), line, style.align(Align::Right));
                }
                middle
            }
            Size::Medium | Size::Narrow => {
                canvas.text(
                    (self.left, top + 11.0),
                    &style.fit(name, self.size.width() - 12.0 - self.left),
                    style,
                );
                top + 29.0
            }
        }
    }
}

/// Distance between the lines of a name, so that those of neighbouring rows stay apart.
const LINE: f64 = 13.0;

/// Text under the rows.
const UNDER: Type = Type::small(Ink::Muted).align(Align::Centre);
