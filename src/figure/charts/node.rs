//! Charts of the effect of better process nodes, by memory or kind of links.

use crate::figure::frame::canvas::Drawing;
use crate::figure::frame::places::{self, PlacedLine, Places};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief, positive};
use crate::figure::{Cell, Comparable, Figure, Pinned, Table};
use crate::generations::frontier::{NodeCurve, NodePoint};
use crate::units::{Amount, format};

/// Figure of a workload's speed-up by process node, relative to the first point of the first line, beside the speed-ups of
/// pinned questions, whose values are times on nodes.
pub fn node_speedup(
    workload: &str,
    lines: &[NodeCurve],
    pinned: &[Pinned<Vec<Comparable>>],
    size: Size,
) -> Figure {
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
    let reference = reference.unwrap_or(f64::NAN);
    let beside: Vec<_> = pinned.iter().map(|one| (one.label(), chart.beside(&one.of, reference))).collect();
    let drawing = chart.drawing(&beside, &finding);
    Figure {
        id: "node-speedup".into(),
        title: format!("{workload}: speed-up with each process node"),
        finding,
        table: Pinned::rows(chart.table("×"), pinned, |of| {
            let factor = reference / of.value.value;
            let known = [Cell::text(&of.of), Cell::number(factor, format::times(factor))];
            let [before, after] = [2, 3].map(|count| std::iter::repeat_with(Cell::none).take(count));
            before.chain(known).chain(after).chain([Cell::amount(of.value)]).collect()
        }),
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
    let drawing = chart.drawing(&[], &finding);
    Figure {
        id: "node-energy".into(),
        title: format!("{workload}: energy per token with each process node"),
        finding,
        table: chart.table("J"),
        assumptions,
        ..drawing.into()
    }
}

/// The time on each node of a line, for comparisons.
pub fn node_times(line: &NodeCurve) -> Vec<Comparable> {
    let points = line.points.iter().flatten().filter(|point| point.time.get().is_finite());
    let named =
        |point: &NodePoint| Comparable::named(point.node.clone(), String::new(), Amount::time(point.time));
    points.map(named).collect()
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
        Some((slow, fast)) => {
            let span = |ends: &Ends<'_>| format!(" from {} to {}", ends.nodes.0, ends.nodes.1);
            let gain = |ends: &Ends<'_>| (chart.text)(ends.last / ends.first);
            let also = match (fast.nodes == slow.nodes, gain(&fast)) {
                (true, same) if same == gain(&slow) => "and as much".to_owned(),
                (true, gain) => format!("but {gain}"),
                // The line of a small memory begins at the first node on which the task fits.
                (false, gain) => format!("but {gain}{}", span(&fast)),
            };
            format!(
                "{workload} gains {}{} with {}, {also} with {}.",
                gain(&slow),
                span(&slow),
                slow.name,
                fast.name
            )
        }
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
        let curves = self.lines.iter().take(places::MOST).map(|line| (line, self.curve(line)));
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

    /// The nodes in order; one on which no line has a point has no name.
    fn nodes(&self) -> Vec<&'a str> {
        let places = self.lines.iter().map(|line| line.points.len()).max().unwrap_or_default();
        let node = |place: usize| self.lines.iter().find_map(|line| line.points.get(place)?.as_ref());
        (0..places).map(|place| node(place).map_or("", |point| &point.node)).collect()
    }

    /// Places and speed-ups of a pinned question's times on nodes.
    fn beside(&self, times: &[Comparable], reference: f64) -> Vec<(f64, f64)> {
        let nodes = self.nodes();
        let place = |one: &Comparable| nodes.iter().position(|node| **node == *one.of);
        let found = times.iter().filter_map(|one| Some((place(one)? as f64, reference / one.value.value)));
        found.filter(|(_, speedup)| positive(*speedup)).collect()
    }

    /// The drawing, with named lines of pinned questions after the others.
    fn drawing(&self, beside: &[(String, Vec<(f64, f64)>)], finding: &str) -> Drawing {
        let own = self.drawn().map(|(line, points)| PlacedLine { name: &line.name, points });
        let beside = beside.iter().filter(|(_, points)| !points.is_empty());
        let beside = beside.map(|(name, points)| PlacedLine { name, points: points.clone() });
        let lines = own.chain(beside).collect();
        let y = Scale::new(self.title, self.tick);
        Places { title: "Process node", names: self.nodes(), y, lines }.drawing(finding, self.size)
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
            ("Time", Some("s")),
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
                Cell::amount(Amount::time(point.time)),
            ]);
        }
        table
    }
}
