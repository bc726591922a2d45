//! What a time depends on: a bar per cause from what less of it does to what more of it does.

use super::axis::Axis;
use super::canvas::{Align, Canvas, Type, draw};
use super::ink::{Hatch, Ink, Stroke};
use super::legend::{Key, Legend};
use super::{Cell, Figure, Size, Table, blank, positive, within};
use crate::estimate::Sensitivity;
use crate::units::{Seconds, format};

/// How a step of this length changes where each number of the hardware is less or more by `change`, a fraction.
pub fn tornado(step: Seconds, sensitivities: &[Sensitivity], change: f64, size: Size) -> Figure {
    let relative = |time: Seconds| time / step - 1.0;
    let bars: Vec<Bar> = sensitivities
        .iter()
        .map(|one| Bar { name: one.parameter.name(), less: relative(one.less), more: relative(one.more) })
        .filter(|bar| bar.less.is_finite() && bar.more.is_finite())
        .collect();
    let share = format::percent(change);
    let finding = match bars.first() {
        Some(first) if first.varies() => format!(
            "{share} more {} makes the step {} ({}).",
            within(first.name),
            if first.more < 0.0 { "shorter" } else { "no shorter" },
            format::signed_percent(first.more),
        ),
        _ => "Nothing that is varied here changes the step.".to_owned(),
    };
    let drawable = positive(step.get()) && bars.iter().any(Bar::varies);
    let svg = if drawable { Chart::of(bars, &share, size).svg(&finding) } else { blank(size, &finding) };
    Figure {
        id: "sensitivity",
        title: "What the step depends on".to_owned(),
        finding,
        svg,
        table: table(step, sensitivities, &share),
        assumptions: vec![
            format!("One number of the hardware at a time is {share} less and {share} more; the plan stays"),
            "Efficiencies, latencies and what the software adds stay as they are".to_owned(),
        ],
    }
}

fn table(step: Seconds, sensitivities: &[Sensitivity], share: &str) -> Table {
    let mut table = Table::new([
        ("Number", None),
        (&*format!("Step with {share} less"), Some("s")),
        (&*format!("Step with {share} more"), Some("s")),
        ("Change with less", Some("%")),
        ("Change with more", Some("%")),
    ]);
    for Sensitivity { parameter, less, more } in sensitivities {
        let time = |time: &Seconds| Cell::number(time.get(), format::time(*time));
        let relative = |time: &Seconds| {
            let change = *time / step - 1.0;
            Cell::number(change * 100.0, format::signed_percent(change))
        };
        table.push([Cell::text(parameter.name()), time(less), time(more), relative(less), relative(more)]);
    }
    table
}

/// Relative changes of the step.
struct Bar {
    name: &'static str,
    less: f64,
    more: f64,
}

impl Bar {
    fn varies(&self) -> bool {
        (self.less - self.more).abs() > 0.0
    }
}

struct Chart<'a> {
    bars: Vec<Bar>,
    share: &'a str,
    size: Size,
    axis: Axis,
    left: f64,
    right: f64,
}

const TOP: f64 = 12.0;
const THICKNESS: f64 = 16.0;
const LESS: (Ink, Hatch) = (Ink::Series(2), Hatch::Rising);
const MORE: (Ink, Hatch) = (Ink::Series(1), Hatch::Plain);

impl<'a> Chart<'a> {
    fn of(bars: Vec<Bar>, share: &'a str, size: Size) -> Self {
        let reach = bars.iter().flat_map(|bar| [bar.less.abs(), bar.more.abs()]).fold(0.0, f64::max);
        // Room for numbers on both sides.
        let axis = Axis::linear(-reach, reach).padded(0.12, 0.12);
        let (left, right) = match size {
            Size::Wide => (196.0, 760.0),
            Size::Narrow => (12.0, 348.0),
        };
        Self { bars, share, size, axis, left, right }
    }

    const fn pitch(&self) -> f64 {
        match self.size {
            Size::Wide => 30.0,
            Size::Narrow => 44.0,
        }
    }

    fn bottom(&self) -> f64 {
        TOP + self.pitch() * self.bars.len() as f64
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.axis.clamped(value).unwrap_or(0.5) * (self.right - self.left)
    }

    fn svg(&self, finding: &str) -> String {
        let mut legend = Legend::default();
        legend.push(Key::Area(LESS.0, LESS.1), format!("{} less", self.share));
        legend.push(Key::Area(MORE.0, MORE.1), format!("{} more", self.share));
        let legend_top = self.bottom() + 44.0;
        let room = self.size.width() - 24.0;
        let height = legend_top + legend.height(room) + 4.0;
        draw((self.size.width(), height), finding, |canvas| {
            self.axis(canvas);
            for (row, bar) in self.bars.iter().enumerate() {
                self.row(canvas, TOP + self.pitch() * row as f64, bar);
            }
            legend.draw(canvas, (12.0, legend_top), room);
        })
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let bottom = self.bottom();
        for tick in self.axis.ticks(((self.right - self.left) / 75.0) as usize) {
            let x = self.x(tick.value);
            canvas.line((x, TOP), (x, bottom), Stroke::solid(Ink::Grid, 1.0));
            canvas.text((x, bottom + 12.0), &format::signed_percent(tick.value), style);
        }
        canvas.line((self.x(0.0), TOP), (self.x(0.0), bottom), Stroke::solid(Ink::Muted, 1.0));
        let middle = f64::midpoint(self.left, self.right);
        canvas.text((middle, bottom + 32.0), "Change of the step time", style);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, bar: &Bar) {
        let style = Type::label();
        let middle = match self.size {
            Size::Wide => {
                let middle = top + self.pitch() / 2.0;
                let name = style.fit(bar.name, self.left - 16.0);
                canvas.text((self.left - 8.0, middle), &name, style.align(Align::Right));
                middle
            }
            Size::Narrow => {
                canvas.text((self.left, top + 11.0), &style.fit(bar.name, self.right - self.left), style);
                top + 29.0
            }
        };
        let none = self.x(0.0);
        for (value, (ink, hatch)) in [(bar.less, LESS), (bar.more, MORE)] {
            let end = self.x(value);
            let corner = (none.min(end), middle - THICKNESS / 2.0);
            canvas.rectangle(corner, ((end - none).abs(), THICKNESS), ink, hatch);
            let (at, align) = if end < none { (end - 6.0, Align::Right) } else { (end + 6.0, Align::Left) };
            if value != 0.0 {
                canvas.text(
                    (at, middle),
                    &format::signed_percent(value),
                    Type::small(Ink::Text).align(align),
                );
            }
        }
    }
}
