//! What a speed-up is the product of: one bar per cause, each beginning where the one before ends.

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, Type};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::generations::Waterfall;
use crate::generations::waterfall::Factor;
use crate::order::largest_first;
use crate::units::format::times;

/// The causes of a speed-up, which multiply to it.
pub fn waterfall(waterfall: &Waterfall, size: Size) -> Figure {
    let shown: Vec<&Factor> = waterfall.factors.iter().filter(|factor| matters(factor)).collect();
    let finding = finding(waterfall, &shown);
    let drawable = positive(waterfall.speedup) && !shown.is_empty();
    let drawing =
        if drawable { Chart::of(waterfall, shown, size).drawing(&finding) } else { blank(size, &finding) };
    Figure {
        id: "waterfall".into(),
        title: format!("From {} to {}: what the speed-up is made of", waterfall.from.name, waterfall.to.name),
        finding,
        table: table(waterfall),
        assumptions: vec![
            "Each cause counts with its mean over all orders in which they can be added (Shapley value of the \
             logarithm), so that the order does not matter and the factors multiply to the whole"
                .to_owned(),
            "The thin line spans the least and the most that a cause does in any order".to_owned(),
        ],
        ..drawing.into()
    }
}

/// Returns true if a cause can be drawn and is not the same on both sides.
fn matters(factor: &Factor) -> bool {
    let numbers = [factor.factor, factor.least, factor.most];
    numbers.into_iter().all(positive) && numbers.into_iter().any(|number| (number - 1.0).abs() > 1e-9)
}

fn finding(waterfall: &Waterfall, shown: &[&Factor]) -> String {
    let (from, to) = (&waterfall.from.name, &waterfall.to.name);
    let largest = largest_first(shown, |factor| factor.factor);
    let most = |factor: &&Factor| format!("{} ({})", within(factor.cause.name()), times(factor.factor));
    match &largest[..] {
        [] => format!("Nothing distinguishes {to} from {from} on this job."),
        [only] => format!("{to} trains {} as fast as {from}, by {}.", times(waterfall.speedup), most(only)),
        [first, second, ..] => format!(
            "{to} trains {} as fast as {from}, most of it by {} and {}.",
            times(waterfall.speedup),
            most(first),
            most(second)
        ),
    }
}

fn table(waterfall: &Waterfall) -> Table {
    let mut table = Table::new([
        ("Cause", None),
        ("Factor", Some("×")),
        ("Least in any order", Some("×")),
        ("Most in any order", Some("×")),
    ]);
    let number = |value: f64| Cell::number(value, times(value));
    for factor in &waterfall.factors {
        table.push([
            Cell::text(factor.cause.name()),
            number(factor.factor),
            number(factor.least),
            number(factor.most),
        ]);
    }
    table.push([Cell::text("Product"), number(waterfall.speedup), Cell::none(), Cell::none()]);
    table
}

const TOP: f64 = 12.0;
const THICKNESS: f64 = 16.0;
const GAIN: (Ink, Hatch) = (Ink::Series(3), Hatch::Plain);
const LOSS: (Ink, Hatch) = (Ink::Series(2), Hatch::Rising);
const WHOLE: (Ink, Hatch) = (Ink::Series(1), Hatch::Level);
const RANGE: Stroke = Stroke::solid(Ink::Text, 1.0);

/// A bar between two products of factors, and what its cause does in any order.
struct Bar<'a> {
    name: &'a str,
    from: f64,
    to: f64,
    range: Option<(f64, f64)>,
}

struct Chart<'a> {
    bars: Vec<Bar<'a>>,
    rows: Rows,
}

impl<'a> Chart<'a> {
    fn of(waterfall: &'a Waterfall, shown: Vec<&'a Factor>, size: Size) -> Self {
        let mut bars = Vec::with_capacity(shown.len() + 1);
        let mut product = 1.0;
        for factor in shown {
            let range = Some((product * factor.least, product * factor.most));
            bars.push(Bar { name: factor.cause.name(), from: product, to: product * factor.factor, range });
            product *= factor.factor;
        }
        bars.push(Bar { name: "Whole speed-up", from: 1.0, to: waterfall.speedup, range: None });
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
        Self { bars, rows }
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        legend.push(Key::Area(GAIN.0, GAIN.1), "Faster");
        if self.bars.iter().any(|bar| bar.to < bar.from) {
            legend.push(Key::Area(LOSS.0, LOSS.1), "Slower");
        }
        legend.push(Key::Area(WHOLE.0, WHOLE.1), "All together");
        legend.push(Key::Line(RANGE), "Least to most in any order");
        let row = |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, &self.bars[index]);
        self.rows.drawing(finding, &legend, |canvas| self.axis(canvas), row)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        self.rows.factors(canvas);
        let title = "Tokens per second and GPU, relative, logarithmic";
        self.rows.title(canvas, self.rows.middle(), title);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, bar: &Bar<'_>) {
        let whole = bar.range.is_none();
        let middle = self.rows.name(canvas, top, bar.name, Type::label().bold_if(whole));
        let (start, end) = (self.rows.x(bar.from), self.rows.x(bar.to));
        let (ink, hatch) = match (whole, bar.to < bar.from) {
            (true, _) => WHOLE,
            (false, true) => LOSS,
            (false, false) => GAIN,
        };
        let width = (end - start).abs().max(1.5);
        canvas.rectangle((start.min(end), middle - THICKNESS / 2.0), (width, THICKNESS), ink, hatch);
        let mut text_from = start.max(end);
        if let Some((least, most)) = bar.range {
            let (least, most) = (self.rows.x(least), self.rows.x(most));
            canvas.line((least, middle), (most, middle), RANGE);
            for end in [least, most] {
                canvas.line((end, middle - 4.0), (end, middle + 4.0), RANGE);
            }
            text_from = text_from.max(most);
        }
        let text = times(bar.to / bar.from);
        canvas.text((text_from + 6.0, middle), &text, Type::small(Ink::Text).bold_if(whole));
    }
}
