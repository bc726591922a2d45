//! Reports of llm-d-benchmark, versions 0.1 and 0.2, in YAML or JSON. Both versions give a unit with each metric.

use super::object::{number, scale, text};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Latency and throughput metrics by name. Load generators define `time_per_output_token` differently: that of GuideLLM
/// includes the first token.
const METRICS: [(&str, Kind); 10] = [
    ("time_to_first_token", Kind::Ttft),
    ("time_per_output_token", Kind::Tpot),
    ("inter_token_latency", Kind::Itl),
    ("request_latency", Kind::Latency),
    ("input_token_rate", Kind::Input),
    ("output_token_rate", Kind::Output),
    ("total_token_rate", Kind::Total),
    ("request_rate", Kind::Requests),
    ("output_tokens_per_sec", Kind::Output),
    ("requests_per_sec", Kind::Requests),
];

/// Returns true if a document is a report of llm-d-benchmark.
pub(super) fn is(report: &Json<'_>) -> bool {
    let version = text(report, "version").to_owned();
    let version = number(report, "version").map_or(version, |number| number.to_string());
    version.starts_with("0.") && report.get("scenario").is_some() && metrics(report).is_some()
}

/// The object of metrics, which version 0.1 has under `metrics` and version 0.2 under `results`.
fn metrics<'a>(report: &'a Json<'_>) -> Option<&'a Json<'a>> {
    let newer = report.get("results").and_then(|results| results.get("request_performance"));
    newer.and_then(|results| results.get("aggregate")).or_else(|| report.get("metrics"))
}

/// Reads a report.
pub(super) fn read(report: &Json<'_>) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Llmd);
    let null = Json::Null;
    let metrics = metrics(report).unwrap_or(&null);
    let scenario = report.get("scenario").unwrap_or(&null);
    let load = scenario.get("load").unwrap_or(&null);
    let standard = load.get("standardized").unwrap_or(load);
    let tool = format!("{}{}", text(standard, "tool"), text(standard, "name"));
    for group in ["latency", "throughput"].into_iter().filter_map(|group| metrics.get(group)) {
        for (name, kind) in METRICS {
            let Some(metric) = group.get(name) else { continue };
            let first_included = kind == Kind::Tpot && tool.contains("guidellm");
            reading(&mut found, name, metric, if first_included { Kind::PerToken } else { kind })?;
        }
    }
    if found.readings.is_empty() {
        return Err(Fault::Empty {
            what: Format::Llmd.name(),
            wanted: "latency or throughput with its unit",
        });
    }
    let requests = metrics.get("requests").unwrap_or(&null);
    found.used = number(requests, "total").map(|total| total as u32);
    found.leave_out(number(requests, "failures").unwrap_or(0.0) as usize, "requests that failed");
    for (key, path) in [("input_length", "inference.input"), ("output_length", "inference.output")] {
        let mean = requests.get(key).and_then(|length| number(length, "mean"));
        found.whole(path, mean.map(libm::round));
    }
    let limit = number(standard, "concurrency").filter(|limit| *limit > 0.0);
    found.whole("inference.concurrency", limit);
    if limit.is_none() {
        found.number("inference.rate", number(standard, "rate_qps"));
    }
    deployment(scenario, &mut found);
    Ok(found)
}

/// Records the mean, median and 99th percentile of a metric, converted from its unit; of a rate only the mean.
fn reading(found: &mut Measurement, name: &str, metric: &Json<'_>, kind: Kind) -> Result<(), Fault> {
    let unit = text(metric, "units").trim_end_matches("/token").replace("queries", "requests");
    let scale = scale(Format::Llmd, name, &unit, kind)?;
    let rate = matches!(kind, Kind::Input | Kind::Output | Kind::Total | Kind::Requests);
    let mean = if rate { Statistic::Whole } else { Statistic::Mean };
    found.reading(kind, mean, number(metric, "mean").map(|value| value * scale));
    if !rate {
        found.reading(kind, Statistic::Median, number(metric, "p50").map(|value| value * scale));
        found.reading(kind, Statistic::P99, number(metric, "p99").map(|value| value * scale));
    }
    Ok(())
}

/// Reads model, device and parallelism from the first inference engine of the stack. Engines with roles are those of
/// disaggregated serving; the question keeps its own split into prefill and decode workers.
fn deployment(scenario: &Json<'_>, found: &mut Measurement) {
    let stack: Vec<&Json<'_>> =
        scenario.list("stack").iter().filter_map(|part| part.get("standardized")).collect();
    let mut engines = stack.iter().filter(|part| text(part, "kind") == "inference_engine");
    if let Some(model) = scenario.get("model") {
        found.model(text(model, "name"));
    }
    let Some(engine) = engines.next() else {
        found.remark("The report's stack has no inference engine: set the device and the parallelism");
        return;
    };
    let null = Json::Null;
    found.model(text(engine.get("model").unwrap_or(&null), "name"));
    let accelerator = engine.get("accelerator").unwrap_or(&null);
    found.device(text(accelerator, "model"));
    let parallelism = accelerator.get("parallelism").unwrap_or(&null);
    for (key, path) in [("tp", "inference.tensor"), ("pp", "inference.pipeline"), ("dp", "inference.data")] {
        found.whole(path, number(parallelism, key));
    }
    found.whole("inference.workers", number(engine, "replicas"));
    if engines.next().is_some() || matches!(text(engine, "role"), "prefill" | "decode") {
        found.remark(
            "Prefill and decode are disaggregated: the first engine of the report is used; set the workers of the \
             other role",
        );
    }
}
