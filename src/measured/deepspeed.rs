//! Logs of DeepSpeed: the throughput timer, the pipeline engine, the breakdown of wall-clock time, and the FLOPs profiler.

use super::lines::after;
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::order::median;
use crate::scenario::Phases;

const WHAT: &str = Format::Deepspeed.name();

/// Text that marks a line of the throughput timer.
pub(super) const TIMER: &str = "CurrSamplesPerSec";

/// Text that marks a line of the pipeline engine.
pub(super) const PIPELINE: &str = "iter time (s):";

/// Text that marks a line of `wall_clock_breakdown` with the times of a whole step: those of a microbatch have other names.
pub(super) const BREAKDOWN: &str = "| fwd: ";

/// The title of the profiler's block.
pub(super) const PROFILER: &str = "DeepSpeed Flops Profiler";

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Deepspeed);
    let (mut steps, mut rates, mut memory) = (Vec::new(), Vec::new(), 0.0_f64);
    let (mut parts, mut phases) = (Vec::new(), Vec::new());
    for line in log.lines() {
        configured(line, &mut found);
        if let Some(rate) = after(line, TIMER).filter(|rate| *rate > 0.0) {
            let number = after(line, "global_step").unwrap_or(f64::MAX);
            steps.push(Step { number, time: 1.0 / rate, ..Step::default() });
            rates.push((rate, None));
        } else if let Some(time) = after(line, PIPELINE).filter(|time| *time > 0.0) {
            let number = after(line, "steps:").unwrap_or(f64::MAX);
            steps.push(Step { number, time, ..Step::default() });
            rates.push((after(line, "samples/sec:").unwrap_or(0.0), Some(time)));
        } else if let Some((time, by)) = broken_down(line) {
            let number = (parts.len() + 1) as f64;
            parts.push(Step { number, time, ..Step::default() });
            phases.push(by);
        }
        memory = memory.max(after(line, "MaxMemAllocated").unwrap_or(0.0));
    }
    let counted = steady::of(&steps, &mut found);
    if !counted.is_empty() {
        found.used = Some(counted.len() as u32);
        let mut samples: Vec<f64> = counted.iter().map(|place| rates[*place].0).collect();
        let samples = median(&mut samples);
        let batch = found.number_of("recipe.batch").filter(|batch| *batch > 0.0);
        let time = steady::middle(&counted, |place| rates[place].1).or(batch.map(|batch| batch / samples));
        found.reading(Kind::Samples, Statistic::Median, samples);
        found.reading(Kind::Step, Statistic::Median, time);
        if let (Some(time), None) = (time, batch) {
            found.whole("recipe.batch", super::lines::nearly_whole(samples * time, 0.01));
        }
    }
    let mut apart = Measurement::new(Format::Deepspeed);
    // The lines that a log leaves out are told for one kind of lines.
    let broken = steady::of(&parts, if counted.is_empty() { &mut found } else { &mut apart });
    let phase = |of: fn(&Phases) -> Option<f64>| steady::middle(&broken, |place| of(&phases[place]));
    found.phases = Phases {
        forward: phase(|by| by.forward),
        backward: phase(|by| by.backward),
        reduction: phase(|by| by.reduction),
        optimizer: phase(|by| by.optimizer),
    };
    if counted.is_empty() {
        let counted = broken;
        if !counted.is_empty() {
            found.used = Some(counted.len() as u32);
            let time = steady::middle(&counted, |place| Some(parts[place].time));
            found.reading(Kind::Step, Statistic::Median, time);
            found.remark(
                "Its step time is the sum of forward, backward and optimizer time (wall_clock_breakdown): data loading between \
                 them is left out, and the timers synchronise the device",
            );
        }
    }
    found.reading(Kind::Memory, Statistic::Whole, memory * f64::from(1 << 30));
    if log.contains(PROFILER) {
        profile(log, &mut found)?;
    }
    if found.best(Kind::Step).is_none() && found.best(Kind::Samples).is_none() {
        return Err(Fault::Empty { what: WHAT, wanted: "step with its time or rate" });
    }
    if found.best(Kind::Samples).is_some() && found.fact_of("recipe.batch").is_none() {
        found.remark(
            "The log has samples per second but no batch: the step time is the global batch over that rate",
        );
    }
    Ok(found)
}

/// The time of a step in a line of `wall_clock_breakdown`, s, and its phases: `time (ms) | fwd: 141.7 | bwd: 412.2 |
/// bwd_inner: 405.7 | bwd_allreduce: 6.3 | step: 33.4`. The time `bwd` includes `bwd_allreduce`.
fn broken_down(line: &str) -> Option<(f64, Phases)> {
    let time = |label: &str| after(line, label).filter(|_| line.contains("(ms)")).map(|time| time * 1e-3);
    let (forward, whole, optimizer) = (time(BREAKDOWN)?, time("| bwd: ")?, time("| step: ")?);
    let reduction = time("| bwd_allreduce: ").filter(|time| (0.0..=whole).contains(time));
    let phases = Phases {
        forward: Some(forward),
        backward: Some(whole - reduction.unwrap_or(0.0)),
        reduction,
        optimizer: Some(optimizer),
    };
    let step = forward + whole + optimizer;
    (step > 0.0).then_some((step, phases))
}

/// Sets what the dump of the configuration says: `[config.py:964:print]   train_batch_size ............. 32`.
fn configured(line: &str, found: &mut Measurement) {
    let mut words = line.split_whitespace().rev();
    let (Some(value), Some(name)) = (words.next(), words.find(|word| !word.trim_matches('.').is_empty()))
    else {
        return;
    };
    let path = match name {
        "train_batch_size" => "recipe.batch",
        "train_micro_batch_size_per_gpu" => "parallelism.microbatch",
        "world_size" => "system.gpus",
        _ => return,
    };
    found.whole(path, super::lines::leading(value));
}

/// Reads the profiler's block: time, FLOP/s and parallelism of one step.
fn profile(log: &str, found: &mut Measurement) -> Result<(), Fault> {
    let of = |label: &str| log.lines().find(|line| line.trim_start().starts_with(label));
    let number = |label: &str| of(label).and_then(|line| after(line, ":"));
    if let Some(line) = of("iter latency:") {
        let unit = line.split_whitespace().last().unwrap_or("");
        let scale = super::object::scale(Format::Deepspeed, "iter latency", unit, Kind::Step)?;
        found.reading(Kind::Step, Statistic::Whole, after(line, ":").map(|value| value * scale));
    }
    found.reading(Kind::Samples, Statistic::Whole, number("samples/second:"));
    if let Some(line) = of("fwd+bwd FLOPS per GPU") {
        let tera = line.rsplit_once(':').and_then(|(_, value)| super::lines::leading(value));
        let scale = if line.contains("TFLOPS") { 1e12 } else { 1e9 };
        found.reading(Kind::FlopsPerGpu, Statistic::Whole, tera.map(|value| value * scale));
    }
    found.whole("system.gpus", number("world size:"));
    found.whole("parallelism.tensor", number("model parallel size:"));
    let (each, replicas) = (number("batch size per GPU:"), number("data parallel size:"));
    found.whole("parallelism.microbatch", each);
    found.whole("recipe.batch", each.zip(replicas).map(|(each, replicas)| each * replicas));
    found.remark("The profiler synchronises the device: its step is longer than an unprofiled one");
    Ok(())
}
