//! Charts of the effect of better process nodes, by memory or kind of links.

use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, Table};
use crate::generations::frontier::{NodeCurve, NodePoint};
use crate::units::format;

/// Figure of a workload's speed-up by process node, relative to the first point of the first line.
pub fn node_speedup(workload: &str, lines: &[NodeCurve], size: Size) -> Figure {
    let reference = points(lines).map(|point| point.time.get()).find(|time| positive(*time));
    let chart = Chart {
        title: "Speed-up",
        lines,
        size,
        value: &|point| reference.map_or(f64::NAN, |reference| reference / point.time.get()),
        text: &|value| format::times(value),
        tick: &|value| format!("{}×", brief(&format::digits(value))),
    };
    let finding = speedup_finding(workload, &chart);
    let drawing = chart.drawing(&finding);
    Figure {
        id: "node-speedup".into(),
        title: format!("{workload}: speed-up with each process node"),
        finding,
        table: chart.table("×"),
        assumptions: assumptions(),
        ..drawing.into()
    }
}

/// Energy per token with each better node.
pub fn node_energy(workload: &str, lines: &[NodeCurve], size: Size) -> Figure {
    let chart = Chart {
        title: "Energy per token",
        lines,
        size,
        value: &|point| point.energy_per_token.get(),
        text: &energy,
        tick: &|value| brief(&energy(value)),
    };
    let finding = energy_finding(workload, &chart);
    let mut assumptions = assumptions();
    assumptions.push("A lower bound: idle units are assumed to draw no power".to_owned());
    let drawing = chart.drawing(&finding);
    Figure {
        id: "node-energy".into(),
        title: format!("{workload}: energy per token with each process node"),
        finding,
        table: chart.table("J"),
        assumptions,
        ..drawing.into()
    }
}

fn assumptions() -> Vec<String> {
    vec![
        "Every point is the best accelerator for this workload at equal area, power and die edge".to_owned(),
        "A10 is extrapolated, as its vendor has published no claims. Claims for N7 and later do not hold for older \
         nodes: N12 and N10 are too slow here, and their part of each curve too steep"
            .to_owned(),
    ]
}

fn points(lines: &[NodeCurve]) -> impl Iterator<Item = &NodePoint> {
    lines.iter().flat_map(|line| line.points.iter().flatten())
}

fn energy(joules: f64) -> String {
    let steps = [(1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")];
    let (size, unit) = steps.into_iter().find(|(size, _)| joules >= size * 0.9995).unwrap_or((1e-6, "µJ"));
    format!("{} {unit}", format::digits(joules / size))
}

fn speedup_finding(workload: &str, chart: &Chart<'_>) -> String {
    match chart.extremes() {
        Some((slow, fast)) => format!(
            "{workload} gains {} from {} to {} with {}, but {} with {}.",
            (chart.text)(slow.last / slow.first),
            slow.nodes.0,
            slow.nodes.1,
            slow.name,
            (chart.text)(fast.last / fast.first),
            fast.name
        ),
        None => format!("{workload} fits on none of the accelerators."),
    }
}

fn energy_finding(workload: &str, chart: &Chart<'_>) -> String {
    match chart.extremes() {
        Some((least, _)) => format!(
            "{workload} takes {} per token in {} and {} in {}, with {}.",
            (chart.text)(least.first),
            least.nodes.0,
            (chart.text)(least.last),
            least.nodes.1,
            least.name
        ),
        None => format!("{workload} fits on none of the accelerators."),
    }
}

/// The ends of one line.
struct Ends<'a> {
    name: &'a str,
    nodes: (&'a str, &'a str),
    first: f64,
    last: f64,
}

/// Maximum number of lines that can be distinguished.
const MOST_LINES: usize = 8;

const STYLES: [(Ink, Dash, Marker); MOST_LINES] = [
    (Ink::Series(1), Dash::Solid, Marker::Circle),
    (Ink::Series(2), Dash::Long, Marker::Square),
    (Ink::Series(3), Dash::Short, Marker::Triangle),
    (Ink::Series(4), Dash::Dotted, Marker::Diamond),
    (Ink::Series(5), Dash::Solid, Marker::Cross),
    (Ink::Series(6), Dash::Long, Marker::Circle),
    (Ink::Series(7), Dash::Short, Marker::Square),
    (Ink::Series(8), Dash::Dotted, Marker::Triangle),
];

struct Chart<'a> {
    title: &'static str,
    lines: &'a [NodeCurve],
    size: Size,
    value: &'a dyn Fn(&NodePoint) -> f64,
    text: &'a dyn Fn(f64) -> String,
    tick: &'a dyn Fn(f64) -> String,
}

impl<'a> Chart<'a> {
    /// Place and value of each point of a line that can be drawn.
    fn curve(&self, line: &'a NodeCurve) -> Vec<(f64, f64)> {
        let places = line.points.iter().enumerate();
        let found = places.filter_map(|(place, point)| Some((place as f64, (self.value)(point.as_ref()?))));
        found.filter(|(_, value)| positive(*value)).collect()
    }

    fn drawn(&self) -> impl Iterator<Item = (&'a NodeCurve, Vec<(f64, f64)>)> {
        let curves = self.lines.iter().take(MOST_LINES).map(|line| (line, self.curve(line)));
        curves.filter(|(_, curve)| !curve.is_empty())
    }

    /// The lines whose ends differ least and most.
    fn extremes(&self) -> Option<(Ends<'a>, Ends<'a>)> {
        let ends = |(line, curve): (&'a NodeCurve, Vec<(f64, f64)>)| {
            let (first, last) = (*curve.first()?, *curve.last()?);
            let node =
                |place: f64| line.points.get(place as usize)?.as_ref().map(|point| point.node.as_str());
            let nodes = (node(first.0)?, node(last.0)?);
            Some(Ends { name: &line.name, nodes, first: first.1, last: last.1 })
        };
        let gain = |ends: &Ends<'_>| ends.last / ends.first;
        let least = self.drawn().filter_map(ends).min_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        let most = self.drawn().filter_map(ends).max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        Some((least, most))
    }

    /// The name of the node in a place.
    fn node(&self, place: f64) -> String {
        let whole = place.round();
        if (place - whole).abs() > 1e-6 || whole < 0.0 {
            return String::new();
        }
        let point = self.lines.iter().find_map(|line| line.points.get(whole as usize)?.as_ref());
        point.map_or_else(String::new, |point| point.node.clone())
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        let curves: Vec<_> = self.drawn().zip(STYLES).collect();
        for ((line, _), (ink, dash, _)) in &curves {
            legend.push(Key::Line(Stroke::solid(*ink, 2.25).dashed(*dash)), &line.name);
        }
        let values = || curves.iter().flat_map(|((_, curve), _)| curve.iter().copied());
        let Some(last) = values().map(|(place, _)| place).reduce(f64::max) else {
            return blank(self.size, finding);
        };
        let (width, height) = (self.size.width(), self.size.height());
        let plot = Plot {
            x: Axis::linear(-0.25, last.max(1.0) + 0.25),
            y: Axis::around(values().map(|(_, value)| value)).padded(0.04, 0.06),
            left: Plot::margin(self.size),
            right: width - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legend.height(width - 24.0),
        };
        draw((width, height), finding, |canvas| {
            let node = |place: f64| self.node(place);
            let (x, y) = (Scale::new("Process node", &node), Scale::new(self.title, self.tick));
            plot.axes(canvas, &x, &y);
            for ((line, curve), (ink, dash, marker)) in curves.iter().rev() {
                plot.read(canvas, &line.name, &mut curve.iter().copied(), (&x, &y));
                plot.curve(canvas, curve.iter().copied(), Stroke::solid(*ink, 2.25).dashed(*dash));
                for at in curve.iter().filter_map(|(x, y)| plot.place(*x, *y)) {
                    canvas.marker(at, *marker, *ink, 3.5);
                }
            }
            legend.draw(canvas, (12.0, plot.bottom + 46.0), width - 24.0);
        })
    }

    fn table(&self, unit: &'static str) -> Table {
        let mut table = Table::new([
            ("Memory", None),
            ("Links", None),
            ("Node", None),
            (self.title, Some(unit)),
            ("Matrix rate of a die", Some("TFLOP/s")),
            ("DRAM stacks of a die", None),
            ("Limited most by", None),
        ]);
        for point in points(self.lines) {
            let value = (self.value)(point);
            let rate = point.die.matrix.to_tera();
            let stacks = point.die.allocation.stacks;
            table.push([
                Cell::text(&point.memory),
                Cell::text(&point.fabric),
                Cell::text(&point.node),
                Cell::number(value, (self.text)(value)),
                Cell::number(rate, format::flop_rate(point.die.matrix)),
                Cell::number(f64::from(stacks), stacks.to_string()),
                Cell::text(point.binding.largest().name()),
            ]);
        }
        table
    }
}
