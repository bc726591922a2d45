//! From a predicted to a measured time: one bar for each correction that explains the difference, and the rest.

use crate::calibration::{Cause, Difference, Topic};
use crate::figure::frame::cascade::{Bar, Cascade, Words};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::units::format::{self, times};

/// Name of what no correction explains.
const SCATTER: &str = "Scatter, not explained";

const WORDS: Words = Words {
    axis: "Time over predicted time, logarithmic",
    gain: "Faster",
    loss: "Slower",
    whole: "From the prediction",
    gains: |factor| factor <= 1.0,
};

/// The causes of a difference, whose factors multiply to measured / predicted.
pub fn difference(difference: &Difference, size: Size) -> Figure {
    let finding = finding(difference);
    let drawable = [difference.whole(), difference.scatter].into_iter().all(positive)
        && difference.causes.iter().all(drawable);
    let drawing = if drawable {
        Cascade::of(bars(difference), WORDS, size).drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: id(difference.topic).into(),
        title: format!("{}: from predicted to measured", difference.topic.title()),
        finding,
        table: table(difference),
        assumptions: vec![
            "The causes are the corrections of a calibration, at the most probable values for this measurement alone, with the \
             spread of published sources as prior. One measurement cannot tell causes apart that act alike"
                .to_owned(),
            "Each cause counts with its mean over all orders (Shapley value of the logarithm), so that the factors multiply \
             to measured over predicted time; the thin line spans the least and the most in any order"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// Machine name of the figure, by what was measured.
const fn id(topic: Topic) -> &'static str {
    match topic {
        Topic::Step => "difference-step",
        Topic::Ttft => "difference-ttft",
        Topic::Tpot => "difference-tpot",
        Topic::Latency => "difference-latency",
    }
}

fn drawable(cause: &Cause) -> bool {
    [cause.factor, cause.least, cause.most].into_iter().all(positive)
}

/// `12 % longer`, by a factor on a time.
fn longer(factor: f64) -> String {
    let word = if factor < 1.0 { "shorter" } else { "longer" };
    format!("{} {word}", format::percent((factor - 1.0).abs()))
}

fn finding(difference: &Difference) -> String {
    let whole = format!(
        "The measured {} of {} is {} than the predicted {}",
        difference.topic.name(),
        format::time(difference.measured),
        longer(difference.whole()),
        format::time(difference.predicted)
    );
    let usual = difference.usual_scatter;
    let far = difference.scatter > usual || difference.scatter < 1.0 / usual;
    let far = if far { ", more than that of 80 % of published rows" } else { "" };
    let scatter = format!("{} is left as scatter{far}", times(difference.scatter));
    match &difference.causes[..] {
        [] => format!("{whole}; no correction explains it: {scatter}."),
        [first, ..] => format!(
            "{whole}. The most probable cause is {}, which makes it {}; {scatter}.",
            within(first.correction.label()),
            longer(first.factor)
        ),
    }
}

fn table(difference: &Difference) -> Table {
    let mut table = Table::new([
        ("Cause", None),
        ("Correction", Some("×")),
        ("Factor on the time", Some("×")),
        ("Least in any order", Some("×")),
        ("Most in any order", Some("×")),
        ("Time", Some("s")),
    ]);
    let factor = |value: f64| Cell::number(value, times(value));
    let time = |at: crate::units::Seconds| Cell::number(at.get(), format::time(at));
    let mut at = difference.predicted;
    let end = |name, cell| [Cell::text(name), Cell::none(), Cell::none(), Cell::none(), Cell::none(), cell];
    table.push(end("Predicted", time(at)));
    for cause in &difference.causes {
        at = at * cause.factor;
        table.push([
            Cell::text(cause.correction.label()),
            factor(cause.value),
            factor(cause.factor),
            factor(cause.least),
            factor(cause.most),
            time(at),
        ]);
    }
    table.push(end("Corrected prediction", time(difference.corrected())));
    let scatter = factor(difference.scatter);
    table.push([
        Cell::text(SCATTER),
        Cell::none(),
        scatter,
        Cell::none(),
        Cell::none(),
        time(difference.measured),
    ]);
    let mut measured = end("Measured", time(difference.measured));
    measured[2] = factor(difference.whole());
    table.push(measured);
    table
}

fn bars(difference: &Difference) -> Vec<Bar<'_>> {
    let mut bars = Vec::with_capacity(difference.causes.len() + 3);
    let mut product = 1.0;
    for cause in &difference.causes {
        let to = product * cause.factor;
        let range = Some((product * cause.least, product * cause.most));
        let text = times(cause.factor);
        bars.push(Bar { name: cause.correction.label(), from: product, to, range, whole: false, text });
        product = to;
    }
    let whole = |name, to, text| Bar { name, from: 1.0, to, range: None, whole: true, text };
    bars.push(whole("Corrected prediction", product, format::time(difference.corrected())));
    let text = times(difference.scatter);
    let measured = difference.whole();
    bars.push(Bar { name: SCATTER, from: product, to: measured, range: None, whole: false, text });
    bars.push(whole("Measured", measured, format::time(difference.measured)));
    bars
}
