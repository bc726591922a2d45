//! How much faster each hardware generation is.

use crate::figure::backend::{Dash, Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Align, Canvas, Drawing, Type};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::{Size, blank, positive};
use crate::figure::{Cell, Figure, Table};
use crate::generations::Generation;
use crate::units::format::times;
use crate::workload::Recompute;

/// Two bars per accelerator, the first of which is 1: the same job, and the best that it can do.
pub fn speedup(generations: &[Generation], size: Size) -> Figure {
    let finding = finding(generations);
    let values: Vec<f64> = generations.iter().flat_map(speedups).flatten().collect();
    let drawing = match Chart::of(generations, &values, size) {
        Some(chart) => chart.drawing(&finding),
        None => blank(size, &finding),
    };
    Figure {
        id: "speedup".into(),
        title: "How much faster each generation trains".to_owned(),
        finding,
        table: table(generations),
        assumptions: vec![
            "Speed-ups are in tokens per second and GPU; batch, GPU count and parallel degrees stay"
                .to_owned(),
            "The best is the fastest of the number formats, microbatches and recomputations that fit"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// The speed-ups on the same job and at the best that can be drawn.
fn speedups(generation: &Generation) -> [Option<f64>; 2] {
    [generation.same_speedup, generation.best_speedup].map(|speedup| speedup.filter(|value| positive(*value)))
}

fn recompute(recompute: Recompute) -> &'static str {
    match recompute {
        Recompute::None => "no recomputation",
        Recompute::Selective => "selective recomputation",
        Recompute::Full => "full recomputation",
    }
}

fn finding(generations: &[Generation]) -> String {
    let fastest = |index: usize| {
        generations
            .iter()
            .filter_map(|generation| Some((generation, speedups(generation)[index]?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let Some(reference) = generations.first() else {
        return "There is no accelerator to compare.".to_owned();
    };
    let best = fastest(1).map(|(generation, speedup)| {
        let format =
            generation.best.as_ref().map_or(String::new(), |best| format!(" in {},", best.precision.name()));
        let (name, reference) = (&generation.name, &reference.name);
        format!("At its own best,{format} {name} trains {} as fast as {reference}", times(speedup))
    });
    let same = fastest(0).map(|(generation, speedup)| {
        format!("on the same job {} leads with {}", generation.name, times(speedup))
    });
    match (best, same) {
        (Some(best), Some(same)) => format!("{best}; {same}."),
        (Some(only), None) => format!("{only}; none runs the job as asked."),
        (None, Some(only)) => format!("Relative to {}, {only}.", reference.name),
        (None, None) => "No accelerator runs this job.".to_owned(),
    }
}

fn table(generations: &[Generation]) -> Table {
    let mut table = Table::new([
        ("Accelerator", None),
        ("Year", None),
        ("Same job", Some("×")),
        ("At its best", Some("×")),
        ("Best format", None),
        ("Best microbatch", None),
        ("Best recomputation", None),
        ("Why not the same job", None),
    ]);
    let number =
        |value: Option<f64>| value.map_or_else(Cell::none, |value| Cell::number(value, times(value)));
    for generation in generations {
        let best = generation.best.as_ref();
        table.push([
            Cell::text(&generation.name),
            Cell::number(f64::from(generation.year), generation.year.to_string()),
            number(generation.same_speedup),
            number(generation.best_speedup),
            best.map_or_else(Cell::none, |best| Cell::text(best.precision.name())),
            best.map_or_else(Cell::none, |best| {
                Cell::number(f64::from(best.microbatch), best.microbatch.to_string())
            }),
            best.map_or_else(Cell::none, |best| Cell::text(recompute(best.recompute))),
            Cell::text(generation.why_not.as_deref().unwrap_or_default()),
        ]);
    }
    table
}

/// Beyond this factor between the largest and the least, short bars would vanish on a linear axis.
const LOGARITHMIC_FROM: f64 = 40.0;
const TOP: f64 = 26.0;
const THICKNESS: f64 = 15.0;
const STYLES: [(Ink, Hatch); 2] = [(Ink::Series(1), Hatch::Plain), (Ink::Series(2), Hatch::Rising)];

/// The line at 1.
const REFERENCE: Stroke = Stroke::solid(Ink::Text, 1.5).dashed(Dash::Short);

struct Chart<'a> {
    generations: &'a [Generation],
    rows: Rows,
    /// Where bars start: at 0, or on a logarithmic axis at 1.
    base: f64,
    legend: Legend,
}

impl<'a> Chart<'a> {
    fn of(generations: &'a [Generation], values: &[f64], size: Size) -> Option<Self> {
        let largest = values.iter().copied().reduce(f64::max)?;
        let least = values.iter().copied().reduce(f64::min)?;
        let logarithmic = largest / least > LOGARITHMIC_FROM;
        let axis = if logarithmic {
            Axis::around([least, largest, 1.0]).padded(0.02, 0.0)
        } else {
            Axis::from_zero([largest, 1.0])
        };
        let mut legend = Legend::default();
        for ((ink, hatch), meaning) in STYLES.into_iter().zip(["Same job", "At its own best"]) {
            legend.push(Key::Area(ink, hatch), meaning);
        }
        // Behind the longest bar there is room for its value and what makes it the best.
        let (pitch, left, right) = match size {
            Size::Wide => (2.0 * THICKNESS + 12.0, 172.0, 612.0),
            Size::Narrow => (2.0 * THICKNESS + 32.0, 12.0, 210.0),
        };
        let rows = Rows { size, count: generations.len(), top: TOP, pitch, axis, left, right };
        Some(Self { generations, rows, base: if logarithmic { 1.0 } else { 0.0 }, legend })
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let row =
            |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, &self.generations[index]);
        self.rows.drawing(finding, &self.legend, |canvas| self.axis(canvas), row)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let rows = &self.rows;
        rows.factors(canvas);
        let scale = if self.base > 0.0 { ", logarithmic" } else { "" };
        let middle = if rows.size == Size::Wide { rows.middle() } else { rows.size.width() / 2.0 };
        rows.title(canvas, middle, &format!("Tokens per second and GPU, relative{scale}"));
        let one = self.rows.x(1.0);
        canvas.line((one, TOP - 6.0), (one, TOP), REFERENCE);
        let name = self.generations.first().map_or("", |reference| reference.name.as_str());
        let style = Type::small(Ink::Text);
        let text = style.fit(&format!("{name} = 1"), self.rows.size.width() - one - 8.0);
        canvas.text((one - 4.0, TOP - 15.0), &text, style);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, generation: &Generation) {
        let first = match self.rows.size {
            Size::Wide => {
                let style = Type::label().align(Align::Right);
                let name = style.fit(&generation.name, self.rows.left - 16.0);
                canvas.text((self.rows.left - 8.0, top + self.rows.pitch / 2.0), &name, style);
                top + 6.0
            }
            Size::Narrow => {
                let style = Type::label();
                let name = style.fit(&generation.name, self.rows.size.width() - self.rows.left);
                canvas.text((self.rows.left, top + 13.0), &name, style);
                top + 23.0
            }
        };
        let start = self.rows.x(self.base);
        // Where names are above bars, a line from row to row would run through them.
        let one = self.rows.x(1.0);
        let beyond = if self.rows.size == Size::Wide { 6.0 } else { 3.0 };
        canvas.line((one, first - beyond), (one, first + 2.0 * THICKNESS + beyond), REFERENCE);
        for (index, speedup) in speedups(generation).into_iter().enumerate() {
            let middle = first + THICKNESS * (index as f64 + 0.5);
            let mut text_from = start;
            if let Some(value) = speedup {
                let end = self.rows.x(value);
                let (ink, hatch) = STYLES[index];
                let size = ((end - start).abs().max(1.5), THICKNESS - 1.5);
                canvas.rectangle((start.min(end), middle - size.1 / 2.0), size, ink, hatch);
                text_from = start.max(end);
            }
            let style = Type::small(if speedup.is_some() { Ink::Text } else { Ink::Muted });
            let room = self.rows.size.width() - text_from - 8.0;
            let text = style.fit(&self.note(generation, index, speedup), room);
            canvas.text((text_from + 6.0, middle), &text, style);
        }
    }

    /// What stands behind a bar, or in its place.
    fn note(&self, generation: &Generation, index: usize, speedup: Option<f64>) -> String {
        let Some(value) = speedup else {
            return match (&generation.why_not, index) {
                (Some(reason), 0) => reason.clone(),
                _ => "does not run".to_owned(),
            };
        };
        match (&generation.best, index, self.rows.size) {
            (Some(best), 1, Size::Wide) => {
                format!("{} {}, microbatch {}", times(value), best.precision.name(), best.microbatch)
            }
            (Some(best), 1, Size::Narrow) => format!("{} {}", times(value), best.precision.name()),
            _ => times(value),
        }
    }
}
