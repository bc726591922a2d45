//! Horizontal stacked bars, with a mark at a reference value of each, e.g. a capacity or a published value.

use super::axis::Axis;
use super::canvas::{Canvas, Drawing};
use super::legend::{Key, Legend};
use super::plot::Scale;
use super::rows::Rows;
use super::typography::Type;
use super::{Size, blank};
use crate::figure::backend::{Hatch, Ink, Marker, Stroke};

const HATCHES: [Hatch; 6] =
    [Hatch::Plain, Hatch::Rising, Hatch::Upright, Hatch::Crossed, Hatch::Falling, Hatch::Level];
/// Height of a bar.
const THICKNESS: f64 = 15.0;

/// A chart of stacked bars.
pub(in crate::figure) struct Stacks<'a> {
    /// Names of the parts, in the legend.
    pub(in crate::figure) parts: Vec<&'a str>,
    /// The rows.
    pub(in crate::figure) rows: Vec<Stack<'a>>,
    /// Axis of the lengths.
    pub(in crate::figure) scale: Scale<'a>,
    /// Text of a length with its unit.
    pub(in crate::figure) value: &'a dyn Fn(f64) -> String,
    /// Meaning of the marks; unused if no row has one.
    pub(in crate::figure) mark: &'a str,
}

/// One bar.
pub(in crate::figure) struct Stack<'a> {
    pub(in crate::figure) name: &'a str,
    /// Lengths in the order of [`Stacks::parts`]; empty if the bar is one piece.
    pub(in crate::figure) parts: Vec<f64>,
    /// Length of the whole bar, whose text follows it; `None` for the sum of the parts, without a text.
    pub(in crate::figure) whole: Option<f64>,
    /// Reference value, drawn as a mark.
    pub(in crate::figure) mark: Option<f64>,
    /// Link of the question behind the row, without `#`; empty if there is none.
    pub(in crate::figure) link: &'a str,
}

/// Colour and pattern of the bars of a part, or of a series.
pub(super) fn look(part: usize) -> (Ink, Hatch) {
    (Ink::Series((part % 7) as u8 + 1), HATCHES[part % HATCHES.len()])
}

/// A length that can be drawn.
fn drawn(length: f64) -> f64 {
    if length.is_finite() { length.max(0.0) } else { 0.0 }
}

impl Stack<'_> {
    fn length(&self) -> f64 {
        drawn(self.whole.unwrap_or_else(|| self.parts.iter().copied().map(drawn).sum()))
    }
}

impl Stacks<'_> {
    /// The drawing.
    pub(in crate::figure) fn drawing(&self, finding: &str, size: Size) -> Drawing {
        let rows: Vec<&Stack<'_>> =
            self.rows.iter().filter(|row| row.length() > 0.0 || row.mark.is_some()).collect();
        if rows.is_empty() {
            return blank(size, finding);
        }
        let mut legend = Legend::default();
        let used = |part: usize| {
            rows.iter().any(|row| {
                row.parts.is_empty() || row.parts.get(part).is_some_and(|length| drawn(*length) > 0.0)
            })
        };
        for (part, name) in self.parts.iter().enumerate().filter(|(part, _)| used(*part)) {
            let (ink, hatch) = look(part);
            legend.push(Key::Area(ink, hatch), *name);
        }
        if rows.iter().any(|row| row.mark.is_some()) {
            legend.push(Key::Point(Marker::Diamond, Ink::Text), self.mark);
        }
        let longest = rows.iter().flat_map(|row| [row.length(), row.mark.unwrap_or(0.0)]);
        let (left, right) = match size {
            Size::Wide => (250.0, 700.0),
            Size::Medium | Size::Narrow => (10.0, size.width() - 70.0),
        };
        let layout = Rows {
            size,
            count: rows.len(),
            top: 8.0,
            pitch: Rows::pitch(size),
            axis: Axis::from_zero(longest),
            left,
            right,
        };
        let axis = |canvas: &mut Canvas<'_>| {
            layout.ticks(canvas, (self.scale.grid, 60.0), self.scale.label);
            layout.title(canvas, layout.middle(), self.scale.title);
        };
        layout.drawing(finding, &legend, axis, |canvas, index, top| {
            self.row(canvas, &layout, rows[index], top);
        })
    }

    fn row(&self, canvas: &mut Canvas<'_>, layout: &Rows, row: &Stack<'_>, top: f64) {
        let style = Type::label();
        let middle = layout.name(canvas, top, row.name, style);
        let upper = middle - THICKNESS / 2.0;
        let whole = [row.length()];
        let lengths = if row.parts.is_empty() { &whole[..] } else { &row.parts };
        let mut from = 0.0;
        for (part, length) in lengths.iter().copied().enumerate() {
            let to = from + drawn(length);
            let (start, end) = (layout.x(from), layout.x(to));
            let (ink, hatch) = look(part);
            canvas.rectangle((start, upper), (end - start, THICKNESS), ink, hatch);
            let name = self.parts.get(part).filter(|_| !row.parts.is_empty());
            let said = name.map_or_else(|| row.name.to_owned(), |name| format!("{}, {name}", row.name));
            let text = format!("{said}: {}", (self.value)(length));
            canvas.area((start, upper), (end - start, THICKNESS), text, row.link);
            from = to;
        }
        let mut after = layout.x(row.length()) + 6.0;
        let whole = row.whole.map(|whole| (self.value)(whole));
        if let Some(mark) = row.mark.filter(|value| layout.axis.at(*value).is_some()) {
            let x = layout.x(mark);
            canvas.line((x, upper - 2.0), (x, upper + THICKNESS + 2.0), Stroke::solid(Ink::Paper, 3.0));
            canvas.marker((x, middle), Marker::Diamond, Ink::Paper, 6.0);
            canvas.marker((x, middle), Marker::Diamond, Ink::Text, 4.5);
            let text = format!("{}, {}: {}", row.name, self.mark, (self.value)(mark));
            canvas.open((x, middle), text, row.link.to_owned());
            // The text of the total follows the bar, or the mark if that is in its way.
            let width = whole.as_ref().map_or(0.0, |whole| style.width(whole));
            if after + width > x - 10.0 {
                after = after.max(x + 12.0);
            }
        }
        if let Some(whole) = whole {
            canvas.text((after, middle), &whole, style);
        }
    }
}
