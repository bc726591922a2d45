//! Logs of Composer and llm-foundry: `Train key: value` lines whose rates are means over the last batches.

use super::lines::{after, nearly_whole};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// What lines with rates have.
pub(super) const MARK: &str = "throughput/";

/// How far printed digits let a quotient be from a whole number.
const PRINTED: f64 = 0.01;

/// Reads a log. Rates are rolling means, so that the last of each counts.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Composer);
    let last = |key: &str| log.lines().rev().find_map(|line| after(line, &format!(" {key}:")));
    let batches = last("throughput/batches_per_sec").filter(|rate| *rate > 0.0);
    let (all, one) = (last("throughput/tokens_per_sec"), last("throughput/device/tokens_per_sec"));
    found.reading(Kind::Step, Statistic::Mean, batches.map(|rate| 1.0 / rate));
    found.reading(Kind::Tokens, Statistic::Mean, all);
    found.reading(Kind::TokensPerGpu, Statistic::Mean, one);
    found.reading(Kind::Samples, Statistic::Mean, last("throughput/samples_per_sec"));
    found.reading(Kind::FlopsPerGpu, Statistic::Mean, last("throughput/device/flops_per_sec"));
    found.reading(Kind::Mfu, Statistic::Mean, last("throughput/device/mfu"));
    let memory = ["memory/peak_reserved_mem", "memory/peak_allocated_mem"].into_iter().find_map(last);
    found.reading(Kind::Memory, Statistic::Whole, memory.map(|gigabytes| gigabytes * 1e9));
    if !found.readings.iter().any(|reading| reading.kind != Kind::Memory) {
        return Err(Fault::Empty { what: Format::Composer.name(), wanted: "rate of batches or tokens" });
    }
    let quotient = |all: Option<f64>, one: Option<f64>| {
        let one = one.filter(|one| *one > 0.0)?;
        nearly_whole(all? / one, PRINTED)
    };
    found.whole("system.gpus", quotient(all, one));
    found.whole("recipe.batch", quotient(last("throughput/samples_per_sec"), batches));
    found.whole("parallelism.tensor", 1.0);
    found.whole("parallelism.pipeline", 1.0);
    let blocks = log.lines().filter(|line| line.contains("[batch=")).count();
    found.used = blocks.max(1) as u32;
    found.remark(
        "Its rates are means over the last batches: the last of each is used, the others are passed over",
    );
    Ok(found)
}
