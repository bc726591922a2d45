//! Rows of bars, each a sum of parts, with published wholes as marks.

use super::{tick, title, valued};
use crate::figure::backend::{Hatch, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, Type};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::{Size, blank};
use crate::papers::{Bar, Bars, Origin, Share};

const HATCHES: [Hatch; 6] =
    [Hatch::Plain, Hatch::Rising, Hatch::Upright, Hatch::Crossed, Hatch::Falling, Hatch::Level];
/// Height of a bar.
const THICKNESS: f64 = 15.0;

fn look(part: usize) -> (Ink, Hatch) {
    (Ink::Series((part % 7) as u8 + 1), HATCHES[part % HATCHES.len()])
}

/// The drawing of bars.
pub(super) fn drawing(bars: &Bars, origin: Origin, finding: &str, size: Size) -> Drawing {
    let drawable = |row: &&Bar| length(row) > 0.0 || row.whole.published.is_some();
    let rows: Vec<&Bar> = bars.rows.iter().filter(drawable).collect();
    if rows.is_empty() {
        return blank(size, finding);
    }
    let mut legend = Legend::default();
    for (part, name) in bars.parts.iter().enumerate() {
        let (ink, hatch) = look(part);
        legend.push(Key::Area(ink, hatch), *name);
    }
    if rows.iter().any(|row| row.whole.published.is_some()) {
        legend.push(Key::Point(Marker::Diamond, Ink::Text), origin.name());
    }
    let longest = rows
        .iter()
        .flat_map(|row| [length(row), row.whole.published.map_or(0.0, |published| published.value)]);
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
        for tick_at in layout.axis.ticks(Grid::Decimal, ((right - left) / 60.0) as usize) {
            let x = layout.x(tick_at.value);
            layout.line(canvas, x, 1.0);
            layout.label(canvas, x, &tick(tick_at.value));
        }
        layout.title(canvas, layout.middle(), &title(bars.quantity));
    };
    layout.drawing(finding, &legend, axis, |canvas, index, top| {
        row(canvas, &layout, bars, rows[index], top);
    })
}

/// Our length of a bar.
fn length(row: &Bar) -> f64 {
    let parts = row.parts.iter().filter_map(|part| part.ours).sum();
    let length = row.whole.ours.unwrap_or(parts);
    if length.is_finite() { length.max(0.0) } else { 0.0 }
}

fn row(canvas: &mut Canvas<'_>, layout: &Rows, bars: &Bars, row: &Bar, top: f64) {
    let style = Type::label();
    let middle = layout.name(canvas, top, &row.name, style);
    let mut from = 0.0;
    let whole = [Share { ours: Some(length(row)), published: None }];
    let parts = if row.parts.is_empty() { &whole[..] } else { &row.parts };
    for (part, share) in parts.iter().enumerate() {
        let to = from + share.ours.filter(|value| value.is_finite() && *value > 0.0).unwrap_or(0.0);
        let (start, end) = (layout.x(from), layout.x(to));
        let (ink, hatch) = look(part);
        canvas.rectangle((start, middle - THICKNESS / 2.0), (end - start, THICKNESS), ink, hatch);
        from = to;
    }
    let end = layout.x(length(row));
    let mut after = end;
    let published = row.whole.published.map(|published| published.value);
    if let Some(published) = published.filter(|value| layout.axis.at(*value).is_some()) {
        let x = layout.x(published);
        canvas.line(
            (x, middle - THICKNESS / 2.0 - 2.0),
            (x, middle + THICKNESS / 2.0 + 2.0),
            Stroke::solid(Ink::Paper, 3.0),
        );
        canvas.marker((x, middle), Marker::Diamond, Ink::Paper, 6.0);
        canvas.marker((x, middle), Marker::Diamond, Ink::Text, 4.5);
        after = after.max(x + 6.0);
    }
    if let Some(value) = row.whole.ours {
        canvas.text((after + 6.0, middle), &valued(bars.quantity, value), style);
    }
}
