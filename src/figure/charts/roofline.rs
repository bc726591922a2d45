//! Operators under the roofline of compute and DRAM.

use super::limits::{self, time};
use crate::estimate::OperatorRow;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{LABELS, Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::lines::PINNED;
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::typography::Align;
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, MOST_PINNED, Pinned, Table};
use crate::order::largest_first;
use crate::system::Bound;
use crate::units::{Bandwidth, FlopRate, format};

/// Operators of a question and the peaks of its device.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Operators.
    pub rows: Vec<OperatorRow>,
    /// Peak matrix rate.
    pub peak: FlopRate,
    /// DRAM bandwidth.
    pub dram: Bandwidth,
}

/// Operators by arithmetic intensity and the rate that they reach, under a device's peaks; beside them the operators of pinned
/// questions, with the peaks of their devices if they are others.
pub fn roofline(of: &Roofline, pinned: &[Pinned<Roofline>], size: Size) -> Figure {
    let Roofline { rows, peak, dram } = of;
    let (peak, dram) = (*peak, *dram);
    let points = operators(rows);
    let finding = finding(rows, peak, dram);
    let drawing = if points.is_empty() || !positive(peak.get()) || !positive(dram.get()) {
        blank(size, &finding)
    } else {
        let beside = pinned.iter().zip(PINNED).zip(DASHES);
        let beside = beside.filter_map(|((pinned, marker), dash)| Beside::of(pinned, of, marker, dash));
        Chart::of(points, peak, dram, beside.collect(), size).drawing(&finding)
    };
    Figure {
        id: "roofline".into(),
        title: "Operators under the roofline".to_owned(),
        finding,
        table: Pinned::tables(of, pinned, |of| table(&of.rows)),
        assumptions: vec![
            "Intensity counts DRAM traffic; rates include the launch and every other wait of an operator"
                .to_owned(),
            "Forward and backward runs of one operator are one point, prefill and decode are two".to_owned(),
            "Communication has no arithmetic and is in the table only".to_owned(),
        ],
        ..drawing.into()
    }
}

/// An operator that computes, over all of its runs.
#[derive(Clone, Debug)]
struct Operator {
    label: String,
    intensity: f64,
    rate: f64,
    /// Fraction of the time of all rows.
    share: f64,
    /// Resource that binds the row with the longest time.
    bound: Bound,
}

/// Key of a point: an operator's name, and the phase if phases are different work.
///
/// Forward and backward are the same kind of work, and their points would cover each other; prefill and decode
/// are not.
fn kind(row: &OperatorRow) -> (&'static str, &'static str) {
    let phase = if ["prefill", "decode"].contains(&row.phase) { row.phase } else { "" };
    (row.name, phase)
}

/// Operators that compute, by falling time.
fn operators(rows: &[OperatorRow]) -> Vec<Operator> {
    let total: f64 = rows.iter().map(time).sum();
    let computing = || rows.iter().filter(|row| row.cost.bound != Bound::Network && time(row) > 0.0);
    let mut kinds = Vec::new();
    for row in computing() {
        if !kinds.contains(&kind(row)) {
            kinds.push(kind(row));
        }
    }
    let phases = kinds.iter().any(|one| kinds.iter().any(|other| one.1 != other.1));
    let operator = |(name, phase): (&'static str, &'static str)| {
        let all = || computing().filter(move |row| kind(row) == (name, phase));
        let sum = |part: fn(&OperatorRow) -> f64| all().map(|row| part(row) * row.count).sum::<f64>();
        let flops = sum(|row| row.cost.flops.get());
        let seconds: f64 = all().map(time).sum();
        let longest = all().max_by(|a, b| time(a).total_cmp(&time(b)))?;
        Some(Operator {
            label: if phases { format!("{name}, {phase}") } else { name.to_owned() },
            intensity: flops / sum(|row| row.cost.bytes.get()),
            rate: flops / seconds,
            share: seconds / total,
            bound: longest.cost.bound,
        })
    };
    let drawable = |operator: &Operator| {
        positive(operator.intensity) && positive(operator.rate) && positive(operator.share)
    };
    let operators: Vec<Operator> = kinds.iter().copied().filter_map(operator).filter(drawable).collect();
    largest_first(&operators, |operator| operator.share)
}

/// States what limits the operators: of prefill and of decode apart, because they run at different times.
fn finding(rows: &[OperatorRow], peak: FlopRate, dram: Bandwidth) -> String {
    let Some((bound, share)) = limits::most(&rows.iter()) else {
        return "The operators take no time.".to_owned();
    };
    let of_phase = |phase| {
        let (bound, share) = limits::most(&rows.iter().filter(move |row| row.phase == phase))?;
        Some((format::percent(share), limits::named(bound)))
    };
    let limited = match (of_phase("prefill"), of_phase("decode")) {
        (Some((prefill, first)), Some((decode, later))) => format!(
            "Prefill: {prefill} of the operators' time is limited by {first}; decode: {decode} is limited by {later}"
        ),
        _ => {
            format!(
                "{} of the operators' time is limited by {}",
                format::percent(share),
                limits::named(bound)
            )
        }
    };
    let ridge = format::digits(peak.get() / dram.get());
    format!("{limited}; compute limits only operators above {ridge} FLOP per byte.")
}

fn table(rows: &[OperatorRow]) -> Table {
    let mut table = Table::new([
        ("Operator", None),
        ("Phase", None),
        ("Shape", None),
        ("Count", None),
        ("Time each", Some("s")),
        ("Intensity", Some("FLOP/B")),
        ("Rate", Some("FLOP/s")),
        ("Limited by", None),
    ]);
    for row in rows {
        let (intensity, rate) = (row.cost.intensity(), row.cost.flops / row.cost.time);
        let network = row.cost.bound == Bound::Network;
        let only = |cell| if network { Cell::none() } else { cell };
        table.push([
            Cell::text(row.name),
            Cell::text(row.phase),
            Cell::text(&row.shape),
            Cell::number(row.count, brief(&format::digits(row.count))),
            Cell::number(row.cost.time.get(), format::time(row.cost.time)),
            only(Cell::number(intensity, format::digits(intensity))),
            only(Cell::number(rate.get(), format::flop_rate(rate))),
            Cell::text(row.cost.bound.name()),
        ]);
    }
    table
}

/// A pinned question beside the figure's own.
struct Beside {
    label: String,
    points: Vec<Operator>,
    marker: Marker,
    /// Peaks of its device, with the stroke of their roof; `None` if they equal those of the figure's own question.
    roof: Option<([f64; 2], Stroke)>,
}

/// Dash patterns of the roofs of pinned questions.
const DASHES: [Dash; MOST_PINNED] = [Dash::Long, Dash::Short];
/// Radius of an operator of a pinned question.
const RADIUS: f64 = 4.0;

impl Beside {
    /// `None` if the pinned question has nothing to draw.
    fn of(pinned: &Pinned<Roofline>, own: &Roofline, marker: Marker, dash: Dash) -> Option<Self> {
        let Roofline { rows, peak, dram } = &pinned.of;
        let (peaks, points) = ([peak.get(), dram.get()], operators(rows));
        let drawable = peaks.into_iter().all(positive) && !points.is_empty();
        let own = [own.peak.get(), own.dram.get()];
        let other = peaks.iter().zip(&own).any(|(peak, own)| peak.total_cmp(own).is_ne());
        let roof = other.then_some((peaks, Stroke::solid(Ink::Text, 1.5).dashed(dash)));
        drawable.then(|| Self { label: pinned.label(), points, marker, roof })
    }
}

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
struct Chart {
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
    fn of(points: Vec<Operator>, peak: FlopRate, dram: Bandwidth, beside: Vec<Beside>, size: Size) -> Self {
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

    fn drawing(&self, finding: &str) -> Drawing {
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
                canvas.open(at, format!("{label}, {}", read(point)), String::new());
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
            canvas.open(mark.at, read(point), String::new());
        }
        let most = if self.size == Size::Wide { 14 } else { 7 };
        let names: Vec<(&str, Mark)> =
            placed.into_iter().take(most).map(|(point, mark)| (point.label.as_str(), mark)).collect();
        labels.write(canvas, &names);
    }
}

/// Read-out of an operator.
fn read(point: &Operator) -> String {
    format!(
        "{}: {}, {} FLOP per byte, {} of the time, limited by {}",
        point.label,
        format::flop_rate(FlopRate::new(point.rate)),
        format::digits(point.intensity),
        format::percent(point.share),
        point.bound.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Cost;
    use crate::units::Seconds;

    fn row(phase: &'static str, bound: Bound, seconds: f64) -> OperatorRow {
        let cost = Cost { time: Seconds::new(seconds), bound, ..Cost::default() };
        OperatorRow { name: "Multiply", phase, shape: String::new(), count: 2.0, cost }
    }

    fn said(rows: &[OperatorRow]) -> String {
        finding(rows, FlopRate::from_tera(300.0), Bandwidth::from_gb(1000.0))
    }

    #[test]
    fn prefill_and_decode_are_not_added() {
        let prefill = [row("prefill", Bound::Compute, 9.0), row("prefill", Bound::Network, 1.0)];
        let decode = [row("decode", Bound::Dram, 0.06), row("decode", Bound::Launch, 0.02)];
        assert_eq!(
            said(&[prefill.clone(), decode.clone()].concat()),
            "Prefill: 90.0 % of the operators' time is limited by compute; decode: 75.0 % is limited by DRAM bandwidth; \
             compute limits only operators above 300 FLOP per byte."
        );
        assert!(said(&decode).starts_with("75.0 % of the operators' time is limited by DRAM bandwidth; "));
        assert!(
            said(&[row("forward", Bound::L2, 1.0)])
                .starts_with("100 % of the operators' time is limited by L2")
        );
        assert_eq!(said(&[]), "The operators take no time.");
    }
}
