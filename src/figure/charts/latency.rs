//! Request latency against DRAM bandwidth, with the bandwidths of memory technologies.

use std::collections::BTreeMap;

use super::sweep_texts::{seconds_text, takeover_text};
use super::technology_labels::{LABEL_LINE, Technology, place};
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::typography::Type;
use crate::figure::frame::{Size, blank, brief, positive, within};
use crate::figure::{Cell, Figure, MOST_PINNED, Pinned, Table};
use crate::order::largest_first;
use crate::serving::sweep::DramSweep;
use crate::units::format;

/// Figure of request latency against DRAM bandwidth, with the bandwidths at which DRAM stops binding.
///
/// `technologies` are names and TB/s of systems with each memory technology; those beyond the sweep are left out. Of
/// pinned questions the latency of the whole request is drawn. `opened` links to the question at a bandwidth in TB/s.
pub fn dram_latency(
    sweep: &DramSweep,
    technologies: &[(&str, f64)],
    pinned: &[Pinned<DramSweep>],
    opened: &dyn Fn(f64) -> String,
    size: Size,
) -> Figure {
    let chart = Chart::of(sweep, technologies, pinned, size);
    let finding = finding(sweep);
    let drawing = match &chart {
        Some(chart) => chart.drawing(&finding, opened),
        None => blank(size, &finding),
    };
    let mut assumptions =
        vec!["Only DRAM bandwidth changes; L2, network and arithmetic stay the same".to_owned()];
    assumptions.extend(floors(sweep).into_iter().map(|(name, seconds)| {
        format!("{name}: {}", if positive(seconds) { seconds_text(seconds) } else { "none".to_owned() })
    }));
    assumptions.extend(sweep.takeovers.iter().map(|takeover| takeover_text("DRAM", takeover, "TB/s")));
    Figure {
        id: "dram-latency".into(),
        title: "Request latency against DRAM bandwidth".to_owned(),
        finding,
        table: Pinned::tables(sweep, pinned, table),
        assumptions,
        ..drawing.into()
    }
}

fn floors(sweep: &DramSweep) -> [(&'static str, f64); 2] {
    [("Compute floor", sweep.compute_floor), ("Network floor", sweep.network_floor)]
}

/// Bandwidth and latency of each point that can be drawn.
fn points<'a>(sweep: &'a DramSweep, latency: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let pairs = sweep.bandwidth_tb_s.iter().copied().zip(latency.iter().copied());
    pairs.filter(|(bandwidth, latency)| positive(*bandwidth) && positive(*latency))
}

fn finding(sweep: &DramSweep) -> String {
    let Some((highest, least)) = points(sweep, &sweep.latency).last() else {
        return "The sweep has no points.".to_owned();
    };
    // First bandwidth at which the latency is within 10 % of its minimum.
    let enough = points(sweep, &sweep.latency).find(|(_, latency)| *latency <= 1.1 * least);
    let device = if positive(sweep.device_latency) && positive(sweep.device_tb_s) {
        format!(
            "A request takes {} at this device's {} TB/s; ",
            seconds_text(sweep.device_latency),
            format::digits(sweep.device_tb_s)
        )
    } else {
        "A request gains from DRAM bandwidth: ".to_owned()
    };
    format!(
        "{device}at {} TB/s it would take {}, and from {} TB/s on it is within 10 % of that.",
        format::digits(highest),
        seconds_text(least),
        format::digits(enough.map_or(highest, |(bandwidth, _)| bandwidth)),
    )
}

fn table(sweep: &DramSweep) -> Table {
    let mut table = Table::new([
        ("DRAM bandwidth", Some("TB/s")),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
        ("Whole request", Some("s")),
    ]);
    let cell = |values: &[f64], index: usize| {
        values.get(index).map_or_else(Cell::none, |value| Cell::number(*value, seconds_text(*value)))
    };
    for (index, bandwidth) in sweep.bandwidth_tb_s.iter().enumerate() {
        table.push([
            Cell::number(*bandwidth, format!("{} TB/s", format::digits(*bandwidth))),
            cell(&sweep.ttft, index),
            cell(&sweep.tpot, index),
            cell(&sweep.latency, index),
        ]);
    }
    table
}

/// Lines of labels for which the drawing is not made higher.
const FREE_LINES: usize = 4;
/// Floors more than this factor below the curves are stated in the text and not drawn, because they would flatten the
/// curves.
const DEEPEST_FLOOR: f64 = 30.0;

/// Lines of pinned questions.
const PINNED: [Stroke; MOST_PINNED] = [
    Stroke::solid(Ink::Series(3), 2.0).dashed(Dash::Long),
    Stroke::solid(Ink::Series(5), 2.0).dashed(Dash::Short),
];

/// Style of the device's label.
const DEVICE: Type = Type::label().bold_if(true);

struct Chart<'a> {
    sweep: &'a DramSweep,
    size: Size,
    height: f64,
    plot: Plot,
    curves: Vec<Curve>,
    technologies: Vec<Technology<'a>>,
    legend: Legend,
}

/// A line through points.
struct Curve {
    points: Vec<(f64, f64)>,
    stroke: Stroke,
    /// True for a curve of the question itself, whose points open questions.
    own: bool,
}

impl<'a> Chart<'a> {
    fn of(
        sweep: &'a DramSweep,
        technologies: &'a [(&'a str, f64)],
        pinned: &[Pinned<DramSweep>],
        size: Size,
    ) -> Option<Self> {
        let tokens: Vec<f64> =
            sweep.latency.iter().zip(&sweep.ttft).map(|(all, first)| all - first).collect();
        let mut legend = Legend::default();
        let mut curves = Vec::new();
        let series = [
            (&sweep.latency, "Whole request", Stroke::solid(Ink::Series(1), 2.75)),
            (&tokens, "All tokens after the first", Stroke::solid(Ink::Series(2), 2.0).dashed(Dash::Long)),
            (&sweep.ttft, "First token (TTFT)", Stroke::solid(Ink::Series(4), 2.0).dashed(Dash::Short)),
        ];
        for (values, meaning, stroke) in series {
            let curve: Vec<(f64, f64)> = points(sweep, values).collect();
            if !curve.is_empty() {
                legend.push(Key::Line(stroke), meaning);
                curves.push(Curve { points: curve, stroke, own: true });
            }
        }
        for (pinned, stroke) in pinned.iter().zip(PINNED) {
            let curve: Vec<(f64, f64)> = points(&pinned.of, &pinned.of.latency).collect();
            if !curve.is_empty() {
                legend.push(Key::Line(stroke), format!("Whole request, {}", pinned.label()));
                curves.push(Curve { points: curve, stroke, own: false });
            }
        }
        let all = || curves.iter().flat_map(|curve| curve.points.iter().copied());
        let lowest = all().map(|(_, latency)| latency).reduce(f64::min)?;
        let floors = floors(sweep).map(|(_, seconds)| seconds);
        let drawn = floors.into_iter().filter(|seconds| *seconds > lowest / DEEPEST_FLOOR);
        let device = [sweep.device_latency].into_iter().filter(|latency| positive(*latency));
        let x = Axis::around(all().map(|(bandwidth, _)| bandwidth));
        let y = Axis::around(all().map(|(_, latency)| latency).chain(drawn).chain(device)).padded(0.06, 0.06);
        let plot =
            Plot { x, y, left: Plot::margin(size), right: size.width() - MARGIN, top: 24.0, bottom: 0.0 };
        let technologies = place(technologies, &plot, size);
        let lines = technologies.iter().map(|technology| technology.line + 1).max().unwrap_or(0);
        // The plot keeps its height where labels need many lines.
        let height = size.height() + LABEL_LINE * lines.saturating_sub(FREE_LINES) as f64;
        let plot = Plot {
            top: plot.top + LABEL_LINE * lines as f64,
            bottom: height - 48.0 - legend.height(size.width() - 24.0),
            ..plot
        };
        Some(Self { sweep, size, height, plot, curves, technologies, legend })
    }

    fn drawing(&self, finding: &str, opened: &dyn Fn(f64) -> String) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let tera = |value: f64| brief(&format::digits(value));
            let x = Scale::new("DRAM bandwidth (TB/s)", &tera);
            let y = Scale::time("Latency");
            self.plot.axes(canvas, &x, &y);
            for technology in &self.technologies {
                technology.line(canvas, &self.plot);
            }
            for technology in &self.technologies {
                technology.label(canvas, &self.plot, self.size);
            }
            for curve in self.curves.iter().rev() {
                self.plot.curve(canvas, curve.points.iter().copied(), curve.stroke);
            }
            let mut links: BTreeMap<u64, String> = BTreeMap::new();
            for (curve, name) in self.curves.iter().zip(self.legend.meanings()) {
                for point in &curve.points {
                    let mut link = String::new();
                    if curve.own {
                        // The curves have the same bandwidths.
                        let at = links.entry(point.0.to_bits()).or_insert_with(|| opened(point.0));
                        link.clone_from(at);
                    }
                    self.plot.open_on_line(canvas, name, *point, (&x, &y), (String::new(), link));
                }
            }
            let mut labels = self.labels();
            self.floors(canvas, &mut labels);
            self.takeovers(canvas, labels);
            self.device(canvas);
            let top = self.plot.bottom + 46.0;
            self.legend.draw(canvas, (12.0, top), self.size.width() - 24.0);
        })
    }

    /// The areas that labels must not cover: curves, and the device's label.
    fn labels(&self) -> Labels {
        let plot = &self.plot;
        let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right, plot.bottom]);
        for curve in &self.curves {
            let placed: Vec<_> = curve.points.iter().filter_map(|&(x, y)| plot.place(x, y)).collect();
            labels.take_path(&placed);
        }
        if let Some((x, y)) = self.device_place() {
            let (text, (left, middle)) = self.device_label((x, y));
            labels.take([x - 8.0, y - 8.0, x + 8.0, y + 8.0]);
            labels.take([left, middle - 8.0, left + DEVICE.width(&text), middle + 8.0]);
        }
        labels
    }

    /// Horizontal lines at the latencies that infinite DRAM bandwidth would leave.
    fn floors(&self, canvas: &mut Canvas<'_>, labels: &mut Labels) {
        for (name, seconds) in largest_first(&floors(self.sweep), |(_, seconds)| *seconds) {
            let Some(at) = self.plot.y.at(seconds) else { continue };
            let y = self.plot.up(at);
            let stroke = Stroke::solid(Ink::Text, 1.5).dashed(if name.starts_with('C') {
                Dash::Long
            } else {
                Dash::Dotted
            });
            canvas.line((self.plot.left, y), (self.plot.right, y), stroke);
            labels.write_on_line(canvas, y, &format!("{name} {}", seconds_text(seconds)), None);
        }
    }

    /// Draws the points at which DRAM ceases to limit a part, on the curve of that part.
    fn takeovers(&self, canvas: &mut Canvas<'_>, mut labels: Labels) {
        let mut named: Vec<(String, Mark)> = Vec::new();
        for takeover in &self.sweep.takeovers {
            let Some(at) = self.plot.place(takeover.at, takeover.time) else { continue };
            let mark = Mark { at, radius: 4.5 };
            labels.mark(mark);
            canvas.marker(at, Marker::Circle, Ink::Paper, 6.0);
            canvas.marker(at, Marker::Circle, Ink::Text, 4.5);
            let name = format!("Then limited by {}", within(takeover.binding.name()));
            // One label serves markers that touch.
            let touches = |(known, other): &(String, Mark)| {
                *known == name && (other.at.0 - at.0).hypot(other.at.1 - at.1) < 4.0 * mark.radius
            };
            if !named.iter().any(touches) {
                named.push((name, mark));
            }
        }
        let named: Vec<(&str, Mark)> = named.iter().map(|(name, mark)| (name.as_str(), *mark)).collect();
        labels.write(canvas, &named);
    }

    fn device(&self, canvas: &mut Canvas<'_>) {
        let Some(at) = self.device_place() else { return };
        let (text, place) = self.device_label(at);
        canvas.marker(at, Marker::Diamond, Ink::Paper, 7.5);
        canvas.marker(at, Marker::Diamond, Ink::Text, 5.5);
        canvas.text(place, &text, DEVICE);
    }

    fn device_place(&self) -> Option<(f64, f64)> {
        self.plot.place(self.sweep.device_tb_s, self.sweep.device_latency)
    }

    /// Label of the device at a place, and the left end of the label.
    fn device_label(&self, (x, y): (f64, f64)) -> (String, (f64, f64)) {
        let text = format!("This device: {}", seconds_text(self.sweep.device_latency));
        // The curve falls to the right, so the area above and to the right of a point is free.
        let left = (x + 8.0).min(self.size.width() - 4.0 - DEVICE.width(&text));
        (text, (left, (y - 13.0).max(self.plot.top + 9.0)))
    }
}
