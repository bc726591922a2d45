//! Time against memory of all plans that fit, with their Pareto front.

use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief};
use crate::figure::{Cell, Comparable, Figure, Table};
use crate::search::{Found, Outcome};
use crate::units::{Amount, Bytes, format};

/// Maximum number of marks; more would overlap.
const MOST: usize = 700;

/// Step time against memory of the plans that fit, with the line of those of which none is both faster and smaller.
/// `limit` is what a plan may fill; `opened` links to a plan's question.
pub fn plans(outcome: &Outcome, limit: Bytes, opened: &dyn Fn(&Found) -> String, size: Size) -> Figure {
    let finding = finding(outcome);
    let front = outcome.front.found();
    let drawing = if front.is_empty() {
        blank(size, &finding)
    } else {
        Chart::of(outcome, limit, size).drawing(&finding, opened)
    };
    let mut assumptions = vec![
        "Step times are predicted; memory is that of the fullest GPU".to_owned(),
        "The line is the Pareto front: no other plan is both faster and smaller".to_owned(),
    ];
    let stride = outcome.sample.stride();
    if stride > 1 {
        let fits = format::grouped(outcome.feasible as f64);
        assumptions
            .push(format!("Of {fits} plans that fit, one in {stride} is in the data; all are compared"));
    }
    Figure {
        id: "plans".into(),
        title: "Time against memory of all plans that fit".to_owned(),
        finding,
        table: table(outcome, opened),
        compared: front.iter().map(|found| comparable(found, opened(found))).collect(),
        assumptions,
        ..drawing.into()
    }
}

fn finding(outcome: &Outcome) -> String {
    let front = outcome.front.found();
    let (Some(fastest), Some(smallest)) = (front.first(), front.last()) else {
        return format!(
            "None of {} plans on {} GPUs fits.",
            format::grouped(outcome.plans as f64),
            format::grouped(f64::from(outcome.gpus))
        );
    };
    format!(
        "Of {} plans that fit, the fastest takes {} in {}; the smallest needs {} and takes {}.",
        format::grouped(outcome.feasible as f64),
        format::time(fastest.step),
        format::memory(fastest.memory),
        format::memory(smallest.memory),
        format::time(smallest.step),
    )
}

/// Step time against memory.
fn comparable(found: &Found, link: String) -> Comparable {
    Comparable::point(found.name(), link, Amount::memory(found.memory), Amount::time(found.step))
}

/// Plans on the Pareto front open as questions; a link for each of the others would be most of the table.
fn table(outcome: &Outcome, opened: &dyn Fn(&Found) -> String) -> Table {
    let mut table =
        Table::new([("Plan", None), ("Pareto-optimal", None), ("Step", Some("s")), ("Memory", Some("GiB"))]);
    let mut row = |found: &Found, front: bool| {
        let name = Cell::text(found.name());
        table.push([
            if front { name.opening(opened(found)) } else { name },
            Cell::text(if front { "yes" } else { "no" }),
            Cell::number(found.step.get(), format::time(found.step)),
            Cell::number(found.memory.to_gib(), format::memory(found.memory)),
        ]);
    };
    let front = outcome.front.found();
    for found in front {
        row(found, true);
    }
    for found in outcome.sample.found().iter().filter(|found| !front.contains(found)) {
        row(found, false);
    }
    table
}

struct Chart<'a> {
    outcome: &'a Outcome,
    limit: Bytes,
    size: Size,
    height: f64,
    plot: Plot,
    legend: Legend,
}

const FRONT: Stroke = Stroke::solid(Ink::Series(2), 2.25);
const LIMIT: Stroke = Stroke::solid(Ink::Text, 1.25).dashed(Dash::Long);

fn point(found: &Found) -> (f64, f64) {
    (found.memory.to_gib(), found.step.get())
}

impl<'a> Chart<'a> {
    fn of(outcome: &'a Outcome, limit: Bytes, size: Size) -> Self {
        let mut legend = Legend::default();
        legend.push(Key::Point(Marker::Circle, Ink::Series(1)), "plan that fits");
        legend.push(Key::Line(FRONT), "Pareto front");
        legend.push(Key::Line(LIMIT), "memory limit");
        let legends = legend.height(size.width() - 24.0);
        let height = size.height() + legends;
        let all = || outcome.sample.found().iter().chain(outcome.front.found()).map(point);
        let plot = Plot {
            x: Axis::around(all().map(|(memory, _)| memory).chain([limit.to_gib()])).padded(0.04, 0.04),
            y: Axis::around(all().map(|(_, step)| step)).padded(0.04, 0.04),
            left: Plot::margin(size),
            right: size.width() - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legends,
        };
        Self { outcome, limit, size, height, plot, legend }
    }

    fn drawing(&self, finding: &str, opened: &dyn Fn(&Found) -> String) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let memory = |value: f64| format!("{} GiB", brief(&format::digits(value)));
            let x = Scale::new("Memory of the fullest GPU", &memory);
            let y = Scale::time("Step time");
            self.plot.axes(canvas, &x, &y);
            let sample = self.outcome.sample.found();
            // Evenly thinned, so that no part of the cloud vanishes.
            let stride = sample.len().div_ceil(MOST).max(1);
            for found in sample.iter().step_by(stride) {
                let (memory, step) = point(found);
                let Some(at) = self.plot.place(memory, step) else { continue };
                canvas.marker(at, Marker::Circle, Ink::Series(1), 2.0);
                self.plot.open(
                    canvas,
                    &found.name(),
                    (memory, step),
                    (&x, &y),
                    (String::new(), opened(found)),
                );
            }
            for found in self.outcome.front.found() {
                self.plot.open(canvas, &found.name(), point(found), (&x, &y), (String::new(), opened(found)));
            }
            self.front(canvas);
            self.name_fastest(canvas, stride);
            if let Some(at) = self.plot.x.at(self.limit.to_gib()) {
                let x = self.plot.across(at);
                canvas.line((x, self.plot.top), (x, self.plot.bottom), LIMIT);
            }
            self.legend.draw(canvas, (12.0, self.plot.bottom + 46.0), self.size.width() - 24.0);
        })
    }

    /// Draws the Pareto front as steps.
    fn front(&self, canvas: &mut Canvas<'_>) {
        let front = self.outcome.front.found();
        self.plot.curve(canvas, corners(front).into_iter(), FRONT);
        for (memory, step) in front.iter().map(point) {
            if let Some(at) = self.plot.place(memory, step) {
                canvas.marker(at, Marker::Diamond, Ink::Series(2), 4.5);
            }
        }
    }

    /// Labels the fastest plan with its step time where there is room beside the dots. The read-out and the table have its
    /// configuration, which is too long for the chart.
    fn name_fastest(&self, canvas: &mut Canvas<'_>, stride: usize) {
        let (plot, front) = (&self.plot, self.outcome.front.found());
        let place = |found: &Found| plot.place(point(found).0, point(found).1);
        let Some((fastest, at)) = front.first().and_then(|fastest| Some((fastest, place(fastest)?))) else {
            return;
        };
        let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right, plot.bottom]);
        let corners: Vec<(f64, f64)> =
            corners(front).into_iter().filter_map(|(x, y)| plot.place(x, y)).collect();
        labels.take_path(&corners);
        for dot in self.outcome.sample.found().iter().step_by(stride).filter_map(place) {
            labels.mark(Mark { at: dot, radius: 2.0 });
        }
        for mark in front.iter().filter_map(place) {
            labels.mark(Mark { at: mark, radius: 4.5 });
        }
        if let Some(limit) = plot.x.at(self.limit.to_gib()).map(|share| plot.across(share)) {
            labels.take_line((limit, plot.top), (limit, plot.bottom));
        }
        let name = format!("Fastest: {}", format::time(fastest.step));
        labels.write(canvas, &[(&name, Mark { at, radius: 4.5 })]);
    }
}

/// Corners of the steps of a Pareto front: at a given memory, the fastest plan is the last one that is at most as large.
fn corners(front: &[Found]) -> Vec<(f64, f64)> {
    let corner = |(index, found): (usize, &Found)| {
        let (memory, step) = point(found);
        let before = index.checked_sub(1).map(|before| (point(&front[before]).0, step));
        before.into_iter().chain([(memory, step)])
    };
    front.iter().enumerate().flat_map(corner).collect()
}
