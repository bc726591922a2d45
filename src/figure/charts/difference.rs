//! Waterfall chart from a predicted to a measured time: one bar per correction, and one for the unexplained scatter.

use crate::calibration::{Cause, Difference, TimeKind};
use crate::figure::frame::cascade::{Bar, Cascade, Words};
use crate::figure::frame::{Size, blank, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::units::format::{self, times};

/// Label of the part of the difference that no correction explains.
const SCATTER: &str = "Unexplained scatter";

/// Words of a waterfall from a predicted to a measured time.
pub(super) const WORDS: Words = Words {
    axis: "Time / predicted time (log scale)",
    gain: "Faster",
    loss: "Slower",
    whole: "Total",
    gains: |factor| factor <= 1.0,
};

/// Figure of the causes of a difference, whose factors multiply to measured / predicted.
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
        id: id(difference.kind).into(),
        title: format!("{}: from predicted to measured", difference.kind.title()),
        finding,
        table: table(difference),
        assumptions: vec![
            "The causes are the five corrections of a calibration at their most probable values for this measurement \
             alone; the prior is their spread over published sources. Corrections with similar effects cannot be \
             separated by one measurement"
                .to_owned(),
            "Each factor is the mean over all orders of the corrections (Shapley value of the logarithm), so the \
             factors multiply to measured / predicted time; the thin line is the range over all orders"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// Machine name of the figure for a measured quantity.
const fn id(kind: TimeKind) -> &'static str {
    match kind {
        TimeKind::Step => "difference-step",
        TimeKind::Ttft => "difference-ttft",
        TimeKind::Tpot => "difference-tpot",
        TimeKind::Latency => "difference-latency",
    }
}

fn drawable(cause: &Cause) -> bool {
    [cause.factor, cause.least, cause.most].into_iter().all(positive)
}

/// A factor on a time in words, e.g. `12 % longer` for 1.12.
pub(super) fn longer(factor: f64) -> String {
    let word = if factor < 1.0 { "shorter" } else { "longer" };
    format!("{} {word}", format::percent((factor - 1.0).abs()))
}

fn finding(difference: &Difference) -> String {
    let whole = format!(
        "The measured {} of {}{} is {} than the predicted {}",
        difference.kind.name(),
        format::time(difference.measured),
        difference.rate.as_ref().map_or_else(String::new, |rate| format!(" (from {rate})")),
        longer(difference.whole()),
        format::time(difference.predicted)
    );
    let usual = difference.usual_scatter;
    let far = difference.scatter > usual || difference.scatter < 1.0 / usual;
    let far = if far { ", outside the range of 80 % of published rows" } else { "" };
    let scatter = format!("a factor of {} remains unexplained{far}", times(difference.scatter));
    match &difference.causes[..] {
        [] => format!("{whole}. No correction explains the difference: {scatter}."),
        // The unexplained factor is more than half of the difference in logarithms.
        [first, ..] if libm::log(difference.scatter).abs() > 0.5 * libm::log(difference.whole()).abs() => {
            format!(
                "{whole}. Known causes explain little of it, at most {} by {}: {scatter}. Check first that model, device, lengths and \
             load are those of the measurement.",
                longer(first.factor),
                within(first.correction.label()),
            )
        }
        [first, ..] => format!(
            "{whole}. The most probable cause is {}, which makes the time {}; {scatter}.",
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
        ("Minimum over orders", Some("×")),
        ("Maximum over orders", Some("×")),
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
