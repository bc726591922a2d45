//! The block that serving clients print: `Label:   value` lines under "Serving Benchmark Result".

use super::load::Load;
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::launch;
use crate::scenario::{Fact, Scenario};

/// The title of the block.
pub(super) const TITLE: &str = "Serving Benchmark Result";

/// Labels in lower case, since SGLang and vLLM differ in capitals, with factor to the base unit, kind and statistic.
const READINGS: [(&str, f64, Kind, Statistic); 22] = [
    ("request throughput (req/s)", 1.0, Kind::Requests, Statistic::Whole),
    ("input token throughput (tok/s)", 1.0, Kind::Input, Statistic::Whole),
    ("output token throughput (tok/s)", 1.0, Kind::Output, Statistic::Whole),
    ("total token throughput (tok/s)", 1.0, Kind::Total, Statistic::Whole),
    ("concurrency", 1.0, Kind::Concurrency, Statistic::Whole),
    ("mean e2e latency (ms)", 1e-3, Kind::Latency, Statistic::Mean),
    ("median e2e latency (ms)", 1e-3, Kind::Latency, Statistic::Median),
    ("p99 e2e latency (ms)", 1e-3, Kind::Latency, Statistic::P99),
    ("mean e2el (ms)", 1e-3, Kind::Latency, Statistic::Mean),
    ("median e2el (ms)", 1e-3, Kind::Latency, Statistic::Median),
    ("p99 e2el (ms)", 1e-3, Kind::Latency, Statistic::P99),
    ("mean ttft (ms)", 1e-3, Kind::Ttft, Statistic::Mean),
    ("median ttft (ms)", 1e-3, Kind::Ttft, Statistic::Median),
    ("p99 ttft (ms)", 1e-3, Kind::Ttft, Statistic::P99),
    ("mean tpot (ms)", 1e-3, Kind::Tpot, Statistic::Mean),
    ("median tpot (ms)", 1e-3, Kind::Tpot, Statistic::Median),
    ("p99 tpot (ms)", 1e-3, Kind::Tpot, Statistic::P99),
    ("mean itl (ms)", 1e-3, Kind::Itl, Statistic::Mean),
    ("median itl (ms)", 1e-3, Kind::Itl, Statistic::Median),
    ("p99 itl (ms)", 1e-3, Kind::Itl, Statistic::P99),
    ("mean inter-token latency (ms)", 1e-3, Kind::Itl, Statistic::Mean),
    ("median inter-token latency (ms)", 1e-3, Kind::Itl, Statistic::Median),
];

/// Parts of labels of times. The clients print times in ms.
const TIMES: [&str; 5] = ["ttft", "tpot", "itl", "e2e", "latency"];

/// Numbers of the block that describe the load.
#[derive(Default)]
struct Block {
    /// Successful requests.
    completed: Option<f64>,
    /// Prompt tokens of all requests.
    input: Option<f64>,
    /// Output tokens of all requests.
    output: Option<f64>,
    /// Request rate, 1/s.
    rate: Option<f64>,
    /// Maximum number of concurrent requests.
    most: Option<f64>,
}

/// Reads the last block of a text, and the launch commands and the client's arguments before it.
pub(super) fn read(text: &str) -> Result<Measurement, Fault> {
    let (before, block) = text.rsplit_once(TITLE).unwrap_or((text, text));
    let sglang = block.contains("retokenized") || block.contains("E2E Latency") || before.contains("sglang");
    let mut found = Measurement::new(if sglang { Format::SglangServing } else { Format::VllmServe });
    let mut numbers = Block::default();
    for line in block.lines() {
        let Some((label, value)) = line.rsplit_once(':') else { continue };
        let (label, value) = (label.trim().to_lowercase(), super::lines::leading(value));
        if let Some((_, scale, kind, statistic)) = READINGS.iter().find(|(name, ..)| *name == label) {
            found.reading(*kind, *statistic, value.map(|value| value * scale));
        }
        let known = READINGS.iter().any(|(name, ..)| *name == label);
        if !known
            && value.is_some()
            && label.ends_with("(s)")
            && TIMES.iter().any(|name| label.contains(name))
        {
            found.remark(format!(
                "Not read: {}, which the clients print in ms",
                crate::scenario::names::shown(&label)
            ));
        }
        match &*label {
            "successful requests" => numbers.completed = value,
            "failed requests" => found.leave_out(value.unwrap_or(0.0) as usize, "that failed"),
            "acceptance length" | "accept length" if value.is_some_and(|length| length > 1.0) => {
                found.drafted(value);
            }
            "total input tokens" => numbers.input = value,
            "total generated tokens" => numbers.output = value,
            "traffic request rate" | "request rate configured (rps)" => numbers.rate = value,
            // The misspelling is the client's own.
            "max reqeuest concurrency" | "max request concurrency" | "maximum request concurrency" => {
                numbers.most = value;
            }
            _ => {}
        }
    }
    commanded(before, &mut found);
    if let Some(completed) = numbers.completed.filter(|count| *count > 0.0) {
        found.used = Some(completed as u32);
        let mean = |total: Option<f64>| total.map(|total| libm::round(total / completed).max(1.0));
        found.whole("inference.input", mean(numbers.input));
        found.whole("inference.output", mean(numbers.output));
    }
    let commanded = found.number_of("inference.concurrency");
    let most = numbers.most.or(commanded);
    if numbers.rate.is_some() || most.is_some() || numbers.completed.is_some() {
        Load { rate: numbers.rate, most, requests: numbers.completed }.set(&mut found);
    }
    super::serving_json::bundled(&mut found);
    if found.readings.is_empty() && !text.contains(TITLE) && found.number_of("inference.input").is_some() {
        found.remark("It has the client's arguments and no result: nothing is measured");
        return Ok(found);
    }
    if found.readings.is_empty() {
        return Err(Fault::Empty { what: found.format.name(), wanted: "number of its result block" });
    }
    Ok(found)
}

/// Sets what launch commands and a dump of the client's arguments give.
fn commanded(text: &str, found: &mut Measurement) {
    if let Some(commands) = launch::read(&Scenario::default(), text) {
        for Fact { path, value } in commands.facts.iter() {
            found.facts.set(path, value.clone());
        }
        for remark in commands.remarks {
            found.remark(remark);
        }
    }
    for line in text.lines().filter(|line| line.contains("Namespace(")) {
        arguments(line, found);
    }
}

/// Sets model and concurrency from the client's printed arguments, `Namespace(...)`.
fn arguments(line: &str, found: &mut Measurement) {
    let value = |name: &str| line.split_once(&format!(" {name}=")).map(|(_, rest)| rest);
    let word = |name: &str| value(name)?.strip_prefix('\'')?.split('\'').next();
    found.model(word("model").unwrap_or(""));
    let number = |name: &str| value(name).and_then(super::lines::leading);
    found.whole("inference.concurrency", number("max_concurrency"));
    // The client draws lengths uniformly from this share of the length asked for up to the whole.
    let mean = number("random_range_ratio").map_or(1.0, |share| 0.5 * (1.0 + share));
    if word("dataset_name").is_some_and(|name| name.starts_with("random")) {
        for (name, path) in
            [("random_input_len", "inference.input"), ("random_output_len", "inference.output")]
        {
            found.whole(path, number(name).map(|length| libm::round(length * mean).max(1.0)));
        }
    }
}
