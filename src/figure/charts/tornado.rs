//! Tornado chart of sensitivities: one bar per hardware number, from the effect of a decrease to that of an increase.

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::lines::PINNED;
use crate::figure::frame::rows::Rows;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, brief, positive, within};
use crate::figure::{Cell, Figure, Pinned, Table};
use crate::training::Sensitivity;
use crate::units::{Seconds, format};

/// A step time and its sensitivities.
pub type StepSensitivities = (Seconds, Vec<Sensitivity>);

/// Figure of the change of the step time if each hardware number is decreased or increased by `change`, a fraction, with markers
/// at the changes of pinned questions. `opened` links to the question whose step is that of a sensitivity, less and more; empty
/// where no question is.
pub fn tornado(
    varied: &StepSensitivities,
    pinned: &[Pinned<StepSensitivities>],
    change: f64,
    opened: &dyn Fn(&Sensitivity) -> [String; 2],
    size: Size,
) -> Figure {
    let (step, sensitivities) = varied;
    let bars: Vec<Bar> = sensitivities
        .iter()
        .map(|one| Bar {
            name: one.parameter.name(),
            ends: ends(*step, one),
            opens: opened(one),
            beside: pinned.iter().map(|Pinned { of: (step, others), .. }| of(*step, others, one)).collect(),
        })
        .filter(|bar| bar.ends.into_iter().all(f64::is_finite))
        .collect();
    let share = format!("{} %", brief(&format::digits(100.0 * change)));
    let finding = match bars.first() {
        Some(Bar { name, ends: [_, more], .. }) if *more < 0.0 => {
            format!("{share} more {} shortens the step by {}.", within(name), percent(-more))
        }
        Some(Bar { name, ends: [less, _], .. }) if *less > 0.0 => {
            format!("{share} less {} lengthens the step by {}.", within(name), percent(*less))
        }
        _ => "More of a varied parameter does not shorten the step.".to_owned(),
    };
    let drawable = positive(step.get()) && bars.iter().any(Bar::varies);
    let names = pinned.iter().map(Pinned::label).collect();
    let drawing =
        if drawable { Chart::of(bars, names, &share, size).drawing(&finding) } else { blank(size, &finding) };
    Figure {
        id: "sensitivity".into(),
        title: "Sensitivity of the step time to hardware".to_owned(),
        finding,
        table: table(varied, &share)
            .beside(pinned.iter().map(|pinned| (pinned.label(), table(&pinned.of, &share)))),
        assumptions: vec![
            format!(
                "One hardware parameter at a time is {share} lower and {share} higher; the plan stays the same"
            ),
            "Efficiencies, latencies and software overheads stay the same".to_owned(),
        ],
        ..drawing.into()
    }
}

/// Relative changes of the step with less and with more of a parameter.
fn ends(step: Seconds, Sensitivity { less, more, .. }: &Sensitivity) -> [f64; 2] {
    [less, more].map(|time| *time / step - 1.0)
}

/// Relative changes of a pinned question's step by the same parameter; 0 if unknown.
fn of(step: Seconds, others: &[Sensitivity], one: &Sensitivity) -> [f64; 2] {
    let other = others.iter().find(|other| other.parameter == one.parameter);
    let ends = other.map_or([0.0; 2], |other| ends(step, other));
    if ends.into_iter().all(f64::is_finite) { ends } else { [0.0; 2] }
}

/// A change to two significant digits, as many as the range of a prediction allows: `5.2 %` for 0.0523.
fn percent(change: f64) -> String {
    let percent = 100.0 * change;
    let digits = if percent < 0.0995 { format!("{percent:.2}") } else { format::short(percent) };
    format!("{digits} %")
}

/// A change with its sign, e.g. `−4.8 %`.
fn signed(change: f64) -> String {
    if change.abs() < 5e-5 {
        return "0 %".to_owned();
    }
    format!("{}{}", if change < 0.0 { "−" } else { "+" }, percent(change.abs()))
}

fn table((step, sensitivities): &StepSensitivities, share: &str) -> Table {
    let mut table = Table::new([
        ("Parameter", None),
        (&*format!("Step with {share} less"), Some("s")),
        (&*format!("Step with {share} more"), Some("s")),
        ("Change with less", Some("%")),
        ("Change with more", Some("%")),
    ]);
    for one in sensitivities {
        let [less, more] = [one.less, one.more].map(|time| Cell::number(time.get(), format::time(time)));
        let [shorter, longer] = ends(*step, one).map(|change| Cell::number(change * 100.0, signed(change)));
        table.push([Cell::text(one.parameter.name()), less, more, shorter, longer]);
    }
    table
}

/// Relative changes of the step by a parameter.
struct Bar {
    name: &'static str,
    /// With less and with more of the parameter.
    ends: [f64; 2],
    /// Links of the questions with less and with more of the parameter.
    opens: [String; 2],
    /// Relative changes of pinned questions, in the order of their labels.
    beside: Vec<[f64; 2]>,
}

impl Bar {
    fn varies(&self) -> bool {
        let [less, more] = self.ends;
        (less - more).abs() > 0.0
    }

    /// All changes to draw.
    fn changes(&self) -> impl Iterator<Item = f64> {
        self.beside.iter().flatten().chain(&self.ends).copied()
    }
}

struct Chart<'a> {
    bars: Vec<Bar>,
    /// Labels of pinned questions.
    names: Vec<String>,
    share: &'a str,
    rows: Rows,
}

const TOP: f64 = 12.0;
const THICKNESS: f64 = 16.0;
/// Radius of a pinned question's marker.
const RADIUS: f64 = 4.5;
/// Width of a bar's number, with its distances from the bar and the edge.
const LABEL: f64 = 68.0;
const LESS: (Ink, Hatch) = (Ink::Series(2), Hatch::Rising);
const MORE: (Ink, Hatch) = (Ink::Series(1), Hatch::Plain);

impl<'a> Chart<'a> {
    fn of(bars: Vec<Bar>, names: Vec<String>, share: &'a str, size: Size) -> Self {
        let reach = bars.iter().flat_map(Bar::changes).map(f64::abs).fold(0.0, f64::max);
        let (left, right) = match size {
            Size::Wide => (196.0, 760.0),
            Size::Medium | Size::Narrow => (12.0, size.width() - 12.0),
        };
        // Room for numbers on both sides.
        let room = LABEL / (right - left - 2.0 * LABEL);
        let axis = Axis::linear(-reach, reach).padded(room, room);
        let rows = Rows { size, count: bars.len(), top: TOP, pitch: Rows::pitch(size), axis, left, right };
        Self { bars, names, share, rows }
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        legend.push(Key::Area(LESS.0, LESS.1), format!("{} less", self.share));
        legend.push(Key::Area(MORE.0, MORE.1), format!("{} more", self.share));
        for (name, marker) in self.names.iter().zip(PINNED) {
            legend.push(Key::Point(marker, Ink::Text), name);
        }
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
        for (index, (value, (look, change))) in
            bar.ends.into_iter().zip([(LESS, "less"), (MORE, "more")]).enumerate()
        {
            let end = self.rows.x(value);
            let corner = (none.min(end), middle - THICKNESS / 2.0);
            let mut read = format!("{}, {} {change}: {}", bar.name, self.share, signed(value));
            for (name, other) in self.names.iter().zip(&bar.beside) {
                read.extend(["; ", name, ": ", &signed(other[index])]);
            }
            canvas.opening_bar(corner, ((end - none).abs(), THICKNESS), look, (read, &bar.opens[index]));
            // Behind the bar and the markers on its side.
            let air = if bar.beside.is_empty() { 6.0 } else { RADIUS + 5.0 };
            let marks = bar.changes().map(|change| self.rows.x(change));
            let (at, align) = if end < none {
                (marks.fold(end, f64::min) - air, Align::Right)
            } else {
                (marks.fold(end, f64::max) + air, Align::Left)
            };
            let style = Type::small(Ink::Text).align(align);
            if value != 0.0 {
                canvas.text((at, middle), &signed(value), style);
            } else if !bar.varies() && change == "more" {
                canvas.text((at, middle), "0 %", style);
            }
        }
        for (ends, marker) in bar.beside.iter().zip(PINNED) {
            for end in ends.map(|end| self.rows.x(end)) {
                canvas.marker((end, middle), marker, Ink::Paper, RADIUS + 1.5);
                canvas.marker((end, middle), marker, Ink::Text, RADIUS);
            }
        }
    }
}
