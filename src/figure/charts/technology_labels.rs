//! Memory technologies above a chart: a line at the bandwidth of each, with its name.

use crate::figure::backend::{Dash, Ink, Stroke};
use crate::figure::frame::Size;
use crate::figure::frame::canvas::Canvas;
use crate::figure::frame::plot::Plot;
use crate::figure::frame::typography::Type;
use crate::order::largest_first;

const LABELS: Type = Type::small(Ink::Text);

/// Height of a line of labels.
pub(super) const LABEL_LINE: f64 = 15.0;
/// Maximum number of technologies that can be distinguished.
const MOST_TECHNOLOGIES: usize = 24;

/// A memory technology's line and label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Technology<'a> {
    name: &'a str,
    x: f64,
    /// Left end of the label.
    left: f64,
    right: f64,
    /// Line of labels that it is in, counted upwards from the plot.
    pub(super) line: usize,
}

impl Technology<'_> {
    /// Height of the label.
    fn level(&self, plot: &Plot) -> f64 {
        plot.top - LABEL_LINE * (self.line as f64 + 0.5) - 3.0
    }

    /// Draws the line from the axis to the label.
    pub(super) fn line(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let stroke = Stroke::solid(Ink::Muted, 1.0).dashed(Dash::Dotted);
        canvas.line((self.x, plot.bottom), (self.x, self.level(plot) + 6.0), stroke);
    }

    /// Writes the label.
    pub(super) fn label(&self, canvas: &mut Canvas<'_>, plot: &Plot, size: Size) {
        canvas.text((self.left, self.level(plot)), &LABELS.fit(self.name, size.width()), LABELS);
    }
}

/// Places labels from right to left, each at its line and above all labels that it would touch; a line then
/// crosses no label but where the drawing's edge pushed one aside.
pub(super) fn place<'a>(technologies: &[(&'a str, f64)], plot: &Plot, size: Size) -> Vec<Technology<'a>> {
    let within: Vec<(&str, f64)> = technologies
        .iter()
        .filter_map(|(name, bandwidth)| Some((*name, plot.across(plot.x.at(*bandwidth)?))))
        .take(MOST_TECHNOLOGIES)
        .collect();
    let within = largest_first(&within, |(_, x)| *x);
    let mut placed: Vec<Technology<'_>> = Vec::with_capacity(within.len());
    for (name, x) in within {
        let width = LABELS.width(name).min(size.width());
        let left = (x - 3.0).min(size.width() - width - 4.0).max(0.0);
        let right = left + width + 6.0;
        let touched = placed.iter().filter(|other| other.left < right && left < other.right);
        let line = touched.map(|other| other.line + 1).max().unwrap_or(0);
        placed.push(Technology { name, x, left, right, line });
    }
    placed
}
