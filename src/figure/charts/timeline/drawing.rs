//! The drawing of a layout: rows, marks, time axis and legend.

use super::layout::{BREAK, Layout, RIGHT, TOP};
use super::mark::{Kind, Mark};
use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::ticks::{self, Grid};
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, within};
use crate::units::{Seconds, format};

impl Layout<'_> {
    /// The drawing, labelled with the finding.
    pub(super) fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        let (mut kinds, mut drawn) = ([false; 5], Vec::new());
        self.visit(|row, mark| {
            kinds[mark.kind as usize] = true;
            drawn.push((row, mark));
        });
        // Sends may run beside passes, and are drawn over them.
        let (sends, passes): (Vec<_>, Vec<_>) =
            drawn.into_iter().partition(|(_, mark)| mark.kind == Kind::Send);
        for kind in Kind::ALL.into_iter().filter(|kind| kinds[*kind as usize]) {
            legend.push(Key::Area(kind.ink(), Hatch::Plain), kind.meaning());
        }
        let width = self.size.width() - 24.0;
        let top = self.bottom() + 50.0;
        let height = top + legend.height(width) + 4.0;
        draw((self.size.width(), height), finding, |canvas| {
            self.rows(canvas);
            for (row, mark) in passes.iter().chain(&sends) {
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
