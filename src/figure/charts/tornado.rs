//! Tornado chart of sensitivities: one bar per hardware number, from the effect of a decrease to that of an increase.

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, brief, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::training::Sensitivity;
use crate::units::{Seconds, format};

/// Figure of the change of the step time if each hardware number is decreased or increased by `change`, a fraction. `opened`
/// links to the question whose step is that of a sensitivity, less and more; empty where no question is.
pub fn tornado(
    step: Seconds,
    sensitivities: &[Sensitivity],
    change: f64,
    opened: &dyn Fn(&Sensitivity) -> [String; 2],
    size: Size,
) -> Figure {
    let relative = |time: Seconds| time / step - 1.0;
    let bars: Vec<Bar> = sensitivities
        .iter()
        .map(|one| Bar {
            name: one.parameter.name(),
            less: relative(one.less),
            more: relative(one.more),
            opens: opened(one),
        })
        .filter(|bar| bar.less.is_finite() && bar.more.is_finite())
        .collect();
    let share = format!("{} %", brief(&format::digits(100.0 * change)));
    let finding = match bars.first() {
        Some(first) if first.more < 0.0 => format!(
            "{share} more {} shortens the step by {}.",
            within(first.name),
            format::percent(-first.more),
        ),
        Some(first) if first.less > 0.0 => {
            format!(
                "{share} less {} lengthens the step by {}.",
                within(first.name),
                format::percent(first.less)
            )
        }
        _ => "More of a varied parameter does not shorten the step.".to_owned(),
    };
    let drawable = positive(step.get()) && bars.iter().any(Bar::varies);
    let drawing =
        if drawable { Chart::of(bars, &share, size).drawing(&finding) } else { blank(size, &finding) };
    Figure {
        id: "sensitivity".into(),
        title: "Sensitivity of the step time to hardware".to_owned(),
        finding,
        table: table(step, sensitivities, &share),
        assumptions: vec![
            format!(
                "One hardware parameter at a time is {share} lower and {share} higher; the plan stays the same"
            ),
            "Efficiencies, latencies and software overheads stay the same".to_owned(),
        ],
        ..drawing.into()
    }
}

fn table(step: Seconds, sensitivities: &[Sensitivity], share: &str) -> Table {
    let mut table = Table::new([
        ("Parameter", None),
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
    /// Links of the questions with less and with more of the parameter.
    opens: [String; 2],
}

impl Bar {
    fn varies(&self) -> bool {
        (self.less - self.more).abs() > 0.0
    }
}

struct Chart<'a> {
    bars: Vec<Bar>,
    share: &'a str,
    rows: Rows,
}

const TOP: f64 = 12.0;
const THICKNESS: f64 = 16.0;
/// Width of a bar's number, with its distances from the bar and the edge.
const LABEL: f64 = 68.0;
const LESS: (Ink, Hatch) = (Ink::Series(2), Hatch::Rising);
const MORE: (Ink, Hatch) = (Ink::Series(1), Hatch::Plain);

impl<'a> Chart<'a> {
    fn of(bars: Vec<Bar>, share: &'a str, size: Size) -> Self {
        let reach = bars.iter().flat_map(|bar| [bar.less.abs(), bar.more.abs()]).fold(0.0, f64::max);
        let (left, right) = match size {
            Size::Wide => (196.0, 760.0),
            Size::Medium | Size::Narrow => (12.0, size.width() - 12.0),
        };
        // Room for numbers on both sides.
        let room = LABEL / (right - left - 2.0 * LABEL);
        let axis = Axis::linear(-reach, reach).padded(room, room);
        let rows = Rows { size, count: bars.len(), top: TOP, pitch: Rows::pitch(size), axis, left, right };
        Self { bars, share, rows }
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        legend.push(Key::Area(LESS.0, LESS.1), format!("{} less", self.share));
        legend.push(Key::Area(MORE.0, MORE.1), format!("{} more", self.share));
        let row = |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, &self.bars[index]);
        self.rows.drawing(finding, &legend, |canvas| self.axis(canvas), row)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let rows = &self.rows;
        rows.ticks(canvas, (Grid::Decimal, 75.0), &|change| brief(&format::signed_percent(change)));
        let none = rows.x(0.0);
        canvas.line((none, TOP), (none, rows.bottom()), Stroke::solid(Ink::Muted, 1.0));
        rows.title(canvas, rows.middle(), "Change of the step time");
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, bar: &Bar) {
        let middle = self.rows.name(canvas, top, bar.name, Type::label());
        let none = self.rows.x(0.0);
        let [less, more] = &bar.opens;
        for (value, look, change, link) in [(bar.less, LESS, "less", less), (bar.more, MORE, "more", more)] {
            let end = self.rows.x(value);
            let corner = (none.min(end), middle - THICKNESS / 2.0);
            let read = format!("{}, {} {change}: {}", bar.name, self.share, format::signed_percent(value));
            canvas.opening_bar(corner, ((end - none).abs(), THICKNESS), look, (read, link));
            let (at, align) = if end < none { (end - 6.0, Align::Right) } else { (end + 6.0, Align::Left) };
            let style = Type::small(Ink::Text).align(align);
            if value != 0.0 {
                canvas.text((at, middle), &format::signed_percent(value), style);
            } else if !bar.varies() && change == "more" {
                canvas.text((at, middle), "0 %", style);
            }
        }
    }
}
