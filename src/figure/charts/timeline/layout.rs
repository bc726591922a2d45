//! What is drawn of a step, and where: the stages that are rows, and the intervals of time.

use std::ops::Range;

use super::mark::{Mark, marks};
use crate::figure::frame::Size;
use crate::plan::StageTask;
use crate::training::timeline::{Span, Timeline};

/// An interval of the step and its position in the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Its beginning, s.
    pub(super) from: f64,
    /// Its end, s.
    pub(super) to: f64,
    /// Left edge in the drawing.
    pub(super) left: f64,
    /// Right edge in the drawing.
    pub(super) right: f64,
}

impl Window {
    /// Position of a time.
    pub(super) fn x(&self, time: f64) -> f64 {
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
/// Upper edge of the rows.
pub(super) const TOP: f64 = 12.0;
/// Width of the break between two windows.
pub(super) const BREAK: f64 = 26.0;
/// Width beside the rows' right edge.
pub(super) const RIGHT: f64 = 16.0;

/// What is drawn of a step, and where.
pub(super) struct Layout<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) size: Size,
    /// The drawn stages: a selection, if there are many.
    pub(super) stages: Vec<usize>,
    /// The drawn intervals: the whole step, or its beginning and its end.
    pub(super) windows: Vec<Window>,
    /// Microbatches that begin within the break.
    pub(super) hidden: u32,
}

impl<'a> Layout<'a> {
    /// Chooses rows and intervals with as many marks as can be drawn.
    pub(super) fn new(timeline: &'a Timeline, size: Size) -> Self {
        let mut layout = Self { timeline, size, stages: Vec::new(), windows: Vec::new(), hidden: 0 };
        let whole = 0.0..timeline.shown().get();
        layout.choose(MOST_ROWS);
        let shown = whole.end;
        if layout.count(std::slice::from_ref(&whole)) <= MOST_MARKS {
            layout.show(&[whole]);
            return layout;
        }
        let (first, last) = layout.ends();
        let parts = [0.0..first, last..shown];
        // Reduce the rows before cropping the beginning and the end.
        if first < last && layout.reduce_rows(&parts) {
            layout.show(&parts);
        } else if layout.reduce_rows(std::slice::from_ref(&whole)) {
            layout.show(&[whole]);
        } else {
            layout.crop();
        }
        layout
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
    pub(super) fn visit(&self, mut visit: impl FnMut(usize, Mark)) {
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

    /// Left edge of the rows.
    pub(super) fn left(&self) -> f64 {
        match self.size {
            Size::Wide | Size::Medium => 76.0,
            Size::Narrow => 34.0,
        }
    }

    /// Lower edge of the rows.
    pub(super) fn bottom(&self) -> f64 {
        TOP + self.row() * self.stages.len() as f64
    }

    /// Height of a row.
    pub(super) fn row(&self) -> f64 {
        (400.0 / self.stages.len().max(1) as f64).clamp(24.0, 44.0)
    }
}
