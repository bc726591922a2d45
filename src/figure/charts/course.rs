//! The course of a measured step above that of the predicted one.

use crate::estimate::{Busy, COURSE_SLOTS, Course};
use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Column, Figure, Row, Table};
use crate::units::{Seconds, format};

/// A step, measured or predicted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CourseOf {
    /// Duration of the step.
    pub step: Seconds,
    /// What the GPU does in it.
    pub course: Course,
}

impl CourseOf {
    /// Time of a group in the step; idle time for `None`.
    fn time(&self, busy: Option<Busy>) -> Seconds {
        let share = |busy| self.course.whole(busy);
        let of = busy.map_or_else(|| 1.0 - Busy::ALL.into_iter().map(share).sum::<f64>(), share);
        self.step * of.max(0.0)
    }

    /// Share of a slot that a group takes; the idle share for `None`.
    fn share(&self, busy: Option<Busy>, slot: usize) -> f64 {
        busy.map_or_else(|| self.idle(slot), |busy| self.course.share(busy, slot))
    }

    /// Start and end of a slot.
    fn slot(&self, slot: usize) -> [Seconds; 2] {
        [slot, slot + 1].map(|slot| self.step * (slot as f64 / COURSE_SLOTS as f64))
    }

    /// Shares of the groups in a slot.
    fn shares(&self, slot: usize) -> [f64; Busy::ALL.len()] {
        Busy::ALL.map(|busy| self.course.share(busy, slot))
    }

    fn idle(&self, slot: usize) -> f64 {
        (1.0 - self.shares(slot).into_iter().sum::<f64>()).max(0.0)
    }
}

/// Names of the panels, from top to bottom.
const NAMES: [&str; 2] = ["Measured", "Predicted"];

/// Colours of the groups, in the order of [`Busy::ALL`]. Bars have no hatches, which would double the size of the drawing;
/// they are stacked in the order of the legend.
const INKS: [Ink; Busy::ALL.len()] =
    [Ink::Series(1), Ink::Series(2), Ink::Series(3), Ink::Series(4), Ink::Series(5), Ink::Series(7)];

/// Figure of a measured and a predicted step over time, on one scale.
pub fn course(measured: &CourseOf, predicted: &CourseOf, size: Size) -> Figure {
    let both = [measured, predicted];
    let finding = finding(both);
    let longest = measured.step.max(predicted.step);
    let drawing = if positive(longest.get()) {
        Chart { both, longest, size }.drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "profile-course".into(),
        title: "A step over time, measured and predicted".to_owned(),
        finding,
        table: table(both),
        assumptions: vec![
            format!("Each step is divided into {COURSE_SLOTS} equal intervals; the remainder of an interval is idle time"),
            "Measured: the busiest GPU, in the step of median duration. Predicted: a GPU of the first pipeline stage; each \
             pass has the mean shares of all passes"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

const IDLE: &str = "Idle time";

/// Groups and idle time, with their labels.
fn groups() -> impl Iterator<Item = (Option<Busy>, &'static str)> {
    Busy::ALL.into_iter().map(|busy| (Some(busy), busy.label())).chain([(None, IDLE)])
}

/// The group with the largest difference, and the quarter of the measured step that has most of it.
fn finding([measured, predicted]: [&CourseOf; 2]) -> String {
    let apart = |busy| (measured.time(busy) - predicted.time(busy)).get().abs();
    let most = groups().max_by(|(a, _), (b, _)| apart(*a).total_cmp(&apart(*b)));
    let (busy, name) = most.unwrap_or((None, IDLE));
    let [there, here] = [measured, predicted].map(|side| format::time(side.time(busy)));
    let quarters = [0, 1, 2, 3].map(|quarter| -> f64 {
        let slots = quarter * COURSE_SLOTS / 4..(quarter + 1) * COURSE_SLOTS / 4;
        slots.map(|slot| measured.share(busy, slot)).sum()
    });
    let all: f64 = quarters.iter().sum();
    let most = quarters.iter().zip(["first", "second", "third", "last"]).max_by(|a, b| a.0.total_cmp(b.0));
    let place = most.filter(|_| positive(all)).map_or_else(String::new, |(share, place)| {
        let share = format::percent(share / all);
        format!(" {share} of the measured part is in the {place} quarter of the step.")
    });
    format!("Largest difference: {}, {there} measured and {here} predicted.{place}", within(name))
}

fn table(both: [&CourseOf; 2]) -> Table {
    let mut columns = vec![Column::new("Step"), Column::of("From", "s"), Column::of("To", "s")];
    columns.extend(groups().map(|(_, name)| Column::of(name, "%")));
    let mut table = Table::under(columns);
    for (side, name) in both.into_iter().zip(NAMES) {
        for slot in 0..COURSE_SLOTS {
            let [from, to] = side.slot(slot);
            let time = |time: Seconds| Cell::number(time.get(), format::time(time));
            let shares = groups().map(|(busy, _)| {
                let share = side.share(busy, slot);
                Cell::number(share * 100.0, format::percent(share))
            });
            let cells = [Cell::text(name), time(from), time(to)].into_iter().chain(shares).collect();
            table.rows.push(Row { cells, ..Row::default() });
        }
    }
    table
}

const TOP: f64 = 28.0;
const PANEL: f64 = 150.0;
/// Room below a panel for its axis and the next panel's name.
const BETWEEN: f64 = 76.0;

struct Chart<'a> {
    both: [&'a CourseOf; 2],
    longest: Seconds,
    size: Size,
}

impl Chart<'_> {
    fn drawing(&self, finding: &str) -> Drawing {
        let width = self.size.width() - 24.0;
        let mut legend = Legend::default();
        for (busy, ink) in Busy::ALL.into_iter().zip(INKS) {
            if self.both.iter().any(|side| positive(side.course.whole(busy))) {
                legend.push(Key::Area(ink, Hatch::Plain), busy.label());
            }
        }
        let top = TOP + 2.0 * (PANEL + BETWEEN) - 24.0;
        draw((self.size.width(), top + legend.height(width) + 4.0), finding, |canvas| {
            for (place, (side, name)) in self.both.into_iter().zip(NAMES).enumerate() {
                let top = TOP + place as f64 * (PANEL + BETWEEN);
                self.panel(canvas, side, name, top);
            }
            legend.draw(canvas, (12.0, top), width);
        })
    }

    fn panel(&self, canvas: &mut Canvas<'_>, side: &CourseOf, name: &str, top: f64) {
        let plot = Plot {
            x: Axis::linear(0.0, self.longest.get()),
            y: Axis::linear(0.0, 100.0),
            left: Plot::margin(self.size),
            top,
            right: self.size.width() - MARGIN,
            bottom: top + PANEL,
        };
        let x = |time: Seconds| plot.across(plot.x.clamped(time.get()).unwrap_or(0.0));
        let mut next = 0;
        while next < COURSE_SLOTS {
            // Adjacent slots with equal shares are one bar.
            let (first, shares) = (next, side.shares(next));
            next += 1;
            while next < COURSE_SLOTS && side.shares(next).map(f64::to_bits) == shares.map(f64::to_bits) {
                next += 1;
            }
            let [from, to] = [side.slot(first)[0], side.slot(next - 1)[1]];
            let (left, right) = (x(from), x(to));
            let mut below = 0.0;
            let mut said = Vec::new();
            for (busy, ink) in Busy::ALL.into_iter().zip(INKS) {
                let share = shares[busy as usize].min(1.0 - below);
                if !positive(share) {
                    continue;
                }
                let (low, high) = (plot.up(below), plot.up(below + share));
                canvas.rectangle((left, high), (right - left, low - high), ink, Hatch::Plain);
                said.push(format!("{} {}", busy.label(), format::percent(share)));
                below += share;
            }
            said.push(format!("idle {}", format::percent(side.idle(first))));
            let [start, stop] = [from, to].map(format::time);
            let read = format!("{name}, {start} to {stop}: {}", said.join(", "));
            canvas.area((left, plot.top), (right - left, PANEL), read, "");
        }
        let heading = plot.top - 14.0;
        let share = Scale::new("Share of the interval (%)", &format::grouped);
        plot.axes_under(canvas, heading, &Scale::time("Time"), &share);
        let end = x(side.step);
        canvas.line((end, plot.top), (end, plot.bottom), Stroke::solid(Ink::Text, 1.5));
        let title = format!("{name}: {}", format::time(side.step));
        let style = Type::label().bold_if(true).align(Align::Right);
        canvas.text((plot.right, heading), &title, style);
    }
}
