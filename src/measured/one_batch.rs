//! SGLang's `bench_one_batch`: one batch without a server, as console output or `result.jsonl`.

use super::lines::{after, leading, nearly_whole};
use super::object::{number, scale, text};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Relative tolerance within which a count derived from printed numbers counts as whole.
const PRINTED: f64 = 0.01;

/// Returns true if a JSON object is a row of `result.jsonl`.
pub(super) fn is(row: &Json<'_>) -> bool {
    number(row, "prefill_latency").is_some() && number(row, "overall_throughput").is_some()
}

/// Reads a row of `result.jsonl`.
pub(super) fn read(row: &Json<'_>) -> Measurement {
    let mut found = Measurement::new(Format::OneBatch);
    // SGLang's default if no name was given.
    found.model(Some(text(row, "run_name")).filter(|name| *name != "default").unwrap_or(""));
    for (key, path) in [
        ("batch_size", "inference.batch"),
        ("input_len", "inference.input"),
        ("output_len", "inference.output"),
    ] {
        found.whole(path, number(row, key));
    }
    for (key, kind, statistic) in [
        ("prefill_latency", Kind::Ttft, Statistic::Whole),
        ("prefill_throughput", Kind::Input, Statistic::Whole),
        ("median_decode_latency", Kind::Tpot, Statistic::Median),
        ("total_latency", Kind::Latency, Statistic::Whole),
    ] {
        found.reading(kind, statistic, number(row, key));
    }
    alone(&mut found);
    found
}

/// Remarks that neither server nor scheduler is in the times.
fn alone(found: &mut Measurement) {
    found.remark("One batch without server or scheduler: TTFT is the prefill time alone");
}

/// Reads the console output, which has a block for each batch size and, without `--skip-warmup`, one of the warm-up before
/// them.
pub(super) fn console(log: &str) -> Result<Vec<Measurement>, Fault> {
    let lines: Vec<&str> = log.lines().map(str::trim_start).collect();
    let begins: Vec<usize> = (0..lines.len()).filter(|place| lines[*place].starts_with("Prefill.")).collect();
    // A text without `Prefill.` may still have the end of a block.
    let begins = if begins.is_empty() { vec![0] } else { begins };
    let warms = lines.iter().position(|line| line.starts_with("Warmup"));
    let timed = lines.iter().position(|line| line.starts_with("Benchmark"));
    let ends = begins.iter().skip(1).copied().chain([lines.len()]);
    let mut points: Vec<Measurement> = Vec::new();
    let mut warm = 0;
    for (begin, end) in begins.iter().copied().zip(ends) {
        // The warm-up is the first block after `Warmup ...`, and stands before `Benchmark ...`.
        if warms.is_some_and(|warms| warms < begin) && timed.is_none_or(|timed| begin < timed) && warm == 0 {
            warm += 1;
            continue;
        }
        points.extend(block(&lines[begin..end]));
    }
    if points.is_empty() && warm > 0 {
        points.extend(block(&lines));
    } else if let Some(last) = points.last_mut() {
        last.leave_out(warm, "of the warm-up");
    }
    if points.is_empty() {
        return Err(Fault::Empty {
            what: Format::OneBatch.name(),
            wanted: "latency of a prefill or of decoding",
        });
    }
    Ok(points)
}

/// The latency of a line, s; `None` in a unit that no time has.
fn latency(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once("latency:")?;
    let unit = rest.split(',').next()?.trim_start_matches(|mark: char| !mark.is_alphabetic());
    let scale = scale(Format::OneBatch, "latency", unit, Kind::Latency).ok()?;
    Some(leading(rest)? * scale)
}

/// Reads the lines of one batch; `None` without a latency.
fn block(lines: &[&str]) -> Option<Measurement> {
    let mut found = Measurement::new(Format::OneBatch);
    let (mut steps, mut batch, mut prompt) = (0, None, None);
    for line in lines {
        let latency = latency(line);
        let rate = after(line, "throughput:");
        if line.starts_with("Prefill.") {
            found.reading(Kind::Ttft, Statistic::Whole, latency);
            found.reading(Kind::Input, Statistic::Whole, rate);
            prompt = latency.zip(rate).map(|(latency, rate)| latency * rate);
        } else if line.starts_with("Decode.") && line.contains("median") {
            found.reading(Kind::Tpot, Statistic::Median, latency);
            batch = latency.zip(rate).and_then(|(latency, rate)| nearly_whole(latency * rate, PRINTED));
        } else if line.starts_with("Decode") {
            steps += 1;
        } else if line.starts_with("Total.") {
            found.reading(Kind::Latency, Statistic::Whole, latency);
            found.reading(Kind::Total, Statistic::Whole, rate);
            let all = latency.zip(rate).map(|(latency, rate)| latency * rate);
            if let (Some(all), Some(prompt), Some(batch)) = (all, prompt, batch) {
                found.whole("inference.output", nearly_whole((all - prompt) / batch, 0.2));
            }
        }
    }
    if found.best(Kind::Ttft).is_none() && found.best(Kind::Tpot).is_none() {
        return None;
    }
    // Latency of a decode step × tokens per second is the batch; of the prefill, the prompt tokens of the batch.
    found.whole("inference.batch", batch);
    if let (Some(prompt), Some(batch)) = (prompt, batch) {
        found.whole("inference.input", nearly_whole(prompt / batch, PRINTED));
    }
    if steps > 0 {
        found.used = Some(steps);
    }
    alone(&mut found);
    Some(found)
}
