//! Lines, areas, markers and text in CSS pixels, drawn through plotters on our backend.
//!
//! Layout is ours rather than of plotters' chart builder, which measures its legend by a font of the system and whose
//! tick labels may overlap. Room for text is estimated the same natively and in the browser.

use std::convert::Infallible;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, TextStyle};
use plotters_backend::BackendCoord;

pub(in crate::figure) use super::drawing::Drawing;
use super::elements::{InSeries, Polyline, unit};
use super::typography::{Align, Type};
use crate::figure::backend::{Backend, Hatch, Ink, Marker, Stroke, UNITS};
use crate::figure::{Read, Series};

/// A drawing in progress.
pub(in crate::figure) struct Canvas<'a> {
    area: DrawingArea<Backend<'a>, Shift>,
    reads: Vec<Read>,
    series: Vec<Series>,
}

/// Most values that can be read off a drawing: each is sent with it.
const MOST_READS: usize = 2000;

/// Draws at a size in CSS pixels. `label` is read out in the drawing's place.
pub(in crate::figure) fn draw(size: (f64, f64), label: &str, paint: impl FnOnce(&mut Canvas<'_>)) -> Drawing {
    let mut svg = String::new();
    let (reads, series) = {
        let area = Backend::new(&mut svg, size, label).into_drawing_area();
        let mut canvas = Canvas { area, reads: Vec::new(), series: Vec::new() };
        paint(&mut canvas);
        (canvas.reads, canvas.series)
    };
    Drawing { svg, size, reads, series }
}

fn point((x, y): (f64, f64)) -> BackendCoord {
    (unit(x), unit(y))
}

/// Result of drawing. Drawing cannot fail, because the backend writes to a string and only one canvas draws at a time.
type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

impl Canvas<'_> {
    /// Adds a mark with a text and the link of the question that it opens, without `#`; an empty link opens none.
    pub(in crate::figure) fn open(&mut self, at: (f64, f64), text: String, link: String) {
        self.open_on_line(at, text, String::new(), link);
    }

    /// [`Self::open`] for a point of a line. `brief` is its text in lists of the values of several lines at one place.
    pub(in crate::figure) fn open_on_line(
        &mut self,
        at: (f64, f64),
        text: String,
        brief: String,
        link: String,
    ) {
        self.readable(at, (0.0, 0.0), (text, brief), link);
    }

    /// A filled rectangle from its upper left corner, whose text can be read anywhere in it.
    pub(in crate::figure) fn bar(
        &mut self,
        corner: (f64, f64),
        size: (f64, f64),
        look: (Ink, Hatch),
        text: String,
    ) {
        self.opening_bar(corner, size, look, (text, ""));
    }

    /// [`Self::bar`] that opens a question by its link, without `#`; an empty link opens none.
    pub(in crate::figure) fn opening_bar(
        &mut self,
        corner: (f64, f64),
        size: (f64, f64),
        (ink, hatch): (Ink, Hatch),
        (text, link): (String, &str),
    ) {
        self.rectangle(corner, size, ink, hatch);
        self.area(corner, size, text, link);
    }

    /// Adds a read-out of a rectangle. A click opens the link (without `#`) unless it is empty.
    pub(in crate::figure) fn area(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        text: String,
        link: &str,
    ) {
        if width > 0.0 && height > 0.0 {
            let middle = (x + width / 2.0, y + height / 2.0);
            self.readable(middle, (width, height), (text, String::new()), link.to_owned());
        }
    }

    fn readable(
        &mut self,
        (x, y): (f64, f64),
        extent: (f64, f64),
        (text, brief): (String, String),
        link: String,
    ) {
        let tenth = |pixels: f64| (pixels * 10.0).round() / 10.0;
        if self.reads.len() < MOST_READS && x.is_finite() && y.is_finite() {
            let extent = (tenth(extent.0), tenth(extent.1));
            self.reads.push(Read { x: tenth(x), y: tenth(y), extent, text, brief, link });
        }
    }

    /// Draws shapes with the number of their series, if the legend numbers its keys
    /// ([`Legend::number`](super::legend::Legend::number)).
    pub(in crate::figure) fn within(&mut self, series: Option<u8>, paint: impl FnOnce(&mut Self)) {
        let _: Drawn = self.area.draw(&InSeries(series));
        paint(self);
        let _: Drawn = self.area.draw(&InSeries(None));
    }

    /// Adds an entry of the legend that names a series.
    pub(in crate::figure) fn series(&mut self, series: Series) {
        self.series.push(series);
    }

    /// Width of the drawing.
    pub(super) fn width(&self) -> f64 {
        f64::from(self.area.dim_in_pixel().0) / UNITS
    }

    /// A straight line.
    pub(in crate::figure) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.path(&[from, to], stroke);
    }

    /// A line through points; fewer than two draw nothing.
    pub(in crate::figure) fn path(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        let points = points.iter().copied().map(point).collect();
        let _: Drawn = self.area.draw(&Polyline { points, stroke });
    }

    /// A filled rectangle from its upper left corner.
    pub(in crate::figure) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        ink: Ink,
        hatch: Hatch,
    ) {
        if !(width > 0.0 && height > 0.0) {
            return;
        }
        let corners = [point((x, y)), point((x + width, y + height))];
        let _: Drawn = self.area.draw(&Rectangle::new(corners, ink.filled()));
        let slopes: &[f64] = match hatch {
            Hatch::Plain => &[],
            Hatch::Rising => &[-1.0],
            Hatch::Falling => &[1.0],
            Hatch::Crossed => &[1.0, -1.0],
            Hatch::Upright => &[0.0],
            Hatch::Level => return self.level_lines((x, y), (width, height)),
        };
        for slope in slopes {
            self.hatch_lines((x, y), (width, height), *slope);
        }
    }

    /// Lines of the background's colour over a rectangle; each runs `slope` to the right for each pixel down.
    fn hatch_lines(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), slope: f64) {
        const GAP: f64 = 7.0;
        let reach = height * slope;
        // Index of the first line that touches the rectangle, and number of lines; a rectangle is at most a page wide.
        let first = -reach.max(0.0) / GAP;
        let count = ((width + reach.abs()) / GAP).clamp(0.0, 500.0) as u32;
        for index in 1..=count {
            let top = (first.floor() + f64::from(index)) * GAP - if slope < 0.0 { 0.0 } else { GAP / 2.0 };
            // Positions at which the line enters and leaves the rectangle, as fractions of its height.
            let (enter, leave) = if slope == 0.0 {
                (0.0, if (0.0..=width).contains(&top) { 1.0 } else { -1.0 })
            } else {
                let (left, right) = (-top / reach, (width - top) / reach);
                (left.min(right).max(0.0), left.max(right).min(1.0))
            };
            if enter < leave {
                let at = |share: f64| (x + top + share * reach, y + share * height);
                self.line(at(enter), at(leave), Stroke::solid(Ink::Paper, 1.25));
            }
        }
    }

    fn level_lines(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let count = (height / 6.0).clamp(0.0, 200.0) as u32;
        for index in 1..=count {
            let level = y + height * f64::from(index) / f64::from(count + 1);
            self.line((x, level), (x + width, level), Stroke::solid(Ink::Paper, 1.25));
        }
    }

    /// The outline of a rectangle.
    pub(in crate::figure) fn outline(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        stroke: Stroke,
    ) {
        let (right, bottom) = (x + width, y + height);
        self.path(&[(x, y), (right, y), (right, bottom), (x, bottom), (x, y)], stroke);
    }

    /// A point's marker, about `radius` to each side.
    pub(in crate::figure) fn marker(&mut self, (x, y): (f64, f64), marker: Marker, ink: Ink, radius: f64) {
        let corners: &[(f64, f64)] = match marker {
            Marker::Circle => {
                let circle = Circle::new(point((x, y)), unit(radius), ink.filled());
                let _: Drawn = self.area.draw(&circle);
                return;
            }
            Marker::Cross => {
                let arm = radius * 0.85;
                let stroke = Stroke::solid(ink, 2.25);
                self.line((x - arm, y - arm), (x + arm, y + arm), stroke);
                return self.line((x - arm, y + arm), (x + arm, y - arm), stroke);
            }
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Marker::Triangle => &[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
            Marker::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        };
        let vertices = corners.iter().map(|(dx, dy)| point((x + dx * radius, y + dy * radius)));
        let _: Drawn = self.area.draw(&Polygon::new(vertices.collect::<Vec<_>>(), ink));
    }

    /// One line of text, centred on `y`.
    pub(in crate::figure) fn text(&mut self, (x, y): (f64, f64), text: &str, style: Type) {
        let horizontal = match style.align {
            Align::Left => HPos::Left,
            Align::Centre => HPos::Center,
            Align::Right => HPos::Right,
        };
        let weight = if style.bold { FontStyle::Bold } else { FontStyle::Normal };
        let text: String = text.chars().take(MOST_CHARACTERS).collect();
        // A label near an edge moves inwards rather than being cut by it.
        let room = self.width() - 2.0 * EDGE;
        let text = style.fit(&text, room);
        let wide = style.width(&text);
        let before = match style.align {
            Align::Left => 0.0,
            Align::Centre => wide / 2.0,
            Align::Right => wide,
        };
        let x = (x - before).clamp(EDGE, EDGE + (room - wide).max(0.0)) + before;
        let style = TextStyle::from(("sans-serif", style.size * UNITS, weight))
            .pos(Pos::new(horizontal, VPos::Center))
            .color(&style.ink);
        let _: Drawn = self.area.draw_text(&text, &style, point((x, y)));
    }
}

/// Least distance of text from the left and right edges of a drawing.
const EDGE: f64 = 2.0;

/// Longer text is cut, as no drawing has room for it.
const MOST_CHARACTERS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_positions_are_finite() {
        let svg = draw((100.0, 50.0), "x", |canvas| {
            canvas.text((f64::NAN, f64::INFINITY), "<script>\u{0}", Type::label());
            canvas.line((1e300, 0.0), (-1e300, 1.0), Stroke::solid(Ink::Text, 1.0));
            canvas.rectangle((0.0, 0.0), (f64::INFINITY, 1e300), Ink::Series(1), Hatch::Crossed);
            canvas.rectangle((0.0, 0.0), (f64::NAN, 1.0), Ink::Series(1), Hatch::Level);
        })
        .svg;
        assert!(svg.contains("&lt;script&gt;</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
