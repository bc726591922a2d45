//! Waterfall chart of factors on a logarithmic axis: each bar begins where the previous one ends.

use super::axis::Axis;
use super::canvas::{Canvas, Drawing};
use super::legend::{Key, Legend};
use super::rows::Rows;
use super::typography::Type;
use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::Size;
use crate::units::format::times;

/// A bar of the waterfall: one factor, or a cumulative product.
#[derive(Clone, Debug)]
pub(in crate::figure) struct Bar<'a> {
    /// Label of the row.
    pub(in crate::figure) name: &'a str,
    /// Cumulative product before the factor; 1 for a cumulative bar.
    pub(in crate::figure) from: f64,
    /// Cumulative product after the factor.
    pub(in crate::figure) to: f64,
    /// Least and greatest cumulative product over all orders of the factors.
    pub(in crate::figure) range: Option<(f64, f64)>,
    /// True for a cumulative bar, which starts at 1.
    pub(in crate::figure) whole: bool,
    /// Text beside the bar.
    pub(in crate::figure) text: String,
}

/// Texts of the axis and the legend.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) struct Words {
    /// Title of the axis.
    pub(in crate::figure) axis: &'static str,
    /// Legend of factors that are gains.
    pub(in crate::figure) gain: &'static str,
    /// Legend of factors that are losses.
    pub(in crate::figure) loss: &'static str,
    /// Legend of cumulative bars.
    pub(in crate::figure) whole: &'static str,
    /// Returns true if a factor is a gain: above 1 for speeds, below 1 for times.
    pub(in crate::figure) gains: fn(f64) -> bool,
}

const TOP: f64 = 12.0;
const THICKNESS: f64 = 16.0;
const GAIN: (Ink, Hatch) = (Ink::Series(3), Hatch::Plain);
const LOSS: (Ink, Hatch) = (Ink::Series(2), Hatch::Rising);
const WHOLE: (Ink, Hatch) = (Ink::Series(1), Hatch::Level);
const RANGE: Stroke = Stroke::solid(Ink::Text, 1.0);

/// A waterfall chart, laid out for a size.
pub(in crate::figure) struct Cascade<'a> {
    bars: Vec<Bar<'a>>,
    words: Words,
    rows: Rows,
}

impl<'a> Cascade<'a> {
    pub(in crate::figure) fn of(bars: Vec<Bar<'a>>, words: Words, size: Size) -> Self {
        let ends = bars.iter().flat_map(|bar| {
            let (least, most) = bar.range.unwrap_or((bar.from, bar.to));
            [bar.from, bar.to, least, most]
        });
        let axis = Axis::around(ends).padded(0.02, 0.02);
        let (left, right) = match size {
            Size::Wide => (196.0, 724.0),
            Size::Medium | Size::Narrow => (12.0, size.width() - 60.0),
        };
        let rows = Rows { size, count: bars.len(), top: TOP, pitch: Rows::pitch(size), axis, left, right };
        Self { bars, words, rows }
    }

    pub(in crate::figure) fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        legend.push(Key::Area(GAIN.0, GAIN.1), self.words.gain);
        if self.bars.iter().any(|bar| !self.gains(bar)) {
            legend.push(Key::Area(LOSS.0, LOSS.1), self.words.loss);
        }
        legend.push(Key::Area(WHOLE.0, WHOLE.1), self.words.whole);
        if self.bars.iter().any(|bar| bar.range.is_some()) {
            legend.push(Key::Line(RANGE), "Range over all orders");
        }
        let row = |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, &self.bars[index]);
        self.rows.drawing(finding, &legend, |canvas| self.axis(canvas), row)
    }

    fn gains(&self, bar: &Bar<'_>) -> bool {
        (self.words.gains)(bar.to / bar.from)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        self.rows.factors(canvas);
        self.rows.title(canvas, self.rows.middle(), self.words.axis);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, bar: &Bar<'_>) {
        let middle = self.rows.name(canvas, top, bar.name, Type::label().bold_if(bar.whole));
        let (start, end) = (self.rows.x(bar.from), self.rows.x(bar.to));
        let look = match (bar.whole, self.gains(bar)) {
            (true, _) => WHOLE,
            (false, false) => LOSS,
            (false, true) => GAIN,
        };
        let width = (end - start).abs().max(1.5);
        canvas.bar((start.min(end), middle - THICKNESS / 2.0), (width, THICKNESS), look, read(bar));
        let mut text_from = start.max(end);
        if let Some((least, most)) = bar.range {
            let (least, most) = (self.rows.x(least), self.rows.x(most));
            canvas.line((least, middle), (most, middle), RANGE);
            for end in [least, most] {
                canvas.line((end, middle - 4.0), (end, middle + 4.0), RANGE);
            }
            text_from = text_from.max(most);
        }
        canvas.text((text_from + 6.0, middle), &bar.text, Type::small(Ink::Text).bold_if(bar.whole));
    }
}

/// Read-out of a bar: its name, its text, and the range of its factor.
fn read(bar: &Bar<'_>) -> String {
    let range = bar.range.map_or_else(String::new, |(least, most)| {
        let [least, most] = [least, most].map(|product| times(product / bar.from));
        format!(" ({least} to {most} over all orders)")
    });
    format!("{}: {}{range}", bar.name, bar.text)
}
