//! Plotters' drawing backend for the page: SVG whose colours are classes.
//!
//! A colour that is drawn with is one of the light theme's. It is written twice: as a class, which
//! `style/figure.css` colours for light, dark and print, and as an attribute, which any style sheet overrides and
//! which colours a file that left the page. Nothing that is written is read again.

mod ink;
mod text;
mod value;

use std::convert::Infallible;

use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

use crate::markup::Element;

pub(in crate::figure) use ink::{Dash, Hatch, Ink, Marker, Stroke};
pub use text::width;
pub(in crate::figure) use value::UNITS;

/// A drawing that is being written.
pub(super) struct Backend<'a> {
    root: Element<'a>,
    size: (u32, u32),
    /// Number of the series that shapes belong to; `None` if their colour identifies it.
    pub(super) series: Option<u8>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'a> Backend<'a> {
    /// Begins a drawing of this size in CSS pixels; `label` is what a screen reader reads in its place.
    pub(super) fn new(svg: &'a mut String, (width, height): (f64, f64), label: &str) -> Self {
        let mut root = Element::new(svg, "svg");
        root.attribute("xmlns", XMLNS)
            .attribute("class", "fig")
            .attribute("width", width)
            .attribute("height", height)
            .attribute("viewBox", &*format!("0 0 {width} {height}"))
            .attribute("font-family", "sans-serif")
            .attribute("role", "img")
            .attribute("aria-label", label);
        let units = |pixels: f64| (pixels * UNITS) as u32;
        Self { root, size: (units(width), units(height)), series: None }
    }

    /// A line through points, dashed as plotters' own styles cannot be.
    pub(super) fn line(&mut self, points: &[BackendCoord], stroke: Stroke, width: u32) {
        let mut element = match points {
            [from, to] => self.straight(*from, *to),
            _ => self.polyline(points),
        };
        outlined(&mut element, stroke.ink.into(), width);
        if let Some(array) = stroke.dash.array() {
            element.attribute("stroke-dasharray", array);
        }
    }

    /// Begins a shape.
    fn shape(&mut self, name: &'static str) -> Element<'_> {
        let mut element = self.root.child(name);
        if let Some(number) = self.series {
            element.attribute("data-series", f64::from(number));
        }
        element
    }

    fn straight(&mut self, from: BackendCoord, to: BackendCoord) -> Element<'_> {
        let mut element = self.shape("line");
        element.attribute("x1", from.0).attribute("y1", from.1).attribute("x2", to.0).attribute("y2", to.1);
        element
    }

    fn polyline(&mut self, points: &[BackendCoord]) -> Element<'_> {
        let mut element = self.shape("polyline");
        element.attribute("fill", "none").attribute("points", points);
        element
    }
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x.saturating_add(1), y.saturating_add(1)), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        outlined(&mut self.straight(from, to), style.color(), style.stroke_width());
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let mut element = self.shape("rect");
        element
            .attribute("x", upper_left.0)
            .attribute("y", upper_left.1)
            .attribute("width", bottom_right.0.saturating_sub(upper_left.0).max(0))
            .attribute("height", bottom_right.1.saturating_sub(upper_left.1).max(0));
        paint(&mut element, style, fill);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        outlined(&mut self.polyline(&points), style.color(), style.stroke_width());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let mut element = self.shape("circle");
        element.attribute("cx", center.0).attribute("cy", center.1).attribute("r", units(radius));
        paint(&mut element, style, fill);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = vert.into_iter().collect();
        let mut element = self.shape("polygon");
        element.attribute("points", &points[..]);
        paint(&mut element, style, true);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let mut element = self.root.child("text");
        element.attribute("x", x).attribute("y", y);
        match style.anchor().v_pos {
            VPos::Top => element.attribute("dy", "0.76em"),
            VPos::Center => element.attribute("dy", "0.5ex"),
            VPos::Bottom => element.attribute("dy", "-0.5ex"),
        };
        match style.anchor().h_pos {
            HPos::Left => &mut element,
            HPos::Center => element.attribute("text-anchor", "middle"),
            HPos::Right => element.attribute("text-anchor", "end"),
        };
        element.attribute("font-size", style.size() / UNITS);
        if matches!(style.style(), FontStyle::Bold) {
            element.attribute("font-weight", "bold");
        }
        write(&mut element, text, style.color());
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let bold = matches!(style.style(), FontStyle::Bold);
        Ok((width(text, style.size(), bold).ceil() as u32, style.size().ceil() as u32))
    }
}

const XMLNS: &str = "http://www.w3.org/2000/svg";

/// A length of plotters as one of its coordinates.
fn units(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

fn paint<S: BackendStyle>(element: &mut Element<'_>, style: &S, fill: bool) {
    if fill {
        filled(element, style.color());
    } else {
        element.attribute("fill", "none");
        outlined(element, style.color(), style.stroke_width());
    }
}

fn filled(element: &mut Element<'_>, color: BackendColor) {
    colour(element, "fill", color, "fig-fill-");
}

fn outlined(element: &mut Element<'_>, color: BackendColor, width: u32) {
    element.attribute("stroke-width", units(width));
    colour(element, "stroke", color, "fig-stroke-");
}

/// Writes the text with a halo, which keeps it legible across lines.
fn write(element: &mut Element<'_>, text: &str, color: BackendColor) {
    element
        .attribute("stroke", RGBColor::from(Ink::Paper))
        .attribute("stroke-width", 3.0)
        .attribute("paint-order", "stroke");
    colour(element, "fill", color, "fig-text fig-fill-");
    element.text(text);
}

/// The colour for files, and the class of its role for the page.
fn colour(element: &mut Element<'_>, property: &str, color: BackendColor, class: &str) {
    let (red, green, blue) = color.rgb;
    let color = RGBColor(red, green, blue);
    element.attribute(property, color);
    if let Some(ink) = Ink::of(color) {
        element.attribute("class", [class, ink.name()]);
    }
}

/// Distance of a file's title from the left edge, and size of its text.
const TITLE_LEFT: f64 = 16.0;
const TITLE_SIZE: f64 = 16.0;

/// The words of a title on lines of at most this width; a longer word has a line of its own.
fn lines(title: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), TITLE_SIZE, true) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A drawing of this size as a file of its own, with its title on top, on as many lines as it needs.
pub(super) fn file(svg: &str, (width, height): (f64, f64), title: &str) -> String {
    const LINE: f64 = 20.0;
    let lines = lines(title, width - 2.0 * TITLE_LEFT);
    let above = 16.0 + LINE * lines.len() as f64;
    let mut file = String::with_capacity(svg.len() + 1024);
    let taller = height + above;
    let mut root = Element::new(&mut file, "svg");
    root.attribute("xmlns", XMLNS)
        .attribute("width", width)
        .attribute("height", taller)
        .attribute("viewBox", &*format!("0 -{above} {width} {taller}"));
    root.child("title").text(title);
    let mut paper = root.child("rect");
    paper.attribute("x", 0.0).attribute("y", -above).attribute("width", width).attribute("height", taller);
    filled(&mut paper, Ink::Paper.into());
    drop(paper);
    for (index, line) in lines.iter().rev().enumerate() {
        let mut heading = root.child("text");
        heading
            .attribute("x", TITLE_LEFT)
            .attribute("y", -10.0 - LINE * index as f64)
            .attribute("font-family", "sans-serif")
            .attribute("font-size", TITLE_SIZE)
            .attribute("font-weight", "bold");
        write(&mut heading, line, Ink::Text.into());
    }
    root.markup(svg);
    drop(root);
    file
}
