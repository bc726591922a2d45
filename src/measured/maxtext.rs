//! Logs of MaxText: `completed step` lines with times and rates.

use super::lines::{after, nearly_whole};
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Text that marks a line with a step.
pub(super) const MARK: &str = "completed step:";

/// Relative tolerance within which a quotient of three printed numbers counts as whole.
const PRINTED: f64 = 0.005;

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Maxtext);
    let mut lines: Vec<&str> = Vec::new();
    let mut steps = Vec::new();
    for line in log.lines() {
        let (Some(number), Some(time)) = (after(line, MARK), after(line, " seconds:")) else { continue };
        if time > 0.0 {
            steps.push(Step { number, time, ..Step::default() });
            lines.push(line);
        }
    }
    let counted = steady::of(&steps, &mut found);
    let time = steady::middle(&counted, |place| Some(steps[place].time));
    let Some(time) = time else {
        return Err(Fault::Empty { what: Format::Maxtext.name(), wanted: "completed step with its seconds" });
    };
    found.used = Some(counted.len() as u32);
    let middle = |label: &str| steady::middle(&counted, |place| after(lines[place], label));
    let one = middle("Tokens/s/device:");
    found.reading(Kind::Step, Statistic::Median, time);
    found.reading(Kind::TokensPerGpu, Statistic::Median, one);
    let flops = middle("TFLOP/s/device:").map(|tera| tera * 1e12);
    found.reading(Kind::FlopsPerGpu, Statistic::Median, flops);
    // `total_weights` counts the tokens in the loss: those of the global batch.
    let tokens = middle("total_weights:");
    if let (Some(tokens), Some(one)) = (tokens, one.filter(|one| *one > 0.0)) {
        found.whole("system.gpus", nearly_whole(tokens / time / one, PRINTED));
        found.remark(format!(
            "A step has {} tokens, which batch × sequence length has to equal",
            crate::units::format::grouped(tokens)
        ));
    }
    Ok(found)
}
