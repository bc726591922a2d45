//! Logs of Composer and llm-foundry: `Train key: value` lines, whose rates are rolling means.

use super::lines::{after, leading, nearly_whole};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Text that marks a line with a rate.
pub(super) const MARK: &str = "throughput/";

/// Relative tolerance within which a quotient of printed numbers counts as whole.
const PRINTED: f64 = 0.01;

/// The blocks of a log: where each begins, and its batch number.
fn blocks(log: &str) -> impl Iterator<Item = (usize, f64)> {
    log.match_indices("[batch=").filter_map(|(at, mark)| Some((at, leading(&log[at + mark.len()..])?)))
}

/// The last run of a log, and the number of blocks before it. A run begins where batch numbers do not rise.
fn last_run(log: &str) -> (&str, usize) {
    let starts: Vec<(usize, f64)> = blocks(log).collect();
    let start = starts.windows(2).rposition(|pair| pair[1].1 <= pair[0].1).map_or(0, |place| place + 1);
    let at = if start == 0 { 0 } else { starts[start].0 };
    (&log[at..], start)
}

/// Reads a log. Each rate is a rolling mean, of which the last value is used.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Composer);
    let (log, earlier) = last_run(log);
    found.leave_out(earlier, "of an earlier run: batch numbers begin again");
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
    let blocks = blocks(log).count();
    found.used = (blocks > 0).then_some(blocks as u32);
    found.remark("Composer logs rolling means: the last value of each rate is used");
    Ok(found)
}
