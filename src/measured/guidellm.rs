//! GuideLLM's report: one point for each benchmark of a sweep.

use super::object::number;
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Metrics, with the factor to the base unit and the kind. `time_per_output_token_ms` is latency over all output
/// tokens; `inter_token_latency_ms` is what other clients call TPOT. Latency is in seconds.
const METRICS: [(&str, f64, Kind); 8] = [
    ("time_to_first_token_ms", 1e-3, Kind::Ttft),
    ("inter_token_latency_ms", 1e-3, Kind::Tpot),
    ("time_per_output_token_ms", 1e-3, Kind::PerToken),
    ("request_latency", 1.0, Kind::Latency),
    ("output_tokens_per_second", 1.0, Kind::Output),
    ("prompt_tokens_per_second", 1.0, Kind::Input),
    ("tokens_per_second", 1.0, Kind::Total),
    ("requests_per_second", 1.0, Kind::Requests),
];

/// Versions of the report that this reader was written for.
const KNOWN: [f64; 2] = [1.0, 2.0];

/// Returns true if a JSON document is GuideLLM's report.
pub(super) fn is(report: &Json<'_>) -> bool {
    report.list("benchmarks").iter().any(|benchmark| benchmark.get("metrics").is_some())
}

/// Reads every benchmark of a report.
pub(super) fn read(report: &Json<'_>) -> Result<Vec<Measurement>, Fault> {
    let mut points: Vec<Measurement> =
        report.list("benchmarks").iter().map(point).filter(|point| !point.readings.is_empty()).collect();
    let version = report.get("metadata").and_then(|metadata| number(metadata, "version"));
    if let Some(version) = version.filter(|version| !KNOWN.contains(version)) {
        for point in &mut points {
            point.remark(format!("The report is of version {version}, which is read like version 2"));
        }
    }
    if points.is_empty() {
        return Err(Fault::Empty { what: Format::Guidellm.name(), wanted: "metric of successful requests" });
    }
    Ok(points)
}

/// Reads one benchmark of a report, of which only successful requests count.
fn point(benchmark: &Json<'_>) -> Measurement {
    let mut found = Measurement::new(Format::Guidellm);
    let null = Json::Null;
    let metrics = benchmark.get("metrics").unwrap_or(&null);
    let successful = |name: &str| metrics.get(name).and_then(|metric| metric.get("successful"));
    for (name, factor, kind) in METRICS {
        let Some(values) = successful(name) else { continue };
        let percentiles = values.get("percentiles").unwrap_or(&null);
        let rate = !matches!(kind, Kind::Ttft | Kind::Tpot | Kind::PerToken | Kind::Latency);
        let mean = if rate { Statistic::Whole } else { Statistic::Mean };
        let mut take = |statistic, value: Option<f64>| {
            found.reading(kind, statistic, value.map(|value| value * factor));
        };
        take(mean, number(values, "mean"));
        if !rate {
            take(Statistic::Median, number(values, "median"));
            take(Statistic::P99, number(percentiles, "p99"));
        }
    }
    for (name, path) in
        [("prompt_token_count", "inference.input"), ("output_token_count", "inference.output")]
    {
        let mean = successful(name).and_then(|values| number(values, "mean"));
        found.whole(path, mean.map(libm::round));
    }
    let totals = metrics.get("request_totals").unwrap_or(&null);
    found.used = number(totals, "successful").map(|count| count as u32);
    for (key, why) in [("errored", "that failed"), ("incomplete", "that did not end in time")] {
        found.leave_out(number(totals, key).unwrap_or(0.0) as usize, why);
    }
    let config = benchmark.get("config").or(benchmark.get("args")).unwrap_or(&null);
    let strategy = config.get("strategy").unwrap_or(&null);
    let streams = number(strategy, "max_concurrency").or(number(strategy, "streams"));
    found.whole("inference.concurrency", streams);
    if streams.is_none() {
        found.number("inference.rate", number(strategy, "rate"));
    }
    if found.best(Kind::PerToken).is_some() && found.best(Kind::Tpot).is_none() {
        found.remark(
            "GuideLLM's time per output token is latency over all output tokens, the first included: not TPOT",
        );
    }
    found
}
