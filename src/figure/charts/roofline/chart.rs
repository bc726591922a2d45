//! The plot: roofs, operators and their labels.

use super::operator::Operator;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{LABELS, Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::typography::Align;
use crate::figure::frame::{Size, brief};
use crate::system::Bound;
use crate::units::{Bandwidth, FlopRate, format};

/// A pinned question beside the figure's own.
pub(super) struct Beside {
    pub(super) label: String,
    pub(super) points: Vec<Operator>,
    pub(super) marker: Marker,
    /// Peaks of its device, with the stroke of their roof; `None` if they equal those of the figure's own question.
    pub(super) roof: Option<([f64; 2], Stroke)>,
}

/// Radius of an operator of a pinned question.
const RADIUS: f64 = 4.0;

/// The roof of the question's own device.
const ROOF: Stroke = Stroke::solid(Ink::Text, 2.0);
/// Top of the plot, and its least height: a drawing with many keys is higher.
const TOP: f64 = 28.0;
const LEAST: f64 = 200.0;

/// Labels of a roof: of its flat part (peak matrix rate) and of its slope (DRAM bandwidth).
fn labels(peak: f64, dram: f64) -> [String; 2] {
    let peak = format::flop_rate(FlopRate::new(peak));
    [format!("Peak {peak}"), format!("DRAM {}", format::bandwidth(Bandwidth::new(dram)))]
}

const fn style(bound: Bound) -> (Marker, Ink) {
    match bound {
        Bound::Compute => (Marker::Circle, Ink::Series(1)),
        Bound::Dram => (Marker::Square, Ink::Series(2)),
        Bound::L2 => (Marker::Triangle, Ink::Series(3)),
        Bound::Network => (Marker::Diamond, Ink::Series(4)),
        Bound::Launch => (Marker::Cross, Ink::Series(5)),
    }
}

/// A point this far under the roof is drawn at the edge.
const DEEPEST: f64 = 1e-6;

/// The chart.
pub(super) struct Chart {
    points: Vec<Operator>,
    beside: Vec<Beside>,
    peak: f64,
    dram: f64,
    size: Size,
    height: f64,
    plot: Plot,
    legend: Legend,
}

impl Chart {
    pub(super) fn of(
        points: Vec<Operator>,
        peak: FlopRate,
        dram: Bandwidth,
        beside: Vec<Beside>,
        size: Size,
    ) -> Self {
        let (peak, dram) = (peak.get(), dram.get());
        let mut legend = Legend::default();
        for bound in Bound::ALL {
            if points.iter().any(|point| point.bound == bound) {
                let (marker, ink) = style(bound);
                legend.push(Key::Point(marker, ink), format!("limited by {}", bound.name()));
            }
        }
        if beside.iter().any(|beside| beside.roof.is_some()) {
            // Labels between several lines would be struck through.
            let [peak, dram] = labels(peak, dram);
            legend.push(Key::Line(ROOF), format!("{peak}, {dram}"));
        }
        for Beside { label, marker, roof, .. } in &beside {
            legend.push(Key::Point(*marker, Ink::Text), label);
            if let Some((_, stroke)) = roof {
                legend.push(Key::Line(*stroke), format!("roofline, {label}"));
            }
        }
        let all = || points.iter().chain(beside.iter().flat_map(|beside| &beside.points));
        let roofs = || beside.iter().filter_map(|beside| beside.roof).map(|(peaks, _)| peaks);
        let ridges = roofs().map(|[peak, dram]| peak / dram).chain([peak / dram]);
        let intensities = all().map(|point| point.intensity);
        let rates = all().map(|point| point.rate.max(peak * DEEPEST));
        let peaks = roofs().map(|[peak, _]| peak).chain([peak]);
        let x = Axis::around(intensities.chain(ridges)).padded(0.08, 0.2);
        let y = Axis::around(rates.chain(peaks)).padded(0.08, 0.1);
        let below = 48.0 + legend.height(size.width() - 24.0);
        let height = size.height().max(TOP + LEAST + below);
        let plot = Plot {
            x,
            y,
            left: Plot::margin(size) - 12.0,
            right: size.width() - MARGIN,
            top: TOP,
            bottom: height - below,
        };
        Self { points, beside, peak, dram, size, height, plot, legend }
    }

    pub(super) fn drawing(&self, finding: &str) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let intensity = |value: f64| brief(&format::digits(value));
            let tera = |value: f64| brief(&format::digits(FlopRate::new(value).to_tera()));
            let title = match self.size {
                Size::Wide => "Arithmetic intensity (FLOP per byte of DRAM traffic)",
                Size::Medium | Size::Narrow => "Arithmetic intensity (FLOP per byte)",
            };
            let x = Scale::new(title, &intensity);
            let y = Scale::new("Rate (TFLOP/s); larger marks take more time", &tera);
            self.plot.axes(canvas, &x, &y);
            let mut labels = self.roof(canvas);
            self.pinned(canvas, &mut labels);
            self.operators(canvas, labels);
            let top = self.plot.bottom + 46.0;
            self.legend.draw(canvas, (12.0, top), self.size.width() - 24.0);
        })
    }

    /// Corners of a roof: start of the slope, ridge, end of the flat part.
    fn corners(&self, [peak, dram]: [f64; 2]) -> Option<[(f64, f64); 3]> {
        let (low, high) = (self.plot.x.low(), self.plot.x.high());
        let ridge = (peak / dram).clamp(low, high);
        // The slope enters from the left or, where it starts below the plot, from the bottom.
        let from = low.max(self.plot.y.low() / dram).min(ridge);
        let place = |x: f64, y: f64| self.plot.place(x, y);
        Some([place(from, from * dram)?, place(ridge, peak)?, place(high, peak)?])
    }

    /// Draws the operators and the roofs of pinned questions.
    fn pinned(&self, canvas: &mut Canvas<'_>, labels: &mut Labels) {
        for Beside { label, points, marker, roof } in &self.beside {
            if let Some((peaks, stroke)) = roof
                && let Some(corners) = self.corners(*peaks)
            {
                canvas.path(&corners, *stroke);
                labels.take_path(&corners);
            }
            for point in points {
                let Some(at) = self.at(point) else { continue };
                labels.mark(Mark { at, radius: RADIUS });
                canvas.marker(at, *marker, Ink::Paper, RADIUS + 1.25);
                canvas.marker(at, *marker, Ink::Text, RADIUS);
                canvas.open(at, format!("{label}, {}", point.read()), String::new());
            }
        }
    }

    /// The place of an operator; operators beyond the axes are at the edge.
    fn at(&self, point: &Operator) -> Option<(f64, f64)> {
        let (x, y) = (self.plot.x.clamped(point.intensity)?, self.plot.y.clamped(point.rate)?);
        Some((self.plot.across(x), self.plot.up(y)))
    }

    /// Draws the two lines with their labels; returns the areas that are free for more labels.
    fn roof(&self, canvas: &mut Canvas<'_>) -> Labels {
        let plot = &self.plot;
        let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right, plot.bottom]);
        let Some([foot, ridge, end]) = self.corners([self.peak, self.dram]) else { return labels };
        let ticks = Stroke::solid(Ink::Muted, 1.0).dashed(Dash::Dotted);
        canvas.line(ridge, (ridge.0, self.plot.bottom), ticks);
        canvas.path(&[foot, ridge, end], ROOF);
        labels.take_line(foot, ridge);
        labels.take_line(ridge, end);
        if self.beside.iter().any(|beside| beside.roof.is_some()) {
            return labels;
        }
        let [peak, dram] = self::labels(self.peak, self.dram);
        canvas.text((end.0 - 4.0, end.1 - 10.0), &peak, LABELS.align(Align::Right));
        labels.take([end.0 - LABELS.width(&peak) - 4.0, end.1 - 18.0, end.0, end.1]);
        // No operator is above the roof, so labels of the slope are placed there, unless it is close to the axis.
        let width = LABELS.width(&dram);
        let area = |share: f64| {
            let right = (foot.0 + share * (ridge.0 - foot.0) - 8.0).max(plot.left + width + 4.0);
            // The slope is highest at the right end of the label.
            let along = ((right - foot.0) / (ridge.0 - foot.0).max(1.0)).clamp(0.0, 1.0);
            let bottom = (foot.1 + along * (ridge.1 - foot.1) - 3.0).max(plot.top + 16.0);
            [right - width, bottom - 15.0, right, bottom]
        };
        if let Some(area) = [0.5, 0.35, 0.2].map(area).into_iter().find(|area| labels.has_no_text(area, None))
        {
            canvas.text((area[2], area[3] - 7.0), &dram, LABELS.align(Align::Right));
            labels.take(area);
        }
        labels
    }

    fn operators(&self, canvas: &mut Canvas<'_>, mut labels: Labels) {
        let mut placed = Vec::new();
        for point in &self.points {
            let Some(at) = self.at(point) else { continue };
            let mark = Mark { at, radius: 4.0 + 7.0 * point.share.sqrt() };
            labels.mark(mark);
            placed.push((point, mark));
        }
        for (point, mark) in &placed {
            let (marker, ink) = style(point.bound);
            canvas.marker(mark.at, marker, Ink::Paper, mark.radius + 1.25);
            canvas.marker(mark.at, marker, ink, mark.radius);
            canvas.open(mark.at, point.read(), String::new());
        }
        let most = if self.size == Size::Wide { 14 } else { 7 };
        let names: Vec<(&str, Mark)> =
            placed.into_iter().take(most).map(|(point, mark)| (point.label.as_str(), mark)).collect();
        labels.write(canvas, &names);
    }
}
