//! Lines over named places: the common part of charts whose horizontal axis has names instead of numbers.

use super::axis::Axis;
use super::canvas::{Drawing, draw};
use super::legend::{Key, Legend};
use super::plot::{MARGIN, Plot, Scale};
use super::{Size, blank};
use crate::figure::backend::{Dash, Ink, Marker, Stroke};

/// Maximum number of lines that can be distinguished.
pub(in crate::figure) const MOST: usize = 8;

const STYLES: [(Ink, Dash, Marker); MOST] = [
    (Ink::Series(1), Dash::Solid, Marker::Circle),
    (Ink::Series(2), Dash::Long, Marker::Square),
    (Ink::Series(3), Dash::Short, Marker::Triangle),
    (Ink::Series(4), Dash::Dotted, Marker::Diamond),
    (Ink::Series(5), Dash::Solid, Marker::Cross),
    (Ink::Series(6), Dash::Long, Marker::Circle),
    (Ink::Series(7), Dash::Short, Marker::Square),
    (Ink::Series(8), Dash::Dotted, Marker::Triangle),
];

/// A line over places.
pub(in crate::figure) struct PlacedLine<'a> {
    /// Name, in the legend.
    pub(in crate::figure) name: &'a str,
    /// Place, counted from 0, and positive value of each point.
    pub(in crate::figure) points: Vec<(f64, f64)>,
}

/// A chart of lines over places. Lines beyond [`MOST`] are left out.
pub(in crate::figure) struct Places<'a> {
    /// Title of the horizontal axis.
    pub(in crate::figure) title: &'a str,
    /// Name of each place; empty if it has no label.
    pub(in crate::figure) names: Vec<&'a str>,
    /// The vertical axis.
    pub(in crate::figure) y: Scale<'a>,
    /// The lines.
    pub(in crate::figure) lines: Vec<PlacedLine<'a>>,
}

impl Places<'_> {
    /// The name at a coordinate of the horizontal axis; empty between places.
    fn name(&self, place: f64) -> String {
        let whole = place.round();
        if (place - whole).abs() > 1e-6 || whole < 0.0 {
            return String::new();
        }
        self.names.get(whole as usize).copied().unwrap_or_default().to_owned()
    }

    /// The drawing.
    pub(in crate::figure) fn drawing(&self, finding: &str, size: Size) -> Drawing {
        let mut legend = Legend::default();
        let lines: Vec<_> = self.lines.iter().zip(STYLES).collect();
        for (line, (ink, dash, _)) in &lines {
            legend.push(Key::Line(Stroke::solid(*ink, 2.25).dashed(*dash)), line.name);
        }
        let values = || lines.iter().flat_map(|(line, _)| line.points.iter().copied());
        let Some(last) = values().map(|(place, _)| place).reduce(f64::max) else {
            return blank(size, finding);
        };
        let (width, height) = (size.width(), size.height());
        let plot = Plot {
            x: Axis::linear(-0.25, last.max(1.0) + 0.25),
            y: Axis::around(values().map(|(_, value)| value)).padded(0.04, 0.06),
            left: Plot::margin(size),
            right: width - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legend.height(width - 24.0),
        };
        draw((width, height), finding, |canvas| {
            let name = |place: f64| self.name(place);
            let x = Scale::new(self.title, &name);
            plot.axes(canvas, &x, &self.y);
            for (PlacedLine { name, points }, (ink, dash, marker)) in lines.iter().rev() {
                plot.read(canvas, name, &mut points.iter().copied(), (&x, &self.y));
                plot.curve(canvas, points.iter().copied(), Stroke::solid(*ink, 2.25).dashed(*dash));
                for at in points.iter().filter_map(|(x, y)| plot.place(*x, *y)) {
                    canvas.marker(at, *marker, *ink, 3.5);
                }
            }
            legend.draw(canvas, (12.0, plot.bottom + 46.0), width - 24.0);
        })
    }
}
