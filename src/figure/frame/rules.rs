//! Reference lines of a plot: horizontal ones are limits, vertical ones posts. Labels are placed where they cover no other text.

use super::canvas::Canvas;
use super::labels::{Area, HALF, LABELS, Labels};
use super::plot::Plot;
use crate::figure::backend::{Dash, Ink, Stroke};

/// Side of a horizontal line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Side {
    Above,
    Below,
}

/// Labels of the reference lines that were drawn. They are written after the curves.
pub(in crate::figure) struct Rules<'a> {
    /// Labels and y coordinates of the horizontal lines within the plot.
    limits: Vec<(&'a str, f64)>,
    /// Labels of the vertical lines, with their positions; lines without room for a label are left out.
    posts: Vec<(String, (f64, f64))>,
}

/// Label of a reference line, and its value on the axis.
pub(in crate::figure) type Rule<'a> = (&'a str, f64);

const LIMIT: Stroke = Stroke::solid(Ink::Text, 1.25).dashed(Dash::Dotted);
const POST: Stroke = Stroke::solid(Ink::Muted, 1.0).dashed(Dash::Dotted);
/// Distance of two horizontal lines below which one label has room between them, pixels.
const ONE_LABEL: f64 = 34.0;
/// Rows of labels of vertical lines.
const LINES: usize = 4;

impl<'a> Rules<'a> {
    /// Draws the reference lines and reserves their areas and those of the vertical lines' labels.
    pub(in crate::figure) fn draw(
        canvas: &mut Canvas<'_>,
        plot: &Plot,
        labels: &mut Labels,
        limits: impl Iterator<Item = Rule<'a>>,
        posts: impl Iterator<Item = Rule<'a>>,
    ) -> Self {
        let limits: Vec<(&str, f64)> =
            limits.filter_map(|(name, limit)| Some((name, plot.up(plot.y.at(limit)?)))).collect();
        for (_, y) in &limits {
            canvas.line((plot.left, *y), (plot.right, *y), LIMIT);
            labels.take_line((plot.left, *y), (plot.right, *y));
        }
        let mut named = Vec::new();
        let mut free_from = [f64::NEG_INFINITY; LINES];
        for (name, post) in posts {
            let Some(at) = plot.x.at(post) else { continue };
            let x = plot.across(at);
            canvas.line((x, plot.bottom), (x, plot.top), POST);
            let name = LABELS.fit(name, plot.right - plot.left);
            let width = LABELS.width(&name);
            let start = (x + 3.0).min(plot.right - width);
            // Names that overlap are placed on lines below one another; names without a free line are in the table.
            let Some(line) = free_from.iter().position(|free| start > *free) else { continue };
            free_from[line] = start + width + 6.0;
            let y = plot.top + 8.0 + 15.0 * line as f64;
            labels.take([start, y - 8.0, start + width, y + 8.0]);
            named.push((name, (start, y)));
        }
        Self { limits, posts: named }
    }

    /// Writes the labels of the vertical lines, then those of the horizontal lines where `labels` has room.
    pub(in crate::figure) fn write(self, canvas: &mut Canvas<'_>, plot: &Plot, labels: &mut Labels) {
        for (name, at) in self.posts {
            canvas.text(at, &name, LABELS);
        }
        for (name, y) in &self.limits {
            let near = |below: f64| (1.0..ONE_LABEL).contains(&below);
            let away =
                match [1.0, -1.0].map(|sign| self.limits.iter().any(|(_, other)| near(sign * (other - y)))) {
                    [true, false] => Some(Side::Above),
                    [false, true] => Some(Side::Below),
                    _ => None,
                };
            labels.write_on_line(canvas, *y, &LABELS.fit(name, plot.right - plot.left - 12.0), away);
        }
    }
}

impl Labels {
    /// Writes the label of a horizontal line above or below it, as far left as nothing is covered. If there is no such place,
    /// it may cross lines, but no text; the label is left out if every place has text. `away` is the side without a near line,
    /// if the other side has one: two near lines have room for one label between them, so labels keep to these sides if they can.
    pub(in crate::figure) fn write_on_line(
        &mut self,
        canvas: &mut Canvas<'_>,
        line: f64,
        name: &str,
        away: Option<Side>,
    ) {
        const STEP: f64 = 12.0;
        let [left, _, right, _] = self.bounds;
        let width = LABELS.width(name);
        let area = |left: f64, up: f64| {
            let middle = line + up;
            [left, middle - HALF, left + width, middle + HALF]
        };
        let places = ((right - left - width).max(0.0) / STEP) as u32;
        let on = |side: Side| {
            let middle = if side == Side::Above { -9.0 } else { 9.0 };
            (0..=places).map(move |place| area(left + 6.0 + f64::from(place) * STEP, middle))
        };
        let found = |candidates: Vec<Area>| {
            let free = candidates.iter().find(|area| self.is_free(area, None));
            free.or_else(|| candidates.iter().find(|area| self.has_no_text(area, None))).copied()
        };
        let all = || found(on(Side::Above).chain(on(Side::Below)).collect());
        let Some(area) = away.and_then(|side| found(on(side).collect())).or_else(all) else { return };
        canvas.text((area[0], f64::midpoint(area[1], area[3])), name, LABELS);
        self.take(area);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::canvas::draw;
    use crate::figure::frame::labels::touch;

    #[test]
    fn labels_of_lines_close_together_do_not_overlap() {
        let mut labels = Labels::within([0.0, 0.0, 240.0, 300.0]);
        // A curve that crosses both lines leaves no place that covers nothing.
        labels.take_path(&[(0.0, 60.0), (80.0, 160.0), (160.0, 60.0), (240.0, 160.0)]);
        for line in [100.0, 108.0] {
            labels.take_line((0.0, line), (240.0, line));
        }
        draw((240.0, 300.0), "", |canvas| {
            for line in [100.0, 108.0] {
                labels.write_on_line(canvas, line, "a label of some length", None);
            }
        });
        let [first, second] = labels.taken[..] else { panic!("two labels") };
        assert!(!touch(&first, &second), "{first:?} {second:?}");
    }

    /// The upper of two near lines keeps its label above it, where a curve is, so that the lower one has room.
    #[test]
    fn labels_of_near_lines_keep_to_their_sides() {
        let mut labels = Labels::within([0.0, 0.0, 240.0, 140.0]);
        labels.take_path(&[(0.0, 88.0), (240.0, 88.0)]);
        draw((240.0, 140.0), "", |canvas| {
            labels.write_on_line(canvas, 100.0, "the upper of two labels", Some(Side::Above));
            labels.write_on_line(canvas, 112.0, "the lower of two labels", Some(Side::Below));
        });
        let [upper, lower] = labels.taken[..] else { panic!("two labels") };
        assert!(upper[3] < 100.0 && lower[1] > 112.0, "{upper:?} {lower:?}");
    }
}
