//! A pipeline's step: the tasks of each stage over time, and its waits.

use std::ops::Range;

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Align, Canvas, Drawing, Type, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::ticks::{self, Grid};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::plan::{Slot, StageTask};
use crate::training::timeline::{Span, Timeline};
use crate::units::{Seconds, format};

/// Figure of the tasks of pipeline stages over a step, from the first forward to the last backward pass.
///
/// Steps of very many passes are shown from their beginning and to their end, with a break between.
pub fn timeline(timeline: &Timeline, size: Size) -> Figure {
    let finding = finding(timeline);
    let drawing = if positive(timeline.end().get()) {
        Chart::new(timeline, size).drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "timeline".into(),
        title: "Pipeline over a step".to_owned(),
        finding,
        table: table(timeline),
        assumptions: assumptions(timeline),
        ..drawing.into()
    }
}

/// Time of a stage by kind: forward, backward without weights, weights, sends; summed over the whole step.
fn shares(timeline: &Timeline, stage: usize) -> [Seconds; 4] {
    let mut sums = [Seconds::ZERO; 4];
    for span in timeline.stages.get(stage).into_iter().flatten() {
        let time = |task| timeline.pace.time(task);
        match span.task {
            StageTask::Forward(_) => sums[0] += span.end - span.start,
            StageTask::Backward(slot) => {
                sums[1] += time(StageTask::Input(slot));
                sums[2] += time(StageTask::Weight(slot));
            }
            StageTask::Input(_) => sums[1] += span.end - span.start,
            StageTask::Weight(_) => sums[2] += span.end - span.start,
            StageTask::Both { forward, backward } => {
                // Concurrency shortens both passes in the same proportion.
                let apart = time(StageTask::Forward(forward)) + time(StageTask::Backward(backward));
                let share = if positive(apart.get()) { (span.end - span.start) / apart } else { 0.0 };
                sums[0] += time(StageTask::Forward(forward)) * share;
                sums[1] += time(StageTask::Input(backward)) * share;
                sums[2] += time(StageTask::Weight(backward)) * share;
            }
        }
        sums[3] += span.sent - span.end;
    }
    sums
}

/// Idle time of each stage, as a fraction of the time shown.
fn waits(timeline: &Timeline) -> Vec<f64> {
    let shown = timeline.shown();
    (0..timeline.stages.len()).map(|stage| timeline.idle(stage) / shown).collect()
}

fn finding(timeline: &Timeline) -> String {
    let end = timeline.end();
    if !positive(end.get()) {
        return "The timeline has no tasks.".to_owned();
    }
    let stages = timeline.stages.len();
    // Microbatches that are not shown have no bubbles of their own.
    let scale = timeline.shown() / end;
    let waits: Vec<f64> = waits(timeline).into_iter().map(|wait| wait * scale).collect();
    let mean = waits.iter().sum::<f64>() / stages.max(1) as f64;
    let busiest = waits.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    let (busiest, least) = busiest.map_or((0, 0.0), |(stage, wait)| (stage, *wait));
    let microbatches = timeline.pipeline.microbatches.saturating_add(timeline.skipped);
    let whole = format!(
        "{} works through {microbatches} microbatch{} in {}",
        if stages == 1 { "One stage".to_owned() } else { format!("{} over {stages} stages", name(timeline)) },
        if microbatches == 1 { "" } else { "es" },
        format::time(end),
    );
    if stages == 1 {
        return format!("{whole}, without bubbles.");
    }
    format!(
        "{whole}; stages wait for {} of that on average, and stage {} waits least, {}.",
        format::percent(mean),
        busiest + 1,
        format::percent(least),
    )
}

fn name(timeline: &Timeline) -> String {
    let pipeline = &timeline.pipeline;
    match pipeline.interleave {
        1 => pipeline.schedule.name().to_owned(),
        chunks => format!("{} with {chunks} chunks per stage", pipeline.schedule.name()),
    }
}

fn assumptions(timeline: &Timeline) -> Vec<String> {
    let mut said = vec![
        "Every microbatch takes as long as any other; a stage does one thing at a time".to_owned(),
        "A message between stages occupies the stage that sends it; short ones are not drawn".to_owned(),
        "The reduction of gradients, the optimizer and the software's work between steps follow the drawn part"
            .to_owned(),
    ];
    if timeline.pace.again > 0.0 {
        said.push(
            "Recomputation is drawn before the backward pass; in fact both alternate layer by layer"
                .to_owned(),
        );
    }
    if timeline.pipeline.schedule.copies() > 1 {
        said.push("Passes that run at the same time hide each other's messages".to_owned());
    }
    said
}

fn table(timeline: &Timeline) -> Table {
    let mut table = Table::new([
        ("Stage", None),
        ("Forward", Some("s")),
        ("Backward", Some("s")),
        ("Gradients of weights", Some("s")),
        ("Sends", Some("s")),
        ("Waits", Some("s")),
        ("Of the step", Some("%")),
    ]);
    let shown = f64::from(timeline.pipeline.microbatches).max(1.0);
    let all = 1.0 + f64::from(timeline.skipped) / shown;
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    for stage in 0..timeline.stages.len() {
        let [forward, backward, weight, sends] = shares(timeline, stage).map(|sum| sum * all);
        let wait = timeline.end() - forward - backward - weight - sends;
        let share = wait / timeline.end();
        table.push([
            Cell::number(stage as f64 + 1.0, format!("{}", stage + 1)),
            time(forward),
            time(backward),
            time(weight),
            time(sends),
            time(wait),
            Cell::number(share * 100.0, format::percent(share)),
        ]);
    }
    table
}

/// Kind of a mark. Its position within the stage's row distinguishes kinds without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Forward,
    Again,
    Backward,
    Weight,
    Send,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Forward, Self::Backward, Self::Again, Self::Weight, Self::Send];

    const fn meaning(self) -> &'static str {
        match self {
            Self::Forward => "Forward (upper half)",
            Self::Again => "Recomputation (third quarter)",
            Self::Backward => "Backward (lower half)",
            Self::Weight => "Gradients of weights (last quarter)",
            Self::Send => "Sending (line)",
        }
    }

    const fn ink(self) -> Ink {
        match self {
            Self::Forward => Ink::Series(1),
            Self::Again => Ink::Series(4),
            Self::Backward => Ink::Series(2),
            Self::Weight => Ink::Series(3),
            Self::Send => Ink::Text,
        }
    }

    /// Upper edge and height as shares of the row's.
    const fn band(self) -> (f64, f64) {
        match self {
            Self::Forward => (0.0, 0.5),
            Self::Again => (0.5, 0.25),
            Self::Backward => (0.5, 0.5),
            Self::Weight => (0.75, 0.25),
            Self::Send => (0.45, 0.1),
        }
    }
}

/// A stretch of a stage's time.
#[derive(Clone, Copy, Debug)]
struct Mark {
    kind: Kind,
    from: f64,
    to: f64,
    microbatch: Option<u32>,
}

/// Visits the marks of a task.
fn marks(timeline: &Timeline, span: &Span, mut visit: impl FnMut(Mark)) {
    let (start, end) = (span.start.get(), span.end.get());
    let mut mark = |kind, from, to, slot: Option<Slot>| {
        // Messages that would be thinner than a line are not drawn.
        let least = if kind == Kind::Send { timeline.period.get() / 100.0 } else { 0.0 };
        if to - from > least {
            visit(Mark { kind, from, to, microbatch: slot.map(|slot| slot.microbatch) });
        }
    };
    if let StageTask::Forward(slot) | StageTask::Both { forward: slot, .. } = span.task {
        mark(Kind::Forward, start, end, Some(slot));
    }
    if let StageTask::Backward(slot) | StageTask::Input(slot) | StageTask::Both { backward: slot, .. } =
        span.task
    {
        let again = timeline.pace.time(StageTask::Input(slot)).get() * timeline.pace.again;
        let middle = (start + again).min(end);
        mark(Kind::Again, start, middle, None);
        mark(Kind::Backward, middle, end, Some(slot));
    }
    if let StageTask::Weight(slot) = span.task {
        mark(Kind::Weight, start, end, Some(slot));
    }
    mark(Kind::Send, end, span.sent.get(), None);
}

/// An interval of the step and its position in the drawing.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: f64,
    to: f64,
    left: f64,
    right: f64,
}

impl Window {
    fn x(&self, time: f64) -> f64 {
        self.left + (time - self.from) / (self.to - self.from) * (self.right - self.left)
    }
}

/// Maximum number of marks of a legible and light drawing.
const MOST_MARKS: usize = 960;
/// Maximum number of rows.
const MOST_ROWS: usize = 16;
/// Minimum number of rows. If the figure would have fewer, a shorter part of the step is shown.
const FEWEST_ROWS: usize = 6;
/// Microbatches of the steady state that are shown at either end.
const STEADY: f64 = 3.0;
const TOP: f64 = 12.0;
const BREAK: f64 = 26.0;
const RIGHT: f64 = 16.0;

struct Chart<'a> {
    timeline: &'a Timeline,
    size: Size,
    /// The drawn stages: a selection, if there are many.
    stages: Vec<usize>,
    windows: Vec<Window>,
    /// Microbatches that begin within the break.
    hidden: u32,
}

impl<'a> Chart<'a> {
    fn new(timeline: &'a Timeline, size: Size) -> Self {
        let mut chart = Self { timeline, size, stages: Vec::new(), windows: Vec::new(), hidden: 0 };
        let whole = 0.0..timeline.shown().get();
        chart.choose(MOST_ROWS);
        let shown = whole.end;
        if chart.count(std::slice::from_ref(&whole)) <= MOST_MARKS {
            chart.show(&[whole]);
            return chart;
        }
        let (first, last) = chart.ends();
        let parts = [0.0..first, last..shown];
        // Reduce the rows before cropping the beginning and the end.
        if first < last && chart.reduce_rows(&parts) {
            chart.show(&parts);
        } else if chart.reduce_rows(std::slice::from_ref(&whole)) {
            chart.show(&[whole]);
        } else {
            chart.crop();
        }
        chart
    }

    /// Chooses as many rows as can be drawn over these stretches of time, and returns whether there are enough.
    fn reduce_rows(&mut self, parts: &[Range<f64>]) -> bool {
        (FEWEST_ROWS..=MOST_ROWS).rev().any(|rows| {
            self.choose(rows);
            self.count(parts) <= MOST_MARKS
        })
    }

    /// Chooses at most `rows` stages: both ends, and some between them.
    fn choose(&mut self, rows: usize) {
        let count = self.timeline.stages.len();
        self.stages = if count <= rows {
            (0..count).collect()
        } else {
            (0..rows).map(|row| row * (count - 1) / (rows - 1)).collect()
        };
    }

    /// Until when the pipeline fills, and from when it drains, with some of the steady state.
    fn ends(&self) -> (f64, f64) {
        let backward = |span: &&Span| !matches!(span.task, StageTask::Forward(_));
        let forward = |span: &&Span| matches!(span.task, StageTask::Forward(_) | StageTask::Both { .. });
        let stages = || self.timeline.stages.iter();
        let filled = stages().filter_map(|spans| spans.iter().find(backward)).map(|span| span.start.get());
        let drained = stages().filter_map(|spans| spans.iter().rfind(forward)).map(|span| span.end.get());
        let steady = self.timeline.period.get() * STEADY;
        (filled.fold(0.0, f64::max) + steady, drained.fold(f64::INFINITY, f64::min) - steady)
    }

    /// Marks within stretches of time.
    fn count(&self, parts: &[Range<f64>]) -> usize {
        let mut count = 0;
        self.visit(|_, mark| {
            count += parts.iter().filter(|part| mark.from < part.end && part.start < mark.to).count();
        });
        count
    }

    /// All marks of the rows, with the row.
    fn visit(&self, mut visit: impl FnMut(usize, Mark)) {
        for (row, stage) in self.stages.iter().enumerate() {
            for span in &self.timeline.stages[*stage] {
                marks(self.timeline, span, |mark| visit(row, mark));
            }
        }
    }

    /// Crops the step to as much of its beginning and end as can be drawn.
    fn crop(&mut self) {
        let mut starts: Vec<f64> = Vec::new();
        self.visit(|_, mark| starts.push(mark.from));
        starts.sort_by(f64::total_cmp);
        let shown = self.timeline.shown().get();
        // The first three fifths of the marks that can be drawn, and the last two.
        let (first, last) = (MOST_MARKS * 3 / 5, MOST_MARKS * 2 / 5);
        match (starts.get(first), starts.len().checked_sub(last).and_then(|last| starts.get(last))) {
            (Some(&first), Some(&last)) if first < last => self.show(&[0.0..first, last..shown]),
            _ => self.show(&[0.0..shown]),
        }
    }

    /// Places one or two stretches of time side by side.
    fn show(&mut self, parts: &[Range<f64>]) {
        let (mut left, right) = (self.left(), self.size.width() - RIGHT);
        let room = right - left - BREAK * (parts.len() - 1) as f64;
        let sum: f64 = parts.iter().map(|part| part.end - part.start).sum();
        for part in parts {
            let end = left + room * (part.end - part.start) / sum;
            self.windows.push(Window { from: part.start, to: part.end, left, right: end });
            left = end + BREAK;
        }
        let [before, after] = parts else { return };
        let begins = |span: &&Span| {
            matches!(span.task, StageTask::Forward(_) | StageTask::Both { .. })
                && (before.end..after.start).contains(&span.start.get())
        };
        let begun = self.timeline.stages.first().map_or(0, |spans| spans.iter().filter(begins).count());
        let begun = begun as u32 / self.timeline.pipeline.interleave.max(1);
        self.hidden = begun.saturating_add(self.timeline.skipped);
    }

    fn left(&self) -> f64 {
        match self.size {
            Size::Wide | Size::Medium => 76.0,
            Size::Narrow => 34.0,
        }
    }

    fn bottom(&self) -> f64 {
        TOP + self.row() * self.stages.len() as f64
    }

    /// Height of a row.
    fn row(&self) -> f64 {
        (400.0 / self.stages.len().max(1) as f64).clamp(24.0, 44.0)
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        let (mut kinds, mut drawn) = ([false; 5], Vec::new());
        self.visit(|row, mark| {
            kinds[mark.kind as usize] = true;
            drawn.push((row, mark));
        });
        for kind in Kind::ALL.into_iter().filter(|kind| kinds[*kind as usize]) {
            legend.push(Key::Area(kind.ink(), Hatch::Plain), kind.meaning());
        }
        let width = self.size.width() - 24.0;
        let top = self.bottom() + 50.0;
        let height = top + legend.height(width) + 4.0;
        draw((self.size.width(), height), finding, |canvas| {
            self.rows(canvas);
            for (row, mark) in &drawn {
                self.mark(canvas, *row, mark);
            }
            self.axis(canvas);
            legend.draw(canvas, (12.0, top), width);
        })
    }

    fn rows(&self, canvas: &mut Canvas<'_>) {
        let style = Type::small(Ink::Text).align(Align::Right);
        let right = self.size.width() - RIGHT;
        for (row, stage) in self.stages.iter().enumerate() {
            let top = TOP + self.row() * row as f64;
            let label = match self.size {
                Size::Wide | Size::Medium => format!("Stage {}", stage + 1),
                Size::Narrow => format!("{}", stage + 1),
            };
            canvas.text((self.left() - 8.0, top + self.row() / 2.0), &label, style);
            canvas.line(
                (self.left(), top + self.row()),
                (right, top + self.row()),
                Stroke::solid(Ink::Grid, 1.0),
            );
        }
    }

    fn mark(&self, canvas: &mut Canvas<'_>, row: usize, mark: &Mark) {
        for window in &self.windows {
            let (from, to) = (mark.from.max(window.from), mark.to.min(window.to));
            if to <= from {
                continue;
            }
            let (left, right) = (window.x(from), window.x(to));
            // A gap separates neighbours if there is room for it.
            let gap = if right - left > 3.0 && mark.kind != Kind::Send { 0.75 } else { 0.0 };
            let (above, share) = mark.kind.band();
            let inner = self.row() - 4.0;
            let top = TOP + self.row() * row as f64 + 2.0 + above * inner;
            let size = (right - left - gap, share * inner - 0.5);
            canvas.bar((left, top), size, (mark.kind.ink(), Hatch::Plain), self.read(row, mark));
            let style = Type::small(Ink::Text).align(Align::Centre);
            let Some(microbatch) = mark.microbatch.filter(|_| size.1 >= 13.0) else { continue };
            let label = format!("{}", microbatch + 1);
            // All marks are numbered, or those that are wide enough for the largest number.
            let widest = format!("{}", self.timeline.pipeline.microbatches);
            if style.width(&widest) + 6.0 <= right - left {
                canvas.text((f64::midpoint(left, right), top + size.1 / 2.0), &label, style);
            }
        }
    }

    /// Read-out of a mark: stage, kind, microbatch, start and duration.
    fn read(&self, row: usize, mark: &Mark) -> String {
        let of = mark.microbatch.map_or_else(String::new, |index| format!(" of microbatch {}", index + 1));
        let [start, length] = [mark.from, mark.to - mark.from].map(|time| format::time(Seconds::new(time)));
        let kind = within(mark.kind.meaning());
        format!("Stage {}, {kind}{of}: {length} from {start}", self.stages[row] + 1)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let bottom = self.bottom();
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let edge = Stroke::solid(Ink::Muted, 1.0);
        for (place, window) in self.windows.iter().enumerate() {
            canvas.line((window.left, bottom), (window.right, bottom), edge);
            let axis = Axis::linear(0.0, window.to - window.from);
            let mut free = f64::NEG_INFINITY;
            let mut marked = axis.ticks(Grid::Time, ((window.right - window.left) / 70.0) as usize);
            if place > 0 {
                marked.reverse();
            }
            for tick in marked {
                let along = tick.at * (window.right - window.left);
                let time = ticks::time(tick.value);
                // Behind the break, time is counted back from the end.
                let (x, label) = match place {
                    0 => (window.left + along, time),
                    _ if tick.value <= 0.0 => (window.right, "end".to_owned()),
                    _ => (window.right - along, format!("−{time}")),
                };
                canvas.line((x, bottom), (x, bottom + 5.0), edge);
                let half = style.width(&label) / 2.0;
                let x = x.min(self.size.width() - half - 2.0);
                if x - half > free {
                    canvas.text((x, bottom + 15.0), &label, style);
                    free = x + half + 6.0;
                }
            }
        }
        let title = if let [before, _, ..] = self.windows[..] {
            // Two strokes where the axis is broken.
            let middle = before.right + BREAK / 2.0;
            for x in [middle - 4.0, middle + 4.0] {
                canvas.line((x - 3.0, bottom + 6.0), (x + 3.0, bottom - 6.0), edge);
                canvas.line((x, TOP), (x, bottom - 8.0), Stroke::solid(Ink::Grid, 1.0));
            }
            let hidden = format::grouped(f64::from(self.hidden));
            match self.size {
                Size::Wide => {
                    format!(
                        "Time; at the break {hidden} more microbatches are left out, then back from the end"
                    )
                }
                Size::Medium | Size::Narrow => format!("Time; break: {hidden} more microbatches"),
            }
        } else {
            "Time".to_owned()
        };
        let middle = f64::midpoint(self.left(), self.size.width() - RIGHT);
        let style = Type::small(Ink::Muted).align(Align::Centre);
        canvas.text((middle, bottom + 36.0), &style.fit(&title, self.size.width() - 8.0), style);
    }
}
