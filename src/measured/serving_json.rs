//! Rows of `vllm bench serve` and SGLang's `bench_serving`: JSON with the same keys except for end-to-end latency.

use super::load::Load;
use super::object::{loose, number, statistics, text, truth};
use super::{Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Keys that every such row has.
const MARKS: [&str; 2] = ["request_throughput", "output_throughput"];

/// Returns true if a JSON object is a row of either client.
pub(super) fn is(row: &Json<'_>) -> bool {
    MARKS.iter().all(|key| number(row, key).is_some())
}

/// Reads a row.
pub(super) fn read(row: &Json<'_>) -> Measurement {
    // These keys exist only in the output of SGLang's client.
    let sglang = number(row, "mean_e2e_latency_ms").is_some() || row.get("random_range_ratio").is_some();
    let mut found = Measurement::new(if sglang { Format::SglangServing } else { Format::VllmServe });
    engine(row, &mut found);
    lengths(row, &mut found);
    met(row, &mut found);
    launched(row, &mut found);
    for (name, kind) in [
        ("ttft_ms", Kind::Ttft),
        ("tpot_ms", Kind::Tpot),
        ("itl_ms", Kind::Itl),
        ("e2el_ms", Kind::Latency),
        ("e2e_latency_ms", Kind::Latency),
    ] {
        statistics(&mut found, row, name, kind, 1e-3);
    }
    for (key, kind) in [
        ("output_throughput", Kind::Output),
        ("input_throughput", Kind::Input),
        ("total_token_throughput", Kind::Total),
        ("total_throughput", Kind::Total),
        ("request_throughput", Kind::Requests),
        ("concurrency", Kind::Concurrency),
    ] {
        found.reading(kind, Statistic::Whole, number(row, key));
    }
    if let (Some(input), Some(time)) = (number(row, "total_input_tokens"), number(row, "duration")) {
        found.reading(Kind::Input, Statistic::Whole, input / time);
    }
    unread_times(row, &mut found);
    bundled(&mut found);
    found
}

/// Remarks that latencies are under unknown keys, such as `mean_ttft_s`, if none was read.
fn unread_times(row: &Json<'_>, found: &mut Measurement) {
    let Json::Object(fields) = row else { return };
    let is_time = |key: &str| ["ttft", "tpot", "e2e"].iter().any(|name| key.contains(name));
    let mut unread = fields.iter().map(|(key, _)| &**key).filter(|key| is_time(key) && !key.ends_with("_ms"));
    if found.best(Kind::Ttft).is_none()
        && found.best(Kind::Tpot).is_none()
        && let Some(key) = unread.next()
    {
        found.remark(format!("Its times were not read: {} is not in ms", crate::scenario::names::shown(key)));
    }
}

/// Sets the model and the engine: `backend`, since one engine's client can measure another engine.
fn engine(row: &Json<'_>, found: &mut Measurement) {
    let model = [text(row, "model_id"), text(row, "model")];
    found.model(model.into_iter().find(|name| !name.is_empty()).unwrap_or(""));
    match text(row, "backend").split('-').next().unwrap_or("") {
        "vllm" => found.text("inference.engine", "vllm"),
        "sglang" => found.text("inference.engine", "sglang"),
        "trt" | "tensorrt" | "trtllm" => found.text("inference.engine", "trtllm"),
        // Every engine serves this protocol. The engine remains that of the file's format.
        "openai" => found.remark(
            "Its backend is openai, a protocol that names no engine: the engine that the client belongs to is assumed",
        ),
        "" => {}
        other => {
            found.text("inference.engine", "typical");
            let other = crate::scenario::names::shown(other);
            found.remark(format!(
                "The backend {other} has no fitted overheads: those of typical software are used"
            ));
        }
    }
}

/// Sets the mean prompt and output lengths, tokens, from the totals; the lengths asked for can differ.
fn lengths(row: &Json<'_>, found: &mut Measurement) {
    let completed = number(row, "completed");
    if completed == Some(0.0) {
        found.remark("No request succeeded");
    }
    let Some(completed) = completed.filter(|count| *count > 0.0) else { return };
    found.used = Some(completed as u32);
    let mean = |key: &str| number(row, key).map(|total| libm::round(total / completed).max(1.0));
    found.whole("inference.input", mean("total_input_tokens"));
    found.whole("inference.output", mean("total_output_tokens"));
    found.leave_out(number(row, "failed").unwrap_or(0.0) as usize, "that failed");
    let asked = [("input_len", "inference.input"), ("output_len", "inference.output")];
    for (key, path) in asked {
        if let (Some(asked), Some(sent)) = (loose(row, key), found.number_of(path))
            && (asked - sent).abs() > 0.05 * asked
        {
            found.remark(format!(
                "{asked} tokens were asked for ({key}), but requests have {sent} on average: the mean is used"
            ));
        }
    }
}

/// Sets the load.
fn met(row: &Json<'_>, found: &mut Measurement) {
    let rate = number(row, "request_rate").filter(|rate| *rate > 0.0 && *rate < 1e6);
    let most = number(row, "max_concurrency").filter(|most| *most > 0.0);
    Load { rate, most, requests: number(row, "num_prompts").or(number(row, "completed")) }.set(found);
}

/// Sets parallelism, formats and device from the server's launch, if the row has it: metadata of CI jobs, or SGLang's
/// `server_info`.
fn launched(row: &Json<'_>, found: &mut Measurement) {
    let info = row.get("server_info").unwrap_or(row);
    // With data-parallel attention, SGLang's `tp_size` GPUs hold `dp_size` attention replicas.
    let replicas = loose(info, "dp_size").filter(|size| *size > 1.0 && truth(info, "enable_dp_attention"));
    for (keys, path) in [
        (["tp_size", "tensor_parallel_size", "tp"], "inference.tensor"),
        (["pp_size", "pipeline_parallel_size", "pp"], "inference.pipeline"),
        (["ep_size", "expert_parallel_size", "ep"], "inference.expert"),
    ] {
        found.whole(path, keys.iter().find_map(|key| loose(info, key)).filter(|size| *size >= 1.0));
    }
    if let (Some(replicas), Some(all)) = (replicas, found.number_of("inference.tensor")) {
        found.whole("inference.tensor", (all / replicas).max(1.0));
        found.whole("inference.data", replicas);
    }
    let cache = text(info, "kv_cache_dtype");
    if cache.starts_with("fp8") {
        found.text("inference.kv_precision", "fp8");
    }
    if found.fact_of("model").is_none() {
        found.model(text(info, "model_path"));
    }
    let accepted = ["spec_decode_acceptance_length", "accept_length"];
    if let Some(length) = accepted.iter().find_map(|key| number(row, key)).filter(|length| *length > 1.0) {
        found.drafted(Some(length));
    }
    let quantized = [text(info, "quantization"), text(info, "dtype")];
    found.precision(quantized.into_iter().find(|name| !name.is_empty() && *name != "auto").unwrap_or(""));
    let gpu = [text(row, "gpu"), text(row, "gpu_type"), text(row, "device")];
    let gpu = gpu.into_iter().find(|name| !name.is_empty()).unwrap_or("");
    found.device(gpu);
    let replicas =
        [("decode_replicas", "inference.workers"), ("prefill_replicas", "inference.prefill_workers")];
    for (key, path) in replicas {
        found.whole(path, loose(row, key));
    }
    worker_gpus(gpu, found);
    found.number(
        "inference.cached",
        number(row, "cache_hit_rate").filter(|share| (0.0..=1.0).contains(share)),
    );
}

/// Sets tensor parallelism from the number of GPUs before their name (`4xNVIDIA_L40S`) and the replicas, if the row does not
/// give it.
fn worker_gpus(gpu: &str, found: &mut Measurement) {
    let count = gpu.split_once('x').and_then(|(count, _)| count.parse::<f64>().ok());
    let replicas = |path: &str| found.number_of(path).unwrap_or(0.0);
    let (workers, prefill) = (replicas("inference.workers"), replicas("inference.prefill_workers"));
    let Some(count) = count.filter(|_| workers >= 1.0 && found.fact_of("inference.tensor").is_none()) else {
        return;
    };
    let each = count / (workers + prefill);
    if each < 1.0 || each.fract() != 0.0 {
        found.remark(format!("Its {count} GPUs do not divide among {} replicas", workers + prefill));
        return;
    }
    found.whole("inference.tensor", each);
    if each > 1.0 {
        found.remark(format!(
            "Tensor parallelism of {each} is inferred: {count} GPUs in {} replicas",
            workers + prefill
        ));
    }
}

/// Remarks that a stream came in chunks of several tokens, so that ITL is not a time per token.
pub(super) fn bundled(found: &mut Measurement) {
    /// ITL over TPOT up to which a chunk counts as one token.
    const SAME: f64 = 1.5;
    let mean = |kind: Kind| found.value(kind, Statistic::Mean);
    if let (Some(chunk), Some(token)) = (mean(Kind::Itl), mean(Kind::Tpot))
        && chunk > SAME * token
    {
        let tokens = libm::round(chunk / token);
        found.remark(format!(
                "The stream came in chunks of about {tokens} tokens: TPOT is the time per token, ITL that per chunk"
            ));
    }
}
