//! Clusters of horizontal bars: items, each with a bar of every series.

use super::axis::Axis;
use super::canvas::{Canvas, Drawing};
use super::legend::{Key, Legend};
use super::rows::Rows;
use super::stacks::look;
use super::typography::{Align, Type};
use super::{Size, blank, positive};
use crate::figure::backend::Ink;

/// Height of a bar, so that its value of 12 pixels beside it stays apart from the next.
const THICKNESS: f64 = 14.0;
/// Pixels between a bar and its value.
const GAP: f64 = 6.0;
const VALUE: Type = Type::small(Ink::Text);

/// A chart of factors in clusters of bars.
pub(in crate::figure) struct Clusters<'a> {
    /// Title of the axis.
    pub(in crate::figure) title: &'a str,
    /// Names of the series, in the legend.
    pub(in crate::figure) series: Vec<&'a str>,
    /// The items, in order.
    pub(in crate::figure) items: Vec<Cluster<'a>>,
    /// Text of a value.
    pub(in crate::figure) value: &'a dyn Fn(f64) -> String,
}

/// The bars of an item.
pub(in crate::figure) struct Cluster<'a> {
    /// Name of the item.
    pub(in crate::figure) name: &'a str,
    /// Value and link, without `#`, of the question of each series; `None` where a series lacks the item.
    pub(in crate::figure) bars: Vec<Option<(f64, &'a str)>>,
}

impl<'a> Cluster<'a> {
    /// The bars that can be drawn, with their series.
    fn shown(&self) -> impl Iterator<Item = (usize, f64, &'a str)> {
        let bars = self.bars.iter().enumerate();
        bars.filter_map(|(series, bar)| bar.map(|(value, link)| (series, value, link)))
            .filter(|(_, value, _)| positive(*value))
    }
}

impl Clusters<'_> {
    /// The drawing.
    pub(in crate::figure) fn drawing(&self, finding: &str, size: Size) -> Drawing {
        let values = || self.items.iter().flat_map(|item| item.shown().map(|(_, value, _)| value));
        if values().next().is_none() {
            return blank(size, finding);
        }
        let mut legend = Legend::default();
        for (series, name) in self.series.iter().enumerate() {
            let (ink, hatch) = look(series);
            legend.push(Key::Area(ink, hatch), *name);
        }
        legend.number_keys();
        let widest = values().map(|value| VALUE.width(&(self.value)(value))).fold(0.0, f64::max);
        let (left, above) = match size {
            Size::Wide => (172.0, 0.0),
            Size::Medium | Size::Narrow => (12.0, 20.0),
        };
        let rows = Rows {
            size,
            count: self.items.len(),
            top: 8.0,
            pitch: THICKNESS * self.series.len() as f64 + 12.0 + above,
            axis: Axis::from_zero(values()),
            left,
            right: (size.width() - widest - GAP - 2.0).max(left + 100.0),
        };
        let axis = |canvas: &mut Canvas<'_>| {
            rows.factors(canvas);
            rows.title(canvas, rows.middle(), self.title);
        };
        rows.drawing(finding, &legend, axis, |canvas, index, top| {
            self.cluster(canvas, &rows, (&self.items[index], above, top), &legend);
        })
    }

    fn cluster(
        &self,
        canvas: &mut Canvas<'_>,
        rows: &Rows,
        (item, above, top): (&Cluster<'_>, f64, f64),
        legend: &Legend,
    ) {
        let style = Type::label();
        if above > 0.0 {
            let name = style.fit(item.name, rows.size.width() - 12.0 - rows.left);
            canvas.text((rows.left, top + 13.0), &name, style);
        } else {
            let name = style.fit(item.name, rows.left - 16.0);
            canvas.text((rows.left - 8.0, top + rows.pitch / 2.0), &name, style.align(Align::Right));
        }
        for (series, value, link) in item.shown() {
            let upper = top + 6.0 + above + THICKNESS * series as f64;
            let (start, end) = (rows.x(0.0), rows.x(value));
            let extent = ((end - start).max(1.5), THICKNESS - 1.5);
            let text = format!("{}, {}: {}", item.name, self.series[series], (self.value)(value));
            canvas.within(legend.number(series), |canvas| {
                canvas.opening_bar((start, upper), extent, look(series), (text, link));
            });
            canvas.text((end + GAP, upper + extent.1 / 2.0), &(self.value)(value), VALUE);
        }
    }
}
