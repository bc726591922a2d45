//! Logs of nanotron, whose numbers have three significant digits and a suffix K, M or B.

use super::lines::{nearly_whole, rounded};
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Text that marks a line with a step.
pub(super) const MARK: &str = "time_per_iteration_ms";

/// Relative tolerance within which a quotient of two numbers of three significant digits counts as whole.
const FIGURES: f64 = 0.01;

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Nanotron);
    let mut lines: Vec<&str> = Vec::new();
    let mut steps = Vec::new();
    for line in log.lines() {
        // `[Start training] datetime: … | mbs: 2 | grad_accum: 1 | global_batch_size: 2 | sequence_length: 256 | …`
        if line.contains("[Start training]") {
            for (label, path) in [
                ("mbs:", "parallelism.microbatch"),
                ("global_batch_size:", "recipe.batch"),
                ("sequence_length:", "recipe.sequence"),
            ] {
                found.whole(path, rounded(line, label));
            }
        }
        let (Some(number), Some(time)) = (rounded(line, "iteration:"), rounded(line, MARK)) else { continue };
        if time > 0.0 {
            steps.push(Step {
                number,
                time: time * 1e-3,
                batch: rounded(line, "global_batch_size"),
                skipped: false,
            });
            lines.push(line);
        }
    }
    let counted = steady::of(&steps, &mut found);
    let time = steady::middle(&counted, |place| Some(steps[place].time));
    let Some(time) = time else {
        return Err(Fault::Empty { what: Format::Nanotron.name(), wanted: "iteration with its time" });
    };
    found.used = Some(counted.len() as u32);
    let middle = |label: &str| steady::middle(&counted, |place| rounded(lines[place], label));
    // `tokens_per_sec` is a prefix of `tokens_per_sec_per_gpu`; the colon distinguishes them.
    let (all, one) = (middle("tokens_per_sec:"), middle("tokens_per_sec_per_gpu"));
    found.reading(Kind::Step, Statistic::Median, time);
    found.reading(Kind::Tokens, Statistic::Median, all);
    found.reading(Kind::TokensPerGpu, Statistic::Median, one);
    let flops = middle("model_tflops_per_gpu").map(|tera| tera * 1e12);
    found.reading(Kind::FlopsPerGpu, Statistic::Median, flops);
    let memory = lines.iter().filter_map(|line| rounded(line, "cuda_max_memory_reserved")).reduce(f64::max);
    found.reading(Kind::Memory, Statistic::Whole, memory);
    if let (Some(all), Some(one)) = (all, one.filter(|one| *one > 0.0)) {
        found.whole("system.gpus", nearly_whole(all / one, FIGURES));
        found.remark(
            "nanotron logs three significant digits: GPUs and tokens per step are derived to about 1 %",
        );
    }
    batch(counted.last().and_then(|place| steps[*place].batch), all.map(|all| all * time), &mut found);
    Ok(found)
}

/// Tokens of a step over its logged batch above which the batch is in sequences, not tokens; rounding included.
const SAME: f64 = 1.1;

/// Sets the batch where an older version logs it in sequences. Newer versions log tokens, from whose three significant
/// digits neither batch nor sequence length can be derived.
fn batch(logged: Option<f64>, tokens: Option<f64>, found: &mut Measurement) {
    let (Some(logged), Some(tokens)) = (logged.filter(|batch| *batch > 0.0), tokens) else { return };
    if tokens > SAME * logged {
        found.whole("recipe.batch", logged);
    }
    found.remark(format!(
        "A step has about {} tokens, which batch × sequence length has to equal",
        crate::units::format::rounded(tokens)
    ));
}
