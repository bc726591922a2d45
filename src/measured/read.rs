//! Detects the format of a text and reads its measurements.

use std::borrow::Cow;

use super::limits::{MAX_BYTES, MAX_POINTS};
use super::report::{LongReport, is_report};
use super::{
    Fault, Measurement, aiperf, composer, console, deepspeed, guidellm, inferencex, kineto, llama_bench,
    llmd, maxtext, megatron, mlperf, nanotron, nsys, one_batch, serving_json, sglang_server, torchtitan,
    trainer, trtllm, unsloth, yaml,
};
use crate::json::{Json, nonfinite};
use crate::units::{Amount, Bytes};

/// Number of bytes at the start of a file by which a trace is recognised.
pub const TRACE_HEAD: usize = 65_536;

/// Number of characters at the start of a text that are checked for binary data.
const HEAD: usize = 4096;

/// Reads every point or run of a text, in the order of the text. A result has at least one.
pub fn read(text: &str) -> Result<Vec<Measurement>, Fault> {
    if kineto::begins(&text.as_bytes()[..text.len().min(TRACE_HEAD)]) {
        return kineto::read(text).map(|point| vec![point]);
    }
    if text.len() > MAX_BYTES {
        if !is_report(text.as_bytes()) {
            return Err(Fault::TooLong { bytes: text.len() as u64 });
        }
        let mut long = LongReport::default();
        long.feed(text.as_bytes())?;
        return read_long(long);
    }
    if binary(text) {
        return Err(Fault::Binary);
    }
    let text = &plain(text.trim_start_matches('\u{feff}').trim());
    let text = &**text;
    // Python dictionaries are not JSON, nor are logs whose lines begin with a time or rank in brackets.
    let inside = text.strip_prefix('[').unwrap_or(text).trim_start();
    let json = inside.starts_with('{') && !inside.starts_with("{'");
    let mut points = if json { documents(text)? } else { lines(text)? };
    let surplus = points.len().saturating_sub(MAX_POINTS);
    points.drain(..surplus);
    for point in &mut points {
        point.doubt();
    }
    Ok(points)
}

/// Reads every point of a report whose lists of requests were skipped.
///
/// # Errors
///
/// The reason why the rest of the report cannot be read.
pub fn read_long(report: LongReport) -> Result<Vec<Measurement>, Fault> {
    let (text, left_out) = report.into_parts();
    let mut points = read(&text)?;
    if left_out > 0 {
        let skipped = Amount::traffic(Bytes::new(left_out as f64));
        for point in &mut points {
            point.remark(format!("The report's lists of single requests are skipped: {skipped}"));
        }
    }
    Ok(points)
}

/// The text of a file: UTF-8, or UTF-16 with a byte order mark, in which `PowerShell` saves a program's output.
pub fn decoded(bytes: &[u8]) -> String {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = rest.as_chunks::<2>();
        String::from_utf16_lossy(&pairs.iter().map(|pair| unit(*pair)).collect::<Vec<u16>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Returns true if over 2 % of the first [`HEAD`] characters are control or replacement characters.
fn binary(text: &str) -> bool {
    let head = text.chars().take(HEAD);
    let (mut strange, mut all) = (0, 0);
    for mark in head {
        all += 1;
        strange +=
            usize::from(mark == '\u{fffd}' || (mark.is_control() && !"\n\r\t\u{1b}\u{8}".contains(mark)));
    }
    strange * 50 > all
}

/// Reads JSON: one document, or one per line (JSONL).
fn documents(text: &str) -> Result<Vec<Measurement>, Fault> {
    // Python writes numbers that JSON does not have, such as the request rate `Infinity`.
    let text = &*nonfinite::without(text);
    let whole = Json::parse(text);
    if let Ok(document) = &whole {
        return rows(std::slice::from_ref(document), text);
    }
    // JSONL: a truncated line does not invalidate the others.
    let parsed: Vec<Json<'_>> = text.lines().filter_map(|line| Json::parse(line.trim()).ok()).collect();
    let broken = text.lines().filter(|line| !line.trim().is_empty()).count() - parsed.len();
    match (rows(&parsed, text), whole) {
        (Ok(mut points), _) => {
            if let Some(last) = points.last_mut() {
                last.leave_out(broken, "that are not valid JSON, perhaps truncated");
            }
            Ok(points)
        }
        (Err(Fault::Unknown), Err(fault)) => match named(text) {
            Some(what) => Err(Fault::Broken { what, why: fault.message().to_owned() }),
            None => Err(Fault::Unknown),
        },
        (Err(fault), _) => Err(fault),
    }
}

/// The probable format of a damaged document, from its keys.
fn named(text: &str) -> Option<&'static str> {
    let marks = [
        ("\"mean_ttft_ms\"", "a result of a serving benchmark"),
        ("\"request_throughput\"", "a result of a serving benchmark"),
        ("\"world_info\"", "a report of trtllm-bench"),
        ("\"time_to_first_token", "a result of a serving benchmark"),
        ("\"avg_ts\"", "a result of llama-bench"),
        ("\"tput_per_gpu\"", "a point of InferenceX"),
    ];
    marks.into_iter().find(|(mark, _)| text.contains(mark)).map(|(_, what)| what)
}

/// Reads the JSON rows of one text. They are records of a single run, or one point each.
fn rows(rows: &[Json<'_>], text: &str) -> Result<Vec<Measurement>, Fault> {
    if let [Json::List(items)] = rows {
        let points = if items.iter().any(llama_bench::is) { llama_bench::read(items)? } else { many(items)? };
        return if points.is_empty() { Err(Fault::Unknown) } else { Ok(points) };
    }
    if rows.iter().any(aiperf::is_record) {
        return aiperf::records(rows).map(|point| vec![point]);
    }
    if rows.iter().any(llama_bench::is) {
        return llama_bench::read(rows);
    }
    if let [only] = rows
        && (only.get("train_runtime").is_some() || only.get("log_history").is_some())
    {
        return trainer::read(text).map(|point| vec![point]);
    }
    let points = many(rows)?;
    if points.is_empty() { Err(Fault::Unknown) } else { Ok(points) }
}

/// Reads rows that are one point each. Rows of unknown formats are skipped.
fn many(rows: &[Json<'_>]) -> Result<Vec<Measurement>, Fault> {
    let mut points = Vec::new();
    for row in rows {
        if inferencex::is(row) {
            points.push(inferencex::read(row)?);
        } else if serving_json::is(row) {
            points.push(serving_json::read(row));
        } else if one_batch::is(row) {
            points.push(one_batch::read(row));
        } else if trtllm::is(row) {
            points.push(trtllm::read(row));
        } else if guidellm::is(row) {
            points.extend(guidellm::read(row)?);
        } else if llmd::is(row) {
            points.push(llmd::read(row)?);
        } else if aiperf::is(row) {
            points.push(aiperf::read(row)?);
        }
    }
    Ok(points)
}

/// Reads console output, logs, CSV and Markdown tables.
fn lines(text: &str) -> Result<Vec<Measurement>, Fault> {
    let has = |mark: &str| text.contains(mark);
    let one = |point: Result<Measurement, Fault>| point.map(|point| vec![point]);
    let first = text.lines().next().unwrap_or("");
    if first.starts_with("Metric,") {
        return one(aiperf::csv(text));
    }
    if aiperf::is_console(text) {
        return one(aiperf::console(text));
    }
    if has(llama_bench::SQL) {
        return llama_bench::sql(text);
    }
    if first.contains("avg_ts") && first.contains("n_prompt") {
        return llama_bench::csv(text);
    }
    if has(nsys::MARK) && (has("Time (%)") || has("Time(%)")) {
        return one(nsys::read(text));
    }
    if first.contains("Duration (ns)") && first.contains("CorrId") {
        return Err(Fault::Unread {
            what: "a list of single kernels from Nsight Systems",
            instead: "the kernel summary (nsys stats --report cuda_gpu_kern_sum --format csv)",
        });
    }
    if first.starts_with("version:") && has("\nscenario:") {
        return report(text);
    }
    if has(console::TITLE) || has("benchmark_args=Namespace(") {
        return one(console::read(text));
    }
    if has("trtllm-bench") || has("= PERFORMANCE OVERVIEW") || has("= REQUEST DETAILS") {
        return one(trtllm::console(text));
    }
    if has("MLPerf Results Summary") || (has(" latency (ns)") && has("percentile")) {
        return one(mlperf::read(text));
    }
    if has("| t/s") || (has(" t/s |") && has(" test |")) {
        return llama_bench::markdown(text);
    }
    if text
        .lines()
        .any(|line| line.trim_start().starts_with("Decode.  median") || line.starts_with("Prefill. latency:"))
    {
        return one_batch::console(text);
    }
    if sglang_server::MARKS.iter().any(|mark| has(mark)) {
        return one(sglang_server::read(text));
    }
    if (has("timing_s/") || has("timing/gen:")) && (has("actor/") || has("/update_actor")) {
        return Err(Fault::Unpredicted {
            what: "a verl log",
            because: "a step of reinforcement learning generates, scores and trains; open a serving benchmark or a \
                      training log instead",
        });
    }
    training(text)
}

/// Reads a YAML report of llm-d-benchmark.
fn report(text: &str) -> Result<Vec<Measurement>, Fault> {
    match yaml::parse(text) {
        Ok(report) if llmd::is(&report) => llmd::read(&report).map(|point| vec![point]),
        Ok(_) => Err(Fault::Unknown),
        Err(why) => Err(Fault::Broken { what: "a report of llm-d-benchmark", why }),
    }
}

/// Reads a training log. The order of the checks matters: some formats' logs also contain the marks of formats below
/// them.
fn training(text: &str) -> Result<Vec<Measurement>, Fault> {
    let has = |mark: &str| text.contains(mark);
    let found = if megatron::MARKS.into_iter().any(has) {
        megatron::read(text)
    } else if has(megatron::TIMED) {
        return Err(Fault::Unread {
            what: "a log of Megatron-LM whose iterations are in another unit",
            instead: "a log with `elapsed time per iteration (ms)` or `(s)`, as Megatron-LM and its forks write it",
        });
    } else if has(nanotron::MARK) {
        nanotron::read(text)
    } else if has(maxtext::MARK) {
        maxtext::read(text)
    } else if unsloth::MARKS.iter().any(|mark| has(mark)) && !has("'train_runtime'") {
        unsloth::read(text)
    } else if has(trainer::MARK) {
        trainer::read(text)
    } else if has(deepspeed::TIMER)
        || has(deepspeed::PIPELINE)
        || has(deepspeed::PROFILER)
        || has(deepspeed::BREAKDOWN)
    {
        deepspeed::read(text)
    } else if has(composer::MARK) {
        composer::read(text)
    } else if (has("tps:") || has("wps:")) && (has("mfu:") || has("tflops:")) {
        torchtitan::read(text)
    } else {
        return Err(Fault::Unknown);
    };
    found.map(|point| vec![point])
}

/// The text without a terminal's control sequences (ECMA-48: `ESC [`, parameters, one final byte), and with a line for each
/// state of a progress bar.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\u{1b}');
    plain.extend(parts.next());
    for part in parts {
        let rest = part.strip_prefix('[').map_or(part, |sequence| {
            let rest = sequence.trim_start_matches(|mark: char| ('\u{20}'..='\u{3f}').contains(&mark));
            rest.strip_prefix(|mark: char| ('\u{40}'..='\u{7e}').contains(&mark)).unwrap_or(rest)
        });
        plain.push_str(rest);
    }
    Cow::Owned(plain.replace("\r\n", "\n").replace('\r', "\n"))
}
