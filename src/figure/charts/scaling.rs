//! Strong scaling: the same job, each number of GPUs at its best plan.

use crate::economics::Bill;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::beside::Beside;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank};
use crate::figure::{Cell, Comparable, Figure, Pinned, Table};
use crate::search::Found;
use crate::units::{Amount, format};

/// A number of GPUs at its best plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The plan.
    pub found: Found,
    /// Model FLOPs over peak FLOPs.
    pub mfu: f64,
    /// Cost of a step.
    pub bill: Bill,
}

/// Step time and MFU against GPUs, and the line on which twice the GPUs take half the time, beside the step times of pinned
/// questions. `opened` links to a plan's question.
pub fn scaling(
    points: &[Scaled],
    pinned: &[Pinned<Vec<Comparable>>],
    opened: &dyn Fn(&Found) -> String,
    size: Size,
) -> Figure {
    let finding = finding(points);
    let drawing = if points.is_empty() {
        blank(size, &finding)
    } else {
        Chart::of(points, pinned, size).drawing(&finding, opened)
    };
    Figure {
        id: "scaling".into(),
        title: "Strong scaling: the best plan for each number of GPUs".to_owned(),
        finding,
        table: Pinned::rows(table(points, opened), pinned, row),
        compared: points.iter().map(|Scaled { found, .. }| comparable(found, opened(found))).collect(),
        assumptions: vec![
            "The global batch stays the same; each number of GPUs has its best plan by the objective of the search"
                .to_owned(),
            "Cost and energy of a step include the time lost to failures and checkpoints".to_owned(),
        ],
        ..drawing.into()
    }
}

fn count(gpus: u32) -> String {
    format::grouped(f64::from(gpus))
}

fn finding(points: &[Scaled]) -> String {
    match points {
        [] => "No plan fits on any number of GPUs that was tried.".to_owned(),
        [only] => format!(
            "On {} GPUs a step takes {} at {} MFU; no plan fits on any other number that was tried.",
            count(only.found.gpus),
            format::time(only.found.step),
            format::percent(only.mfu)
        ),
        [first, .., last] => format!(
            "From {} to {} GPUs a step becomes {}× as fast ({} to {}), and MFU goes from {} to {}.",
            count(first.found.gpus),
            count(last.found.gpus),
            format::digits(first.found.step / last.found.step),
            format::time(first.found.step),
            format::time(last.found.step),
            format::percent(first.mfu),
            format::percent(last.mfu)
        ),
    }
}

/// Step time against GPUs.
fn comparable(found: &Found, link: String) -> Comparable {
    Comparable::point(found.name(), link, Amount::count(found.gpus), Amount::time(found.step))
}

fn table(points: &[Scaled], opened: &dyn Fn(&Found) -> String) -> Table {
    let mut table = Table::new([
        ("GPUs", None),
        ("Best plan", None),
        ("Step", Some("s")),
        ("MFU", Some("%")),
        ("Memory", Some("GiB")),
        ("Cost per step", Some("US$")),
        ("Energy per step", Some("kWh")),
    ]);
    for Scaled { found, mfu, bill } in points {
        let number = |value: Option<f64>| {
            value.map_or_else(Cell::none, |value| Cell::number(value, format::digits(value)))
        };
        table.push([
            Cell::number(f64::from(found.gpus), count(found.gpus)),
            Cell::text(found.name()).opening(opened(found)),
            Cell::number(found.step.get(), format::time(found.step)),
            Cell::number(100.0 * mfu, format::percent(*mfu)),
            Cell::number(found.memory.to_gib(), format::memory(found.memory)),
            number(bill.usd),
            number(bill.kwh),
        ]);
    }
    table
}

/// Row of a pinned question's plan, of which the step is known.
fn row(of: &Comparable) -> Vec<Cell> {
    let known = [
        of.at.map_or_else(Cell::none, Cell::amount),
        Cell::text(&of.of).opening(&of.link),
        Cell::amount(of.value),
    ];
    known.into_iter().chain(std::iter::repeat_with(Cell::none).take(4)).collect()
}

struct Chart<'a> {
    points: &'a [Scaled],
    beside: Beside<'a>,
    size: Size,
    height: f64,
    plot: Plot,
    legend: Legend,
}

/// Radius of a mark.
const RADIUS: f64 = 4.5;
const STEP: Stroke = Stroke::solid(Ink::Series(1), 2.75);
const LINEAR: Stroke = Stroke::solid(Ink::Muted, 1.5).dashed(Dash::Long);

impl<'a> Chart<'a> {
    fn of(points: &'a [Scaled], pinned: &'a [Pinned<Vec<Comparable>>], size: Size) -> Self {
        let beside = Beside::of(pinned);
        let mut legend = Legend::default();
        legend.push(Key::Line(STEP), "step, with its MFU");
        legend.push(Key::Line(LINEAR), "twice the GPUs, half the time");
        beside.name(&mut legend);
        let legends = legend.height(size.width() - 24.0);
        let height = size.height() + legends;
        let gpus = points.iter().map(|point| f64::from(point.found.gpus));
        let others = beside.points();
        let ideal = linear(points).into_iter().chain(others).map(|(_, step)| step);
        let plot = Plot {
            x: Axis::around(gpus.chain(beside.points().map(|(gpus, _)| gpus))).padded(0.06, 0.06),
            y: Axis::around(points.iter().map(|point| point.found.step.get()).chain(ideal))
                .padded(0.06, 0.12),
            left: Plot::margin(size),
            right: size.width() - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legends,
        };
        Self { points, beside, size, height, plot, legend }
    }

    fn drawing(&self, finding: &str, opened: &dyn Fn(&Found) -> String) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let gpus = |value: f64| format::grouped(value);
            let x = Scale::new("GPUs", &gpus);
            let y = Scale::time("Step time");
            self.plot.axes(canvas, &x, &y);
            self.plot.curve(canvas, linear(self.points).into_iter(), LINEAR);
            let curve = self.points.iter().map(|point| (f64::from(point.found.gpus), point.found.step.get()));
            self.plot.curve(canvas, curve, STEP);
            for Scaled { found, mfu, .. } in self.points {
                let at = (f64::from(found.gpus), found.step.get());
                let mfu = format!("MFU {}", format::percent(*mfu));
                self.plot.open(canvas, &found.name(), at, (&x, &y), (mfu, opened(found)));
            }
            self.beside.draw(canvas, &self.plot, (&x, &y));
            self.marks(canvas);
            self.legend.draw(canvas, (12.0, self.plot.bottom + 46.0), self.size.width() - 24.0);
        })
    }

    /// The marks of the curve, each with its MFU where neither line strikes it through.
    fn marks(&self, canvas: &mut Canvas<'_>) {
        let plot = &self.plot;
        let placed = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().filter_map(|(gpus, step)| plot.place(*gpus, *step)).collect()
        };
        let at = |point: &Scaled| (f64::from(point.found.gpus), point.found.step.get());
        let curve: Vec<(f64, f64)> = self.points.iter().map(at).collect();
        let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right + MARGIN, plot.bottom]);
        labels.take_path(&placed(&linear(self.points)));
        labels.take_path(&placed(&curve));
        for at in self.beside.points().filter_map(|(gpus, step)| plot.place(gpus, step)) {
            labels.mark(Mark { at, radius: 3.75 });
        }
        let mut names = Vec::new();
        for point in self.points {
            let (gpus, step) = at(point);
            let Some(at) = plot.place(gpus, step) else { continue };
            canvas.marker(at, Marker::Circle, Ink::Series(1), RADIUS);
            let mark = Mark { at, radius: RADIUS };
            labels.mark(mark);
            names.push((format::percent(point.mfu), mark));
        }
        let names: Vec<(&str, Mark)> = names.iter().map(|(name, mark)| (name.as_str(), *mark)).collect();
        labels.write(canvas, &names);
    }
}

/// Both ends of the line of linear scaling through the first point.
fn linear(points: &[Scaled]) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let gpus = [first, last].map(|point| f64::from(point.found.gpus));
    let work = gpus[0] * first.found.step.get();
    gpus.map(|gpus| (gpus, work / gpus)).to_vec()
}
