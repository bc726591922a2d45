//! Named lines over one another: the common part of charts with two axes.

use super::axis::Axis;
use super::canvas::{Canvas, Drawing, draw};
use super::labels::{Labels, Mark};
use super::legend::{Key, Legend};
use super::plot::{MARGIN, Plot, Scale};
use super::rules::Rules;
use crate::figure::MOST_PINNED;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::{Size, blank, positive};

/// A line through points, in the order in which they are given.
#[derive(Clone, Debug)]
pub(in crate::figure) struct Line {
    pub(in crate::figure) name: String,
    pub(in crate::figure) points: Vec<(f64, f64)>,
    /// Configuration and link, without `#`, of the question of each point; empty if points open none.
    pub(in crate::figure) opens: Vec<(String, String)>,
}

impl Line {
    /// This line, whose points open the questions with these links.
    #[must_use]
    pub(in crate::figure) fn opening(mut self, links: &[String]) -> Self {
        self.opens = links.iter().map(|link| (String::new(), link.clone())).collect();
        self
    }
}

/// Points in addition to the lines. Each opens a question.
#[derive(Clone, Debug)]
pub(in crate::figure) struct Dots {
    /// Text in the legend.
    pub(in crate::figure) name: String,
    /// Name, coordinates and link, without `#`, of each point.
    pub(in crate::figure) points: Vec<(String, (f64, f64), String)>,
}

/// A chart of lines on logarithmic axes.
pub(in crate::figure) struct Lines<'a> {
    pub(in crate::figure) x: Scale<'a>,
    pub(in crate::figure) y: Scale<'a>,
    pub(in crate::figure) curves: Vec<Line>,
    /// Points with a label each; the first is the one that a reader looks for.
    pub(in crate::figure) marks: Vec<(String, (f64, f64))>,
    /// Points of pinned questions, each with an entry in the legend.
    pub(in crate::figure) pinned: Vec<(String, (f64, f64))>,
    /// Points without labels, which share one entry of the legend.
    pub(in crate::figure) dots: Option<Dots>,
    /// Horizontal lines and their meanings.
    pub(in crate::figure) limits: Vec<(String, f64)>,
    /// Vertical lines and their meanings.
    pub(in crate::figure) posts: Vec<(String, f64)>,
}

/// Top of the plot, and its least height: a drawing with many keys is higher.
const TOP: f64 = 28.0;
const LEAST: f64 = 200.0;
/// Room for the names of posts, and for the label of a limit.
const NAMES: f64 = 60.0;
const LABEL: f64 = 18.0;

/// Dash patterns that can be distinguished; further lines reuse them.
const DASHES: [Dash; 3] = [Dash::Solid, Dash::Long, Dash::Short];

/// Markers of pinned questions.
pub(in crate::figure) const PINNED: [Marker; MOST_PINNED] = [Marker::Square, Marker::Triangle];

fn stroke(index: usize) -> Stroke {
    let ink = Ink::Series((index % 7) as u8 + 1);
    Stroke::solid(ink, 2.25).dashed(DASHES[index % DASHES.len()])
}

impl Lines<'_> {
    /// The drawing.
    pub(in crate::figure) fn drawing(&self, size: Size, finding: &str) -> Drawing {
        let drawable = |&&(x, y): &&(f64, f64)| positive(x) && positive(y);
        let dots = || self.dots.iter().flat_map(|dots| &dots.points);
        let lines = || self.curves.iter().flat_map(|line| &line.points);
        let pinned = || self.pinned.iter().zip(PINNED);
        let all = || {
            let others = dots().map(|dot| &dot.1).chain(self.pinned.iter().map(|pinned| &pinned.1));
            lines().chain(others).filter(drawable)
        };
        if all().next().is_none() {
            return blank(size, finding);
        }
        let mut legend = Legend::default();
        for (index, line) in self.curves.iter().enumerate() {
            legend.push(Key::Line(stroke(index)), &line.name);
        }
        legend.number_keys();
        if let Some(dots) = &self.dots {
            legend.push(Key::Point(Marker::Circle, Ink::Text), &dots.name);
        }
        for ((name, _), marker) in pinned() {
            legend.push(Key::Point(marker, Ink::Text), name);
        }
        let x = Axis::around(all().map(|point| point.0).chain(self.x.reach)).padded(0.02, 0.04);
        let limits = self.limits.iter().map(|limit| limit.1).filter(|limit| positive(*limit));
        let below_plot = 48.0 + legend.height(size.width() - 24.0);
        let height = size.height().max(TOP + LEAST + below_plot);
        let bottom = height - below_plot;
        // Names of posts have room above the lines, and a label has room below the lowest limit.
        let [names, label] = [(&self.posts, NAMES), (&self.limits, LABEL)]
            .map(|(texts, room)| if texts.is_empty() { 0.0 } else { room });
        let lines_height = bottom - TOP - names - label;
        let above = (names / lines_height).max(if self.posts.is_empty() { 0.12 } else { 0.24 });
        let below = (label / lines_height).max(0.06);
        let y = Axis::around(all().map(|point| point.1).chain(limits)).padded(below, above);
        let (left, right) = (Plot::margin(size), size.width() - MARGIN);
        let plot = Plot { x, y, left, right, top: TOP, bottom };
        draw((size.width(), height), finding, |canvas| {
            plot.axes(canvas, &self.x, &self.y);
            let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right, plot.bottom]);
            let [limits, posts] =
                [&self.limits, &self.posts].map(|rules| rules.iter().map(|(name, value)| (&**name, *value)));
            let rules = Rules::draw(canvas, &plot, &mut labels, limits, posts);
            for (index, line) in self.curves.iter().enumerate() {
                let placed: Vec<_> = line.points.iter().filter_map(|&(x, y)| plot.place(x, y)).collect();
                labels.take_path(&placed);
                canvas.within(legend.number(index), |canvas| {
                    plot.curve(canvas, line.points.iter().copied(), stroke(index));
                    // A line needs two points.
                    if let [only] = placed[..] {
                        canvas.marker(only, Marker::Circle, stroke(index).ink, 4.5);
                    }
                });
                for (index, point) in line.points.iter().enumerate() {
                    let opens = line.opens.get(index).cloned().unwrap_or_default();
                    plot.open_on_line(canvas, &line.name, *point, (&self.x, &self.y), opens);
                }
            }
            for (name, (x, y), link) in dots() {
                let Some(at) = plot.place(*x, *y) else { continue };
                canvas.marker(at, Marker::Circle, Ink::Paper, 4.5);
                canvas.marker(at, Marker::Circle, Ink::Text, 3.5);
                plot.open(canvas, name, (*x, *y), (&self.x, &self.y), (String::new(), link.clone()));
            }
            for ((name, (x, y)), marker) in pinned() {
                let Some(at) = plot.place(*x, *y) else { continue };
                labels.mark(Mark { at, radius: 5.5 });
                canvas.marker(at, marker, Ink::Paper, 7.0);
                canvas.marker(at, marker, Ink::Text, 5.5);
                plot.open_on_line(canvas, name, (*x, *y), (&self.x, &self.y), Default::default());
            }
            for (mark, _) in self.marked(&plot) {
                labels.mark(mark);
            }
            rules.write(canvas, &plot, &mut labels);
            self.marks(canvas, &plot, labels);
            legend.draw(canvas, (12.0, plot.bottom + 46.0), size.width() - 24.0);
        })
    }

    /// The marks within the plot, with their labels.
    fn marked(&self, plot: &Plot) -> impl Iterator<Item = (Mark, &str)> {
        self.marks.iter().filter_map(|(name, (x, y))| {
            let at = plot.place(*x, *y)?;
            Some((Mark { at, radius: 5.5 }, &**name))
        })
    }

    /// Draws the marks, whose places `labels` has.
    fn marks(&self, canvas: &mut Canvas<'_>, plot: &Plot, mut labels: Labels) {
        let mut named = Vec::new();
        for (mark, name) in self.marked(plot) {
            canvas.marker(mark.at, Marker::Diamond, Ink::Paper, 7.0);
            canvas.marker(mark.at, Marker::Diamond, Ink::Text, 5.5);
            named.push((name, mark));
        }
        labels.write(canvas, &named);
    }
}
