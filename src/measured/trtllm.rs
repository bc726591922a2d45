//! `trtllm-bench`: the printed report, and the JSON of `--report_json`.

use super::object::{number, text};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::inference::Engine;
use crate::json::Json;
use crate::words::Word;

/// Returns true if a JSON document is a report of trtllm-bench.
pub(super) fn is(report: &Json<'_>) -> bool {
    report.get("world_info").is_some() && report.get("performance").is_some()
}

/// Reads a JSON report.
pub(super) fn read(report: &Json<'_>) -> Measurement {
    let mut found = Measurement::new(Format::Trtllm);
    let null = Json::Null;
    let part = |key: &str| report.get(key).unwrap_or(&null);
    let (engine, world, requests) = (part("engine"), part("world_info"), part("request_info"));
    found.model(text(engine, "model"));
    software(&mut found, text(engine, "version"));
    formats(
        &mut found,
        [text(engine, "quantization"), text(engine, "dtype")],
        text(engine, "kv_cache_dtype"),
    );
    for (key, path) in
        [("tp_size", "inference.tensor"), ("pp_size", "inference.pipeline"), ("ep_size", "inference.expert")]
    {
        found.whole(path, number(world, key));
    }
    for (key, path) in [
        ("avg_num_concurrent_requests", "inference.concurrency"),
        ("avg_input_length", "inference.input"),
        ("avg_output_length", "inference.output"),
    ] {
        found.whole(path, number(requests, key).map(libm::round));
    }
    found.used = number(requests, "num_requests").map(|count| count as u32);
    let performance = part("performance");
    for (key, scale, kind, statistic) in [
        ("request_throughput_req_s", 1.0, Kind::Requests, Statistic::Whole),
        ("system_output_throughput_tok_s", 1.0, Kind::Output, Statistic::Whole),
        ("system_total_throughput_tok_s", 1.0, Kind::Total, Statistic::Whole),
        ("output_throughput_per_gpu_tok_s", 1.0, Kind::OutputPerGpu, Statistic::Whole),
        ("avg_request_latency_ms", 1e-3, Kind::Latency, Statistic::Mean),
    ] {
        found.reading(kind, statistic, number(performance, key).map(|value| value * scale));
    }
    let streaming = part("streaming_metrics");
    for (mean, percentiles, kind) in
        [("avg_ttft_ms", "ttft_percentiles", Kind::Ttft), ("avg_tpot_ms", "tpot_percentiles", Kind::Tpot)]
    {
        found.reading(kind, Statistic::Mean, number(streaming, mean).map(|value| value * 1e-3));
        let percentiles = streaming.get(percentiles).unwrap_or(&null);
        for (key, statistic) in [("p50", Statistic::Median), ("p99", Statistic::P99)] {
            found.reading(kind, statistic, number(percentiles, key).map(|value| value * 1e-3));
        }
    }
    found
}

/// Sets the engine by TensorRT-LLM's version.
fn software(found: &mut Measurement, version: &str) {
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    let engine = parts
        .next()
        .zip(parts.next())
        .map_or(Engine::Trtllm, |(major, minor)| Engine::of_tensorrt_llm(major, minor));
    found.text("inference.engine", engine.word());
}

/// Sets the formats of weights and KV cache. Without quantization, weights have the format of activations.
fn formats(found: &mut Measurement, weights: [&str; 2], cache: &str) {
    found.precision(
        weights.into_iter().find(|name| crate::scenario::names::precision(name).is_some()).unwrap_or(""),
    );
    if let Some(word) = crate::scenario::names::precision(cache) {
        found.text("inference.kv_precision", word);
    }
}

/// Reads the printed report.
pub(super) fn console(report: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Trtllm);
    let mut weights = ["", ""];
    let mut cache = "";
    for line in report.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        let number = super::lines::leading(value);
        match label.trim() {
            "Model" => found.model(value),
            "TensorRT LLM Version" | "TensorRT-LLM Version" => software(&mut found, value),
            "Quantization" => weights[0] = value,
            "Dtype" => weights[1] = value,
            "KV Cache Dtype" => cache = value,
            "TP Size" => found.whole("inference.tensor", number),
            "PP Size" => found.whole("inference.pipeline", number),
            "EP Size" => found.whole("inference.expert", number),
            "Number of requests" => found.used = number.map(|count| count as u32),
            "Number of concurrent requests" => {
                found.whole("inference.concurrency", number.map(libm::round));
            }
            "Average Input Length (tokens)" => found.whole("inference.input", number.map(libm::round)),
            "Average Output Length (tokens)" => found.whole("inference.output", number.map(libm::round)),
            label => {
                let known = READINGS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(label));
                if let Some((_, scale, kind, statistic)) = known {
                    found.reading(*kind, *statistic, number.map(|number| number * scale));
                }
            }
        }
    }
    formats(&mut found, weights, cache);
    if found.readings.is_empty() {
        return Err(Fault::Empty {
            what: Format::Trtllm.name(),
            wanted: "number of its performance overview",
        });
    }
    Ok(found)
}

/// Labels of the printed report, with factor to the base unit, kind and statistic.
const READINGS: [(&str, f64, Kind, Statistic); 10] = [
    ("Request Throughput (req/sec)", 1.0, Kind::Requests, Statistic::Whole),
    ("Total Output Throughput (tokens/sec)", 1.0, Kind::Output, Statistic::Whole),
    ("Total Token Throughput (tokens/sec)", 1.0, Kind::Total, Statistic::Whole),
    ("Per GPU Output Throughput (tps/gpu)", 1.0, Kind::OutputPerGpu, Statistic::Whole),
    ("Average request latency (ms)", 1e-3, Kind::Latency, Statistic::Mean),
    ("Average time-to-first-token [TTFT] (ms)", 1e-3, Kind::Ttft, Statistic::Mean),
    ("Average time-per-output-token [TPOT] (ms)", 1e-3, Kind::Tpot, Statistic::Mean),
    ("[TTFT] P50", 1e-3, Kind::Ttft, Statistic::Median),
    ("[TPOT] P50", 1e-3, Kind::Tpot, Statistic::Median),
    ("[Latency] P50", 1e-3, Kind::Latency, Statistic::Median),
];
