//! Ticks of a horizontal axis whose labels have room beside each other.

use super::axis::{Axis, Tick};
use super::canvas::Canvas;
use super::ticks::{Grid, LEAST};
use super::typography::{Align, Type};
use crate::figure::backend::{Ink, Stroke};

/// Pixels between two labels.
const GAP: f64 = 4.0;

/// Choices of ticks, in the order in which they are tried: factor on their usual number, and true for equal distances.
const CHOICES: [(usize, bool); 4] = [(1, false), (4, false), (2, true), (4, true)];

/// Powers of a thousand at the end of a number, and their letters.
const POWERS: [(&str, &str); 4] =
    [(",000,000,000,000", "T"), (",000,000,000", "B"), (",000,000", "M"), (",000", "k")];

/// Style of the labels.
const STYLE: Type = Type::small(Ink::Muted).align(Align::Centre);

/// A horizontal axis with its place in a drawing.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) struct Level {
    pub(in crate::figure) axis: Axis,
    pub(in crate::figure) grid: Grid,
    /// Usual distance of labels.
    pub(in crate::figure) each: f64,
    /// Both ends of the axis.
    pub(in crate::figure) ends: (f64, f64),
    /// Top and bottom of the grid lines.
    pub(in crate::figure) lines: (f64, f64),
    /// Distance of the labels' middle from the bottom of the lines.
    pub(in crate::figure) below: f64,
}

impl Level {
    /// Draws the grid lines, and the labels of those with room.
    pub(in crate::figure) fn draw(&self, canvas: &mut Canvas<'_>, label: &dyn Fn(f64) -> String) {
        let ((left, right), (top, bottom)) = (self.ends, self.lines);
        let Labelled { ticks, labels } = self.labelled(canvas.width(), label);
        for tick in ticks {
            let at = left + tick.at * (right - left);
            let width = if tick.labelled { 1.0 } else { 0.5 };
            canvas.line((at, top), (at, bottom), Stroke::solid(Ink::Grid, width));
        }
        for (at, label) in labels {
            canvas.text((at, bottom + self.below), &label, STYLE);
        }
    }
}

/// Ticks, and the labels of those with room: centre and text.
struct Labelled {
    ticks: Vec<Tick>,
    labels: Vec<(f64, String)>,
}

impl Level {
    /// The ticks of the axis. Where fewer than three labels have room, other ticks are tried, then shorter labels (`5 M` for
    /// `5,000,000`).
    fn labelled(&self, width: f64, label: &dyn Fn(f64) -> String) -> Labelled {
        let &Self { axis, grid, ends: (left, right), .. } = self;
        let most = ((right - left) / self.each) as usize;
        let mut best = Labelled { ticks: Vec::new(), labels: Vec::new() };
        for short in [false, true] {
            let text = |value: f64| if short { shortened(&label(value)) } else { label(value) };
            for (finer, even) in CHOICES {
                let ticks =
                    if even { axis.even_ticks(grid, finer * most) } else { axis.ticks(grid, finer * most) };
                let labels = self.apart(&ticks, width, &text);
                if best.ticks.is_empty() || labels.len() > best.labels.len() {
                    best = Labelled { ticks, labels };
                }
                if best.labels.len() >= LEAST {
                    return best;
                }
            }
        }
        best
    }

    /// The labels that have room in a drawing of this width, from the left.
    fn apart(&self, ticks: &[Tick], width: f64, text: &dyn Fn(f64) -> String) -> Vec<(f64, String)> {
        let (left, right) = self.ends;
        let mut labels = Vec::new();
        let mut free_from = f64::NEG_INFINITY;
        for tick in ticks.iter().filter(|tick| tick.labelled) {
            let text = text(tick.value);
            let half = STYLE.width(&text) / 2.0;
            let at = (left + tick.at * (right - left)).min(width - half).max(half);
            if !text.is_empty() && at - half > free_from {
                free_from = at + half + GAP;
                labels.push((at, text));
            }
        }
        labels
    }
}

/// A label whose number ends in thousands, with their letter instead: `5 M` for `5,000,000`.
fn shortened(label: &str) -> String {
    let (number, unit) = label.split_once(' ').unwrap_or((label, ""));
    let mut powers =
        POWERS.iter().filter_map(|(zeros, letter)| Some(format!("{} {letter}", number.strip_suffix(zeros)?)));
    match powers.next() {
        None => label.to_owned(),
        Some(short) if unit.is_empty() => short,
        Some(short) => format!("{short} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::{brief, ticks};
    use crate::units::format;

    /// Width of a narrow chart.
    const NARROW: f64 = 320.0;

    fn drawn(axis: Axis, grid: Grid) -> Vec<String> {
        let level = Level { axis, grid, each: 60.0, ends: (64.0, 304.0), lines: (0.0, 0.0), below: 0.0 };
        let label = |value: f64| match grid {
            Grid::Decimal => brief(&format::digits(value)),
            Grid::Time => ticks::time(value),
        };
        let Labelled { ticks, labels } = level.labelled(NARROW, &label);
        let ends =
            labels.iter().map(|(at, text)| (at - STYLE.width(text) / 2.0, at + STYLE.width(text) / 2.0));
        let ends: Vec<(f64, f64)> = ends.collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "{labels:?}");
        assert!(ends.last().is_none_or(|end| end.1 <= NARROW + 1e-9) && labels.len() <= ticks.len());
        labels.into_iter().map(|label| label.1).collect()
    }

    #[test]
    fn usual_axes_have_their_usual_labels() {
        assert_eq!(drawn(Axis::linear(0.0, 80.0), Grid::Decimal), ["0", "20", "40", "60", "80"]);
        assert_eq!(drawn(Axis::log(0.3, 30.0), Grid::Decimal), ["0.5", "1", "2", "5", "10", "20"]);
    }

    /// Wide labels, or labels that lie close together, leave room for three after all.
    #[test]
    fn three_labels_have_room() {
        let day = 86_400.0;
        for (axis, grid) in [
            (Axis::linear(2e5, 2.13e7), Grid::Decimal),
            (Axis::log(2.7e5, 1.02e9), Grid::Decimal),
            (Axis::log(7.4e6, 1.47e8), Grid::Decimal),
            (Axis::log(59.0 * day, 202.0 * day), Grid::Time),
            (Axis::log(3.5 * day, 1_839.0 * day), Grid::Time),
        ] {
            let labels = drawn(axis, grid);
            assert!(labels.len() >= LEAST, "{axis:?}: {labels:?}");
        }
    }

    #[test]
    fn every_usual_range_has_three_labels() {
        // Ranges of all sizes, from values of some thousandths to some millions, or from 1 ms to ten years.
        for place in 0..500 {
            let low = 1e-3 * libm::pow(10.0, 9.0 * f64::from(place % 100) / 100.0);
            let high = low * libm::pow(10.0, 0.31 + 0.55 * f64::from(place / 100));
            for grid in [Grid::Decimal, Grid::Time] {
                for axis in [Axis::log(low, high), Axis::linear(0.0, high)] {
                    let labels = drawn(axis, grid);
                    assert!(labels.len() >= LEAST, "{axis:?} {grid:?}: {labels:?}");
                }
            }
        }
    }

    #[test]
    fn thousands_have_letters() {
        let short = ["5,000,000", "500", "20,000 years", "1,500,000", "$2,000"].map(shortened);
        assert_eq!(short, ["5 M", "500", "20 k years", "1,500 k", "$2 k"]);
    }
}
