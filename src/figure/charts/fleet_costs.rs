//! Scatter plots of cost: of serving fleets against speed per user, and of training runs against their duration.

use crate::figure::backend::{Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::beside::Beside;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::groups::{Groups, Look, look};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Comparable, Figure, Pinned, Table};
use crate::order;
use crate::sizing::SizingObjective;
use crate::units::{Amount, Unit, format};

/// The quantity on the horizontal axis of a cost chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Speed of a serving fleet: output tokens per second per user.
    Speed,
    /// Duration of a training run, days.
    Days,
}

/// A point of a cost chart: a serving fleet or a training run.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetPoint<'a> {
    /// Devices, with the deployment or the parallelism plan.
    pub name: String,
    /// Device generation, which sets the marker.
    pub group: &'a str,
    /// Value on the horizontal axis, in the unit of [`Against`].
    pub reach: f64,
    /// Value on the vertical axis: the quantity that the sizing objective minimises.
    pub cost: Amount,
    /// Link, without `#`, of the question that the point opens.
    pub link: String,
}

impl FleetPoint<'_> {
    fn drawable(&self) -> bool {
        positive(self.reach) && positive(self.cost.value)
    }
}

impl Against {
    /// Machine name of the figure.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Speed => "fleet-costs",
            Self::Days => "run-costs",
        }
    }

    /// Title of the chart.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Speed => "Cost of fleets against speed per user",
            Self::Days => "Cost of training runs against duration",
        }
    }

    /// Title of the horizontal axis, then the headings of the table's columns of names and of values on that axis.
    const fn labels(self) -> [&'static str; 3] {
        match self {
            Self::Speed => {
                ["Output tokens per second per user", "Fleet", "Output tokens per second per user"]
            }
            Self::Days => ["Duration of the run, days", "Run", "Days"],
        }
    }

    fn assumptions(self) -> Vec<String> {
        let (what, front) = match self {
            Self::Speed => (
                "Each fleet serves the whole load within the service levels; its cost includes spare replicas",
                "The line is the Pareto front: no other fleet is both cheaper and faster. Points open as questions",
            ),
            Self::Days => (
                "Each run meets the deadline, including time lost to failures and checkpoints",
                "The line is the Pareto front: no other run is both cheaper and faster. Points open as questions",
            ),
        };
        [what, front].map(str::to_owned).to_vec()
    }

    /// Returns true if `one` is faster than `other`: the larger speed, or the shorter duration.
    fn faster(self, one: f64, other: f64) -> bool {
        match self {
            Self::Speed => one > other,
            Self::Days => one < other,
        }
    }

    /// Title of the horizontal axis.
    pub const fn axis(self) -> &'static str {
        let [title, ..] = self.labels();
        title
    }

    /// Name of the cost that an objective minimises, with its unit.
    pub const fn measure(self, by: SizingObjective) -> &'static str {
        match (self, by) {
            (_, SizingObjective::Gpus) => "GPUs",
            (Self::Speed, SizingObjective::Cost) => "US$ per hour",
            (Self::Speed, SizingObjective::Energy) => "Power, kW",
            (Self::Days, SizingObjective::Cost) => "US$",
            (Self::Days, SizingObjective::Energy) => "Energy, kWh",
        }
    }

    /// A value of the horizontal axis with its unit, for sentences.
    fn said(self, reach: f64) -> String {
        let digits = format::digits(reach);
        match self {
            Self::Speed => format!("{digits} tokens/s per user"),
            Self::Days => format!("{digits} days"),
        }
    }
}

/// Maximum number of points that are drawn; the most expensive are left out.
const MOST: usize = 400;

const FRONT: Stroke = Stroke::solid(Ink::Text, 1.5);

/// Figure of cost against speed or duration, with the Pareto front and those of pinned questions. `measure` names the cost with
/// its unit, e.g. `US$ per hour`.
pub fn fleet_costs(
    points: &[FleetPoint<'_>],
    mut pinned: Vec<Pinned<Vec<Comparable>>>,
    (against, measure): (Against, &str),
    size: Size,
) -> Figure {
    let drawable = cheapest(points);
    let front = front(&drawable, against);
    let finding = finding(&front, against, per(measure));
    // Costs of different quantities do not share an axis.
    let unit = points.first().map(|point| point.cost.unit);
    pinned.retain(|pinned| pinned.of.iter().all(|one| Some(one.value.unit) == unit));
    let drawing = if front.is_empty() {
        blank(size, &finding)
    } else {
        drawing((&drawable, &front, &Beside::of(&pinned)), (against, measure), size, &finding)
    };
    Figure {
        id: against.id().into(),
        title: against.title().to_owned(),
        finding,
        table: Pinned::rows(table(points, against, measure), &pinned, |of| {
            let reach = of.at.map_or_else(Cell::none, Cell::amount);
            vec![Cell::text(&of.of).opening(&of.link), Cell::none(), reach, Cell::amount(of.value)]
        }),
        compared: front.iter().map(|point| comparable(point)).collect(),
        assumptions: against.assumptions(),
        ..drawing.into()
    }
}

/// The points that are drawn, sorted by cost.
fn cheapest<'a, 'b>(points: &'a [FleetPoint<'b>]) -> Vec<&'a FleetPoint<'b>> {
    let mut drawable: Vec<&FleetPoint<'_>> = points.iter().filter(|point| point.drawable()).collect();
    order::sort(&mut drawable, |a, b| a.cost.value.total_cmp(&b.cost.value));
    drawable.truncate(MOST);
    drawable
}

/// Cost against speed or duration.
fn comparable(point: &FleetPoint<'_>) -> Comparable {
    let at = Amount::new(point.reach, Unit::None);
    Comparable::point(point.name.clone(), point.link.clone(), at, point.cost)
}

/// The Pareto front of points that are sorted by cost: each is faster than all cheaper ones.
fn front<'a>(points: &[&'a FleetPoint<'a>], against: Against) -> Vec<&'a FleetPoint<'a>> {
    let mut fastest = None;
    let faster = |point: &&&FleetPoint<'_>| {
        let faster = fastest.is_none_or(|fastest| against.faster(point.reach, fastest));
        if faster {
            fastest = Some(point.reach);
        }
        faster
    };
    points.iter().filter(faster).copied().collect()
}

/// What follows an amount of a measure in a sentence: ` per hour` of `US$ per hour`. Other amounts have their unit.
fn per(measure: &str) -> &str {
    measure.strip_prefix("US$").unwrap_or_default()
}

fn finding(front: &[&FleetPoint<'_>], against: Against, per: &str) -> String {
    let (Some(cheapest), Some(fastest)) = (front.first(), front.last()) else {
        return match against {
            Against::Speed => "No fleet of known cost serves the load within the service levels.",
            Against::Days => "No run of known cost meets the deadline.",
        }
        .to_owned();
    };
    let said = |point: &FleetPoint<'_>| against.said(point.reach);
    if front.len() == 1 {
        return format!("{} is cheapest and fastest: {}.", cheapest.name, said(cheapest));
    }
    format!(
        "{} is cheapest, {}{per} with {}; {} is fastest, {}{per} with {}.",
        cheapest.name,
        cheapest.cost,
        said(cheapest),
        fastest.name,
        fastest.cost,
        said(fastest),
    )
}

fn table(points: &[FleetPoint<'_>], against: Against, measure: &str) -> Table {
    let [_, what, reach] = against.labels();
    let mut table = Table::new([(what, None), ("Generation", None), (reach, None), ("Cost", None)]);
    if let Some(cost) = table.columns.last_mut() {
        measure.clone_into(&mut cost.label);
    }
    for point in points {
        let link = point.link.clone();
        table.push([
            Cell::text(&point.name).opening(link),
            Cell::text(point.group),
            Cell::number(point.reach, format::digits(point.reach)),
            Cell::amount(point.cost),
        ]);
    }
    table
}

fn drawing(
    (points, front, beside): (&[&FleetPoint<'_>], &[&FleetPoint<'_>], &Beside<'_>),
    (against, measure): (Against, &str),
    size: Size,
    finding: &str,
) -> Drawing {
    let groups = Groups::of(points.iter().map(|point| point.group));
    let mut legend = Legend::default();
    for (name, Look { marker, ink, .. }) in groups.iter() {
        legend.push(Key::Point(marker, ink), name);
    }
    legend.push(Key::Line(FRONT), "Pareto front");
    beside.name(&mut legend);
    let legends = legend.height(size.width() - 24.0);
    let height = size.height() + legends;
    let places = || points.iter().map(|point| (point.reach, point.cost.value)).chain(beside.points());
    let plot = Plot {
        x: Axis::around(places().map(|(reach, _)| reach)).padded(0.05, 0.05),
        y: Axis::around(places().map(|(_, cost)| cost)).padded(0.06, 0.06),
        left: Plot::margin(size),
        right: size.width() - MARGIN,
        top: 24.0,
        bottom: height - 48.0 - legends,
    };
    let unit = points.first().map(|point| point.cost.unit).unwrap_or_default();
    draw((size.width(), height), finding, |canvas| {
        let reach = |value: f64| brief(&format::digits(value));
        let cost = |value: f64| brief(&Amount::new(value, unit).to_string());
        let x = Scale::new(against.axis(), &reach);
        let y = Scale::new(measure, &cost);
        plot.axes(canvas, &x, &y);
        let corners = front.iter().enumerate().flat_map(|(index, point)| {
            let before = index.checked_sub(1).map(|before| (front[before].reach, point.cost.value));
            before.into_iter().chain([(point.reach, point.cost.value)])
        });
        plot.curve(canvas, corners, FRONT);
        for point in points {
            let Some(at) = plot.place(point.reach, point.cost.value) else { continue };
            let Look { marker, ink, .. } = look(groups.place(point.group));
            canvas.marker(at, marker, ink, 4.5);
            let (cost, per) = (point.cost, per(measure));
            let text = format!("{}: {cost}{per}, {}", point.name, against.said(point.reach));
            canvas.open(at, text, point.link.clone());
        }
        for point in front {
            if let Some(at) = plot.place(point.reach, point.cost.value) {
                canvas.marker(at, Marker::Circle, Ink::Text, 2.0);
            }
        }
        beside.draw(canvas, &plot, (&x, &y));
        legend.draw(canvas, (12.0, plot.bottom + 46.0), size.width() - 24.0);
    })
}
