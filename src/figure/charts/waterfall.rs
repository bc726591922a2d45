//! Waterfall chart of a speed-up: one bar per cause, each beginning where the previous one ends.

use crate::figure::frame::cascade::{Bar, Cascade, Words};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::generations::Waterfall;
use crate::generations::waterfall::Factor;
use crate::order::largest_first;
use crate::units::format::times;

/// Figure of the causes of a speed-up, whose factors multiply to it. `ends` says how the first and the second machine run the
/// job, e.g. `as asked` and `in FP4, batch × 1`.
pub fn waterfall(waterfall: &Waterfall, ends: [&str; 2], size: Size) -> Figure {
    let shown: Vec<&Factor> = waterfall.factors.iter().filter(|factor| matters(factor)).collect();
    let finding = finding(waterfall, ends, &shown);
    let drawable = positive(waterfall.speedup) && !shown.is_empty();
    let drawing = if drawable {
        Cascade::of(bars(waterfall, shown), WORDS, size).drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "waterfall".into(),
        title: format!("From {} to {}: causes of the speed-up", waterfall.from.name, waterfall.to.name),
        finding,
        table: table(waterfall),
        assumptions: vec![
            "Each factor is the mean over all orders in which the causes can be added (Shapley value of the \
             logarithm), so the factors multiply to the whole speed-up"
                .to_owned(),
            "The thin line is the range of a factor over all orders".to_owned(),
        ],
        ..drawing.into()
    }
}

/// Returns true if a cause can be drawn and changes the speed in at least one order.
fn matters(factor: &Factor) -> bool {
    let numbers = [factor.factor, factor.least, factor.most];
    numbers.into_iter().all(positive) && numbers.into_iter().any(|number| (number - 1.0).abs() > 1e-9)
}

fn finding(waterfall: &Waterfall, [first, second]: [&str; 2], shown: &[&Factor]) -> String {
    let (from, to) = (&waterfall.from.name, &waterfall.to.name);
    let largest = largest_first(shown, |factor| factor.factor);
    let most = |factor: &&Factor| format!("{} ({})", within(factor.cause.name()), times(factor.factor));
    let causes = match &largest[..] {
        [] => return format!("Nothing distinguishes {to} from {from} on this job."),
        [only] => format!(", by {}", most(only)),
        [first, second, ..] => format!("; the largest factors are {} and {}", most(first), most(second)),
    };
    format!("{to} {second} trains {} as fast as {from} {first}{causes}.", times(waterfall.speedup))
}

fn table(waterfall: &Waterfall) -> Table {
    let mut table = Table::new([
        ("Cause", None),
        ("Factor", Some("×")),
        ("Minimum over orders", Some("×")),
        ("Maximum over orders", Some("×")),
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

const WORDS: Words = Words {
    axis: "Tokens per second per GPU, relative, logarithmic",
    gain: "Faster",
    loss: "Slower",
    whole: "All together",
    gains: |factor| factor >= 1.0,
};

/// A bar for each factor, from the product of those before it, and one for the whole.
fn bars<'a>(waterfall: &Waterfall, shown: Vec<&'a Factor>) -> Vec<Bar<'a>> {
    let mut bars = Vec::with_capacity(shown.len() + 1);
    let mut product = 1.0;
    for factor in shown {
        let range = Some((product * factor.least, product * factor.most));
        let to = product * factor.factor;
        let text = times(factor.factor);
        bars.push(Bar { name: factor.cause.name(), from: product, to, range, whole: false, text });
        product = to;
    }
    let text = times(waterfall.speedup);
    bars.push(Bar {
        name: "Whole speed-up",
        from: 1.0,
        to: waterfall.speedup,
        range: None,
        whole: true,
        text,
    });
    bars
}
