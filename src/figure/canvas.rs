//! Lines, areas, markers and text in CSS pixels, drawn by plotters' SVG backend.
//!
//! plotters' own charts are not used: they measure text, which natively and in the browser gives different
//! margins, and construct axes that hang on extreme bounds. Here nothing depends on measured text.

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, RGBColor, ShapeStyle, TextStyle};

use super::ink::{Dash, Hatch, Ink, Marker, Stroke};
use super::svg::{UNITS, allowed, restyle};

/// Where a text's anchor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// Size, role, weight and anchor of a text; always centred on its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) ink: Ink,
    pub(super) bold: bool,
    pub(super) align: Align,
}

impl Type {
    /// Text at the smallest legible size, from its left end.
    pub(super) const fn small(ink: Ink) -> Self {
        Self { size: 12.0, ink, bold: false, align: Align::Left }
    }

    /// Labels of bars and values, from the left end.
    pub(super) const fn label() -> Self {
        Self { size: 13.0, ink: Ink::Text, bold: false, align: Align::Left }
    }

    /// The same text from another anchor.
    pub(super) const fn align(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// The same text, bold if so.
    pub(super) const fn bold_if(self, bold: bool) -> Self {
        Self { bold, ..self }
    }

    /// An upper estimate of the width of a text in this type.
    pub(super) fn width(self, text: &str) -> f64 {
        let weight = if self.bold { 1.1 } else { 1.0 };
        // The widest usual interface font is the yardstick, as the page's font is not known here.
        let ems: f64 = text
            .chars()
            .map(|character| match character {
                'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' => 0.34,
                'f' | 't' | 'r' | '(' | ')' | '/' | '-' | '·' => 0.42,
                'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.97,
                character if character.is_ascii_uppercase() => 0.72,
                character if character.is_ascii() => 0.63,
                character if (character as u32) < 0x2000 => 0.72,
                _ => 1.0,
            })
            .sum();
        ems * self.size * weight
    }

    /// The text, cut with an ellipsis where it is wider than this.
    pub(super) fn fit(self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let mut kept = String::new();
        for character in text.chars() {
            kept.push(character);
            if self.width(&kept) + self.width("…") > width {
                kept.pop();
                break;
            }
        }
        format!("{}…", kept.trim_end())
    }
}

/// A drawing in progress.
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
    failed: bool,
}

/// Draws at a size in CSS pixels and returns the styled SVG.
///
/// `label` is read out in its place. Should plotters fail, which it does not when it writes to a string, the
/// drawing is blank but for its label.
pub(super) fn draw(size: (f64, f64), label: &str, paint: impl FnOnce(&mut Canvas<'_>)) -> String {
    let mut raw = String::new();
    let units = (unit(size.0).unsigned_abs(), unit(size.1).unsigned_abs());
    let mut canvas = Canvas { backend: SVGBackend::with_string(&mut raw, units), failed: false };
    paint(&mut canvas);
    let presented = canvas.backend.present().is_ok() && !canvas.failed;
    drop(canvas);
    if presented { restyle(&raw, size, label) } else { restyle("<svg ></svg>", size, label) }
}

/// CSS pixels to backend units; what is not finite is drawn at the origin, what is far out at the edge of reason.
fn unit(pixels: f64) -> i32 {
    if pixels.is_finite() { (pixels.clamp(-1e4, 1e4) * UNITS).round() as i32 } else { 0 }
}

fn point((x, y): (f64, f64)) -> (i32, i32) {
    (unit(x), unit(y))
}

fn shape(ink: Ink, width: f64, dash: Dash) -> ShapeStyle {
    ShapeStyle { color: ink.sentinel(dash).to_rgba(), filled: true, stroke_width: unit(width).unsigned_abs() }
}

impl Canvas<'_> {
    fn keep<E>(&mut self, result: &Result<(), E>) {
        self.failed |= result.is_err();
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let style = shape(stroke.ink, stroke.width, stroke.dash);
        let result = self.backend.draw_line(point(from), point(to), &style);
        self.keep(&result);
    }

    /// A line through points; fewer than two draw nothing.
    pub(super) fn path(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        let style = shape(stroke.ink, stroke.width, stroke.dash);
        let result = self.backend.draw_path(points.iter().copied().map(point), &style);
        self.keep(&result);
    }

    /// A filled rectangle from its upper left corner.
    pub(super) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        ink: Ink,
        hatch: Hatch,
    ) {
        if !(width > 0.0 && height > 0.0) {
            return;
        }
        let style = shape(ink, 0.0, Dash::Solid);
        let result = self.backend.draw_rect(point((x, y)), point((x + width, y + height)), &style, true);
        self.keep(&result);
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
        // From the first line that touches the rectangle to the last; a rectangle is at most a page wide.
        let first = -reach.max(0.0) / GAP;
        let count = ((width + reach.abs()) / GAP).clamp(0.0, 500.0) as u32;
        for index in 1..=count {
            let top = (first.floor() + f64::from(index)) * GAP - if slope < 0.0 { 0.0 } else { GAP / 2.0 };
            // Where the line enters and leaves the rectangle, as a share of its height.
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
    pub(super) fn outline(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), stroke: Stroke) {
        let (right, bottom) = (x + width, y + height);
        self.path(&[(x, y), (right, y), (right, bottom), (x, bottom), (x, y)], stroke);
    }

    /// A point's marker, about `radius` to each side.
    pub(super) fn marker(&mut self, (x, y): (f64, f64), marker: Marker, ink: Ink, radius: f64) {
        let style = shape(ink, 0.0, Dash::Solid);
        let corners: &[(f64, f64)] = match marker {
            Marker::Circle => {
                let result =
                    self.backend.draw_circle(point((x, y)), unit(radius).unsigned_abs(), &style, true);
                return self.keep(&result);
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
        let result = self.backend.fill_polygon(vertices, &style);
        self.keep(&result);
    }

    /// One line of text, centred on `y`.
    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, style: Type) {
        let horizontal = match style.align {
            Align::Left => HPos::Left,
            Align::Centre => HPos::Center,
            Align::Right => HPos::Right,
        };
        let weight = if style.bold { FontStyle::Bold } else { FontStyle::Normal };
        // plotters divides sizes by 1.24 on their way into SVG.
        let size = style.size * UNITS * 1.24;
        let colour: RGBColor = style.ink.sentinel(Dash::Solid);
        let style = TextStyle::from(("sans-serif", size, weight))
            .pos(Pos::new(horizontal, VPos::Center))
            .color(&colour);
        let clean: String = text.chars().filter(|character| allowed(*character)).take(200).collect();
        let result = self.backend.draw_text(&clean, &style, point((x, y)));
        self.keep(&result);
    }
}

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
        });
        assert!(svg.contains("&lt;script&gt;</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn long_text_is_cut() {
        let style = Type::label();
        assert_eq!(style.fit("short", 100.0), "short");
        let cut = style.fit("a very long label indeed", 80.0);
        assert!(cut.ends_with('…') && style.width(&cut) <= 80.0, "{cut}");
        assert_eq!(style.fit("abc", 0.0), "…");
    }
}
