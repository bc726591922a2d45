//! The frame of a chart with two axes: grid, ticks, titles, curves.

use super::axis::Axis;
use super::canvas::Canvas;
use super::tick_labels::Level;
use super::ticks::{self, Grid, LEAST};
use super::typography::{Align, Type};
use crate::figure::backend::{Ink, Stroke};
use crate::figure::frame::Size;
use crate::units::{Seconds, format};

/// Room right of the plot, in which the last tick's label may end.
pub(in crate::figure) const MARGIN: f64 = 16.0;
/// Distance of the upright axis from its labels.
const GAP: f64 = 5.0;

/// Two axes over a rectangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) struct Plot {
    pub(in crate::figure) x: Axis,
    pub(in crate::figure) y: Axis,
    pub(in crate::figure) left: f64,
    pub(in crate::figure) top: f64,
    pub(in crate::figure) right: f64,
    pub(in crate::figure) bottom: f64,
}

/// An axis' title, and how its ticks are labelled.
pub(in crate::figure) struct Scale<'a> {
    pub(in crate::figure) title: &'a str,
    pub(in crate::figure) label: &'a dyn Fn(f64) -> String,
    pub(in crate::figure) grid: Grid,
    /// A value that the axis reaches, wherever the points are.
    pub(in crate::figure) reach: Option<f64>,
}

impl<'a> Scale<'a> {
    /// Numbers, labelled so.
    pub(in crate::figure) const fn new(title: &'a str, label: &'a dyn Fn(f64) -> String) -> Self {
        Self { title, label, grid: Grid::Decimal, reach: None }
    }

    /// The scale whose axis reaches a value, if there is one.
    #[must_use]
    pub(in crate::figure) fn reaching(self, reach: Option<f64>) -> Self {
        Self { reach, ..self }
    }

    /// Times in seconds.
    pub(in crate::figure) const fn time(title: &'a str) -> Self {
        Self { title, label: &ticks::time, grid: Grid::Time, reach: None }
    }
}

impl Scale<'_> {
    /// A value with its name and unit: `DRAM bandwidth 2 TB/s` of the title `DRAM bandwidth (TB/s)`.
    fn said(&self, value: f64) -> String {
        let name = self.unit().map_or(self.title, |(name, _)| name);
        format!("{name} {}", self.value(value))
    }

    /// A value with its unit: `2 TB/s`. Times have three digits, as elsewhere; labels of ticks have those that they need.
    fn value(&self, value: f64) -> String {
        if let Grid::Time = self.grid {
            return format::time(Seconds::new(value));
        }
        let value = (self.label)(value);
        match self.unit() {
            // Some labels have their unit.
            Some((_, unit)) if !value.ends_with(unit) => format!("{value} {unit}"),
            _ => value,
        }
    }

    /// Name and unit of the title.
    fn unit(&self) -> Option<(&str, &str)> {
        self.title.strip_suffix(')').and_then(|title| title.rsplit_once(" ("))
    }
}

impl Plot {
    /// Room for the labels of the upright axis: `0.5 years` in a narrow drawing.
    pub(in crate::figure) const fn margin(size: Size) -> f64 {
        match size {
            Size::Wide | Size::Medium => 76.0,
            Size::Narrow => 64.0,
        }
    }

    /// Horizontal coordinate of a fraction of the horizontal axis.
    pub(in crate::figure) fn across(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    /// Vertical coordinate of a fraction of the vertical axis.
    pub(in crate::figure) fn up(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// Coordinates of a point; `None` outside the axes.
    pub(in crate::figure) fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.across(self.x.at(x)?), self.up(self.y.at(y)?)))
    }

    /// Grid, ticks and titles, that of the upright axis at the top of the drawing.
    pub(in crate::figure) fn axes(&self, canvas: &mut Canvas<'_>, x: &Scale<'_>, y: &Scale<'_>) {
        self.axes_under(canvas, 12.0, x, y);
    }

    /// Grid, ticks and titles, that of the upright axis centred on `heading`.
    pub(in crate::figure) fn axes_under(
        &self,
        canvas: &mut Canvas<'_>,
        heading: f64,
        x: &Scale<'_>,
        y: &Scale<'_>,
    ) {
        let style = Type::small(Ink::Muted);
        // Right of the plot there is a margin, in which the last label may end.
        let level = Level {
            axis: self.x,
            grid: x.grid,
            each: 60.0,
            ends: (self.left, self.right),
            lines: (self.top, self.bottom),
            below: 14.0,
        };
        level.draw(canvas, x.label);
        let mut free_below = f64::INFINITY;
        for tick in self.y.ticks(y.grid, (((self.bottom - self.top) / 36.0) as usize).max(LEAST)) {
            let at = self.up(tick.at);
            let width = if tick.labelled { 1.0 } else { 0.5 };
            canvas.line((self.left, at), (self.right, at), Stroke::solid(Ink::Grid, width));
            if tick.labelled && at + 7.0 < free_below {
                let label = style.fit(&(y.label)(tick.value), self.left - GAP);
                canvas.text((self.left - GAP, at), &label, style.align(Align::Right));
                free_below = at - 7.0;
            }
        }
        let edge = Stroke::solid(Ink::Muted, 1.0);
        canvas.path(&[(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)], edge);
        let end = self.right + MARGIN - 4.0;
        let title = style.fit(x.title, end - 4.0);
        // A title that is longer than the axis ends with the drawing.
        let middle = f64::midpoint(self.left, self.right).min(end - style.width(&title) / 2.0);
        canvas.text((middle, self.bottom + 34.0), &title, style.align(Align::Centre));
        canvas.text((4.0, heading), y.title, style);
    }

    /// Makes the values of a line readable, by its name and the titles of the axes.
    pub(in crate::figure) fn read(
        &self,
        canvas: &mut Canvas<'_>,
        name: &str,
        points: &mut dyn Iterator<Item = (f64, f64)>,
        (x, y): (&Scale<'_>, &Scale<'_>),
    ) {
        for point in points {
            self.open_on_line(canvas, name, point, (x, y), (String::new(), String::new()));
        }
    }

    /// Adds a read-out to a point: its values, its configuration and a link to its question; the last two may be empty.
    pub(in crate::figure) fn open(
        &self,
        canvas: &mut Canvas<'_>,
        name: &str,
        point: (f64, f64),
        scales: (&Scale<'_>, &Scale<'_>),
        (what, link): (String, String),
    ) {
        if let Some((at, text)) = self.read_out(name, point, scales, &what) {
            canvas.open(at, text, link);
        }
    }

    /// [`Self::open`] for a point of a line, which is listed beside those of other lines at its place.
    pub(in crate::figure) fn open_on_line(
        &self,
        canvas: &mut Canvas<'_>,
        name: &str,
        point: (f64, f64),
        scales: (&Scale<'_>, &Scale<'_>),
        (what, link): (String, String),
    ) {
        if let Some((at, text)) = self.read_out(name, point, scales, &what) {
            canvas.open_on_line(at, text, format!("{name}: {}", scales.1.value(point.1)), link);
        }
    }

    /// Place of a point within the axes, and its name, values and configuration.
    fn read_out(
        &self,
        name: &str,
        (across, up): (f64, f64),
        (x, y): (&Scale<'_>, &Scale<'_>),
        what: &str,
    ) -> Option<((f64, f64), String)> {
        let at = self.place(across, up)?;
        let text = format!("{name}: {}, {}", y.said(up), x.said(across));
        Some((at, if what.is_empty() { text } else { format!("{text}; {what}") }))
    }

    /// Draws a line through all points within the axes, interrupted at points outside.
    pub(in crate::figure) fn curve(
        &self,
        canvas: &mut Canvas<'_>,
        points: impl Iterator<Item = (f64, f64)>,
        stroke: Stroke,
    ) {
        let mut run = Vec::new();
        for (x, y) in points {
            if let Some(point) = self.place(x, y) {
                run.push(point);
            } else {
                canvas.path(&run, stroke);
                run.clear();
            }
        }
        canvas.path(&run, stroke);
    }
}
