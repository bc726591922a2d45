//! Logs of SGLang servers, which have one line per prefill batch and one per interval of decode steps.

use super::lines::after;
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::order::median;

/// Substrings of the lines of prefill batches and of decode batches.
pub(super) const MARKS: [&str; 2] = ["#new-seq:", "gen throughput (token/s):"];

/// Decode batches with fewer running requests than this fraction of the maximum are left out, because the load is
/// ramping up or draining.
const FULL: f64 = 2.0 / 3.0;

/// Reads a log. Output throughput is the median over the decode batches at full load, input throughput the median over
/// prefill batches.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::SglangServer);
    let (mut input, mut decoded, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cached, mut new, mut queued) = (0.0, 0.0, 0.0_f64);
    let mut ranks = std::collections::BTreeSet::new();
    for line in log.lines() {
        let prefill = line.contains(MARKS[0]);
        if !prefill && !line.contains(MARKS[1]) {
            continue;
        }
        // `[2026-07-04 05:01:26 DP1 TP0]`: with data-parallel attention, every rank writes its own lines.
        let rank = line.split(&[' ', ']', '['][..]).find(|word| word.starts_with("DP"));
        ranks.insert(rank.unwrap_or(""));
        queued = queued.max(after(line, "#queue-req").unwrap_or(0.0));
        if prefill {
            input.extend(after(line, "input throughput (token/s)").filter(|rate| *rate > 0.0));
            cached += after(line, "#cached-token").unwrap_or(0.0);
            new += after(line, "#new-token").unwrap_or(0.0);
        } else {
            let rate = after(line, MARKS[1]).filter(|rate| *rate > 0.0);
            decoded.extend(rate.zip(after(line, "#running-req")));
            accepted.extend(after(line, "accept len"));
        }
    }
    if decoded.is_empty() && input.is_empty() {
        return Err(Fault::Empty { what: Format::SglangServer.name(), wanted: "throughput above zero" });
    }
    let most = decoded.iter().map(|(_, running)| *running).fold(0.0, f64::max);
    let full: Vec<(f64, f64)> =
        decoded.iter().copied().filter(|(_, running)| *running >= FULL * most).collect();
    found.leave_out(
        decoded.len() - full.len(),
        "decode batches with under two thirds of the maximum number of running requests",
    );
    found.used = Some((full.len() + input.len()) as u32);
    let ranks = ranks.len() as f64;
    let middle = |mut values: Vec<f64>| (!values.is_empty()).then(|| median(&mut values));
    let running = middle(full.iter().map(|(_, running)| *running).collect());
    let output = middle(full.iter().map(|(rate, _)| *rate).collect());
    found.reading(Kind::Output, Statistic::Median, output.map(|rate| rate * ranks));
    found.reading(Kind::Input, Statistic::Median, middle(input).map(|rate| rate * ranks));
    let running = running.map(|running| libm::round(running * ranks));
    found.reading(Kind::Concurrency, Statistic::Median, running);
    found.whole("inference.concurrency", running.filter(|running| *running > 0.0));
    if ranks > 1.0 {
        found.whole("inference.data", ranks);
        found.remark(format!(
            "The log has {ranks} data-parallel ranks: values are the median over ranks times {ranks}"
        ));
    }
    if cached > 0.0 {
        found.number("inference.cached", libm::round(1e4 * cached / (cached + new)) / 1e4);
    }
    if let Some(length) = middle(accepted) {
        found.drafted(Some(length));
    }
    if queued > 0.0 {
        found.remark(format!("Up to {queued} requests waited in the server's queue"));
    }
    found.remark(
        "The log has neither lengths nor latencies: open the benchmark client's result of the same run for them",
    );
    Ok(found)
}
