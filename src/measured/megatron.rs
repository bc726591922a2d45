//! Logs of Megatron-LM, of software with the same lines (Megatron-Bridge, Primus), and of NeMo.

use std::collections::BTreeMap;

use super::lines::{after, leading};
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::launch;
use crate::scenario::Fact;

const WHAT: &str = Format::Megatron.name();

/// Text that marks a line with a step.
const MARK: &str = "elapsed time per iteration (ms)";

/// [`MARK`] of BigScience's fork, in seconds.
const SECONDS: &str = "elapsed time per iteration (s)";

/// Start of [`MARK`], without its unit.
pub(super) const TIMED: &str = "elapsed time per iteration (";

/// Text that marks a step in the log of NeMo: in its progress bar, or since 2.0 on a line of its own.
const NEMO: &str = "train_step_timing in s";

/// Text that marks a step in the log of Megatron-Bridge's first rank: its time and rate. The last rank logs the step's other
/// quantities after it.
const BRIDGE: &str = "MODEL_TFLOP/s/GPU";

/// Texts of which a log that [`read`] reads has at least one.
pub(super) const MARKS: [&str; 4] = [MARK, SECONDS, NEMO, BRIDGE];

const MIB: f64 = 1_048_576.0;

/// Rates of one logged iteration.
#[derive(Default)]
struct Line {
    /// Model FLOP/s per GPU.
    flops: Option<f64>,
    /// Tokens per second per GPU.
    tokens: Option<f64>,
    /// Bytes of memory that were allocated at most.
    memory: Option<f64>,
}

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Megatron);
    let (mut steps, mut lines) = (Vec::new(), Vec::new());
    let mut arguments: BTreeMap<&str, &str> = BTreeMap::new();
    let mut memory: f64 = 0.0;
    let mut first_rank: Vec<(f64, Option<f64>)> = Vec::new();
    for line in log.lines() {
        if let Some((step, mut rest)) = iteration(line) {
            rest.flops = rest.flops.or_else(|| first_rank.last()?.1);
            memory = memory.max(rest.memory.unwrap_or(0.0));
            steps.push(step);
            lines.push(rest);
        } else if let (true, Some(time)) = (line.contains(BRIDGE), after(line, "Step Time")) {
            first_rank.push((time, after(line, "GPU utilization").map(|tera| tera * 1e12)));
        } else if line.contains("using world size:") {
            world(line, &mut found);
        } else if line.contains("memory (MB)") {
            memory = memory.max(after(line, "max allocated").unwrap_or(0.0) * MIB);
        } else if line.contains("memory (GB)") {
            // Megatron-Bridge divides by 10⁹, Megatron-LM by 2²⁰.
            memory = memory.max(after(line, "mem-max-allocated-gigabytes").unwrap_or(0.0) * 1e9);
        } else if let Some((name, value)) = argument(line) {
            arguments.insert(name, value);
        } else if steps.is_empty() && line.contains("NeMo") {
            found.text("recipe.framework", "nemo");
        }
    }
    dumped(&arguments, &mut found);
    if steps.is_empty() {
        // The output of the last rank is in a file of its own.
        for (number, (time, flops)) in (1_u32..).zip(first_rank) {
            steps.push(Step { number: f64::from(number), time, ..Step::default() });
            lines.push(Line { flops, ..Line::default() });
        }
    }
    let counted = steady::of(&steps, &mut found);
    let time = steady::middle(&counted, |place| Some(steps[place].time));
    if time.is_none() {
        return Err(Fault::Empty { what: WHAT, wanted: "iteration with its time" });
    }
    found.used = Some(counted.len() as u32);
    found.reading(Kind::Step, Statistic::Median, time);
    found.reading(Kind::FlopsPerGpu, Statistic::Median, steady::middle(&counted, |place| lines[place].flops));
    found.reading(
        Kind::TokensPerGpu,
        Statistic::Median,
        steady::middle(&counted, |place| lines[place].tokens),
    );
    found.reading(Kind::Memory, Statistic::Whole, memory);
    let batch = counted.last().and_then(|place| steps[*place].batch);
    found.whole("recipe.batch", batch);
    Ok(found)
}

/// The step and the rates of an iteration's line, whose parts are separated by `|`, or of NeMo's progress bar.
fn iteration(line: &str) -> Option<(Step, Line)> {
    if let Some(time) = after(line, NEMO) {
        let number = after(line, "global_step").unwrap_or(f64::MAX);
        let batch = after(line, "global_batch_size");
        let rest = Line {
            flops: after(line, "TFLOPS_per_GPU").map(|tera| tera * 1e12),
            tokens: after(line, "tokens_per_sec_per_gpu"),
            memory: after(line, "max_memory_allocated"),
        };
        return Some((Step { number, time, batch, ..Step::default() }, rest));
    }
    if !line.contains(MARK) && !line.contains(SECONDS) {
        return None;
    }
    let mut step = Step { number: after(line, "iteration")?, ..Step::default() };
    let mut rest = Line::default();
    for part in line.split('|') {
        let Some((label, value)) = part.rsplit_once(':') else { continue };
        // Primus writes the instantaneous value, then the mean: the first number is read.
        let value = leading(value);
        match label.trim() {
            MARK => step.time = value? * 1e-3,
            SECONDS => step.time = value?,
            "global batch size" => step.batch = value,
            "number of skipped iterations" => step.skipped = value.is_some_and(|count| count > 0.0),
            // `compute per GPU` is Primus's since 26.5.
            "throughput per GPU (TFLOP/s/GPU)" | "TFLOPs" | "compute per GPU (TFLOP/s/GPU)" => {
                rest.flops = value.map(|tera| tera * 1e12);
            }
            "tokens/sec/GPU" | "tokens per GPU (tokens/s/GPU)" | "tokens/s/GPU inst/harmonic mean" => {
                rest.tokens = value;
            }
            _ => {}
        }
    }
    (step.time > 0.0).then_some((step, rest))
}

/// Sets GPUs and parallelism from `using world size: 64, data-parallel size: 8, …`.
fn world(line: &str, found: &mut Measurement) {
    for (label, path) in [
        ("world size:", "system.gpus"),
        ("context-parallel size:", "parallelism.context"),
        ("tensor-model-parallel size:", "parallelism.tensor"),
        ("pipeline-model-parallel size:", "parallelism.pipeline"),
    ] {
        found.whole(path, after(line, label));
    }
}

/// Name and value of an argument in the dump, `  seq_length ................ 4096`, with or without a rank before it.
fn argument(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" ..")?;
    let name = name.rsplit(' ').next().filter(|name| !name.is_empty())?;
    Some((name, value.trim_start_matches('.').trim()))
}

/// Sets parallelism, recipe and model from the dump of arguments, as from a command with these flags.
fn dumped(arguments: &BTreeMap<&str, &str>, found: &mut Measurement) {
    if arguments.is_empty() {
        return;
    }
    let launched = launch::megatron_arguments(arguments);
    for Fact { path, value } in launched.facts.iter() {
        found.facts.set(path, value.clone());
    }
    for remark in launched.remarks {
        found.remark(remark);
    }
    let number = |name: &str| arguments.get(name).and_then(|value| leading(value));
    found.whole("system.gpus", number("world_size"));
    if let Some(stages) = number("virtual_pipeline_model_parallel_size") {
        found.whole("parallelism.interleave", stages);
    }
}
