//! What fleets cost against the speed that each user gets.

use crate::figure::backend::{Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::groups::{Groups, Look, look};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, Table};
use crate::order;
use crate::units::Amount;
use crate::units::format;

/// A fleet as a point.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetPoint<'a> {
    /// Devices and deployment.
    pub name: String,
    /// What it is grouped with.
    pub group: &'a str,
    /// Output tokens per second that each user gets.
    pub per_user: f64,
    /// What all replicas cost.
    pub cost: Amount,
    /// The question that it opens, as a link without `#`.
    pub link: String,
}

impl FleetPoint<'_> {
    fn drawable(&self) -> bool {
        positive(self.per_user) && positive(self.cost.value)
    }
}

/// More points than these are not drawn: the dearest are left out.
const MOST: usize = 400;

const FRONT: Stroke = Stroke::solid(Ink::Text, 1.5);

/// Cost against speed per user of fleets, with the line of those of which none is both cheaper and faster. `measure` is
/// what the cost is counted in, e.g. `US$ per hour`.
pub fn fleet_costs(points: &[FleetPoint<'_>], measure: &str, size: Size) -> Figure {
    let mut drawable: Vec<&FleetPoint<'_>> = points.iter().filter(|point| point.drawable()).collect();
    order::sort(&mut drawable, |a, b| a.cost.value.total_cmp(&b.cost.value));
    drawable.truncate(MOST);
    let front = front(&drawable);
    let finding = finding(&front);
    let drawing = if front.is_empty() {
        blank(size, &finding)
    } else {
        drawing(&drawable, &front, measure, size, &finding)
    };
    Figure {
        id: "fleet-costs".into(),
        title: "Cost of fleets against speed for each user".to_owned(),
        finding,
        table: table(points, measure),
        assumptions: vec![
            "Each fleet carries the whole load under the service levels; spare replicas are paid for"
                .to_owned(),
            "Of fleets on the line none is both cheaper and faster; a point opens as a question".to_owned(),
        ],
        ..drawing.into()
    }
}

/// Of fleets, cheapest first, those that are faster than all cheaper ones.
fn front<'a>(points: &[&'a FleetPoint<'a>]) -> Vec<&'a FleetPoint<'a>> {
    let mut fastest = 0.0;
    let faster = |point: &&&FleetPoint<'_>| {
        let faster = point.per_user > fastest;
        fastest = point.per_user.max(fastest);
        faster
    };
    points.iter().filter(faster).copied().collect()
}

fn finding(front: &[&FleetPoint<'_>]) -> String {
    let (Some(cheapest), Some(fastest)) = (front.first(), front.last()) else {
        return "No fleet whose cost is known carries the load.".to_owned();
    };
    let speed = |point: &FleetPoint<'_>| format::digits(point.per_user);
    if front.len() == 1 {
        return format!(
            "{} is cheapest and fastest: {} tokens/s for each user.",
            cheapest.name,
            speed(cheapest)
        );
    }
    format!(
        "{} is cheapest, {} with {} tokens/s for each user; {} is fastest, {} with {} tokens/s.",
        cheapest.name,
        cheapest.cost,
        speed(cheapest),
        fastest.name,
        fastest.cost,
        speed(fastest),
    )
}

fn table(points: &[FleetPoint<'_>], measure: &str) -> Table {
    let mut table = Table::new([
        ("Fleet", None),
        ("Generation", None),
        ("Output tokens per second and user", None),
        ("Cost", None),
    ]);
    if let Some(cost) = table.columns.last_mut() {
        measure.clone_into(&mut cost.label);
    }
    for point in points {
        let link = point.link.clone();
        table.push([
            Cell::text(&point.name).opening(link),
            Cell::text(point.group),
            Cell::number(point.per_user, format::digits(point.per_user)),
            Cell::amount(point.cost),
        ]);
    }
    table
}

fn drawing(
    points: &[&FleetPoint<'_>],
    front: &[&FleetPoint<'_>],
    measure: &str,
    size: Size,
    finding: &str,
) -> Drawing {
    let groups = Groups::of(points.iter().map(|point| point.group));
    let mut legend = Legend::default();
    for (name, Look { marker, ink, .. }) in groups.iter() {
        legend.push(Key::Point(marker, ink), name);
    }
    legend.push(Key::Line(FRONT), "none is cheaper and faster");
    let legends = legend.height(size.width() - 24.0);
    let height = size.height() + legends;
    let plot = Plot {
        x: Axis::around(points.iter().map(|point| point.per_user)).padded(0.05, 0.05),
        y: Axis::around(points.iter().map(|point| point.cost.value)).padded(0.06, 0.06),
        left: Plot::margin(size),
        right: size.width() - MARGIN,
        top: 24.0,
        bottom: height - 48.0 - legends,
    };
    let unit = points.first().map(|point| point.cost.unit).unwrap_or_default();
    draw((size.width(), height), finding, |canvas| {
        let speed = |value: f64| brief(&format::digits(value));
        let cost = |value: f64| brief(&Amount::new(value, unit).to_string());
        let x = Scale::new("Output tokens per second that each user gets", &speed);
        plot.axes(canvas, &x, &Scale::new(measure, &cost));
        let corners = front.iter().enumerate().flat_map(|(index, point)| {
            let before = index.checked_sub(1).map(|before| (front[before].per_user, point.cost.value));
            before.into_iter().chain([(point.per_user, point.cost.value)])
        });
        plot.curve(canvas, corners, FRONT);
        for point in points {
            let Some(at) = plot.place(point.per_user, point.cost.value) else { continue };
            let Look { marker, ink, .. } = look(groups.place(point.group));
            canvas.marker(at, marker, ink, 4.5);
            let text =
                format!("{}: {}, {} tokens/s for each user", point.name, point.cost, speed(point.per_user));
            canvas.open(at, text, point.link.clone());
        }
        for point in front {
            if let Some(at) = plot.place(point.per_user, point.cost.value) {
                canvas.marker(at, Marker::Circle, Ink::Text, 2.0);
            }
        }
        legend.draw(canvas, (12.0, plot.bottom + 46.0), size.width() - 24.0);
    })
}
