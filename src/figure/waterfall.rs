//! What a speed-up is the product of: one bar per cause, each beginning where the one before ends.

use super::axis::Axis;
use super::canvas::{Align, Canvas, Type, draw};
use super::ink::{Hatch, Ink, Stroke};
use super::legend::{Key, Legend};
use super::{Cell, Figure, Size, Table, blank, brief, positive, within};
use crate::estimate::Waterfall;
use crate::estimate::waterfall::Factor;
use crate::units::format;

/// The causes of a speed-up, which multiply to it.
pub fn waterfall(waterfall: &Waterfall, size: Size) -> Figure {
    let shown: Vec<&Factor> = waterfall.factors.iter().filter(|factor| matters(factor)).collect();
    let finding = finding(waterfall, &shown);
    let drawable = positive(waterfall.speedup) && !shown.is_empty();
    let svg = if drawable { Chart::of(waterfall, shown, size).svg(&finding) } else { blank(size, &finding) };
    Figure {
        id: "waterfall",
        title: format!("From {} to {}: what the speed-up is made of", waterfall.from.name, waterfall.to.name),
        finding,
        svg,
        table: table(waterfall),
        assumptions: vec![
            "Each cause counts with its mean over all orders in which they can be added (Shapley value of the \
             logarithm), so that the order does not matter and the factors multiply to the whole"
                .to_owned(),
            "The thin line spans the least and the most that a cause does in any order".to_owned(),
        ],
    }
}

fn times(value: f64) -> String {
    format!("{}×", format::digits(value))
}

/// Whether a cause can be drawn and is not the same on both sides.
fn matters(factor: &Factor) -> bool {
    let numbers = [factor.factor, factor.least, factor.most];
    numbers.into_iter().all(positive) && numbers.into_iter().any(|number| (number - 1.0).abs() > 1e-9)
}

fn finding(waterfall: &Waterfall, shown: &[&Factor]) -> String {
    let (from, to) = (&waterfall.from.name, &waterfall.to.name);
    let mut largest = shown.to_vec();
    largest.sort_by(|a, b| b.factor.total_cmp(&a.factor));
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
    size: Size,
    axis: Axis,
    left: f64,
    right: f64,
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
            Size::Narrow => (12.0, 300.0),
        };
        Self { bars, size, axis, left, right }
    }

    const fn pitch(&self) -> f64 {
        match self.size {
            Size::Wide => 30.0,
            Size::Narrow => 44.0,
        }
    }

    fn bottom(&self) -> f64 {
        TOP + self.pitch() * self.bars.len() as f64
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.axis.clamped(value).unwrap_or(0.0) * (self.right - self.left)
    }

    fn svg(&self, finding: &str) -> String {
        let mut legend = Legend::default();
        legend.push(Key::Area(GAIN.0, GAIN.1), "Faster");
        if self.bars.iter().any(|bar| bar.to < bar.from) {
            legend.push(Key::Area(LOSS.0, LOSS.1), "Slower");
        }
        legend.push(Key::Area(WHOLE.0, WHOLE.1), "All together");
        legend.push(Key::Line(RANGE), "Least to most in any order");
        let legend_top = self.bottom() + 44.0;
        let room = self.size.width() - 24.0;
        let height = legend_top + legend.height(room) + 4.0;
        draw((self.size.width(), height), finding, |canvas| {
            self.axis(canvas);
            for (row, bar) in self.bars.iter().enumerate() {
                self.row(canvas, TOP + self.pitch() * row as f64, bar);
            }
            legend.draw(canvas, (12.0, legend_top), room);
        })
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let (bottom, mut free_from) = (self.bottom(), f64::NEG_INFINITY);
        for tick in self.axis.ticks(((self.right - self.left) / 56.0) as usize) {
            let x = self.x(tick.value);
            let width = if tick.labelled { 1.0 } else { 0.5 };
            canvas.line((x, TOP), (x, bottom), Stroke::solid(Ink::Grid, width));
            if tick.labelled && x - 20.0 > free_from {
                canvas.text((x, bottom + 12.0), &format!("{}×", brief(&format::digits(tick.value))), style);
                free_from = x + 20.0;
            }
        }
        let middle = f64::midpoint(self.left, self.right);
        canvas.text((middle, bottom + 32.0), "Tokens per second and GPU, relative, logarithmic", style);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, bar: &Bar<'_>) {
        let whole = bar.range.is_none();
        let style = Type::label().bold_if(whole);
        let middle = match self.size {
            Size::Wide => {
                let middle = top + self.pitch() / 2.0;
                let name = style.fit(bar.name, self.left - 16.0);
                canvas.text((self.left - 8.0, middle), &name, style.align(Align::Right));
                middle
            }
            Size::Narrow => {
                canvas.text((self.left, top + 11.0), &style.fit(bar.name, self.right - self.left), style);
                top + 29.0
            }
        };
        let (start, end) = (self.x(bar.from), self.x(bar.to));
        let (ink, hatch) = match (whole, bar.to < bar.from) {
            (true, _) => WHOLE,
            (false, true) => LOSS,
            (false, false) => GAIN,
        };
        let width = (end - start).abs().max(1.5);
        canvas.rectangle((start.min(end), middle - THICKNESS / 2.0), (width, THICKNESS), ink, hatch);
        let mut text_from = start.max(end);
        if let Some((least, most)) = bar.range {
            let (least, most) = (self.x(least), self.x(most));
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
