//! Aggregated points of InferenceX (formerly InferenceMAX): times in seconds, rates per GPU.

use super::object::{number, statistics, text, truth};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Returns true if a JSON object is an aggregated point of InferenceX.
pub(super) fn is(point: &Json<'_>) -> bool {
    point.get("hw").is_some() && number(point, "tput_per_gpu").is_some()
}

/// Reads an aggregated point; several nodes and disaggregation are refused.
pub(super) fn read(point: &Json<'_>) -> Result<Measurement, Fault> {
    let flag = |key: &str| truth(point, key);
    if flag("disagg") || flag("is_multinode") {
        return Err(Fault::Unread {
            what: "a disaggregated or multi-node point of InferenceX",
            instead: "a point of one node without disaggregation",
        });
    }
    let mut found = Measurement::new(Format::InferenceX);
    found.device(text(point, "hw"));
    found.model(text(point, "model"));
    found.precision(text(point, "precision"));
    let engine = text(point, "framework").to_lowercase();
    let known = [("vllm", "vllm"), ("sglang", "sglang"), ("trt", "trtllm")];
    let word = known.iter().find(|(part, _)| engine.contains(part)).map_or("typical", |(_, word)| word);
    found.text("inference.engine", word);
    // `tp` is the number of GPUs of a worker. With data-parallel attention each of them is an attention replica.
    let replicas = if flag("dp_attention") { "inference.data" } else { "inference.tensor" };
    for (key, path) in [
        ("conc", "inference.concurrency"),
        ("tp", replicas),
        ("pp", "inference.pipeline"),
        ("ep", "inference.expert"),
    ] {
        found.whole(path, number(point, key));
    }
    if flag("dp_attention") {
        found.whole("inference.tensor", 1.0);
        found.remark("Attention is data-parallel (dp_attention): each of the tp GPUs is taken as one attention replica");
    }
    let drafts = text(point, "spec_decoding");
    if !["", "none", "false", "off"].contains(&drafts.to_lowercase().as_str()) {
        found.drafted(None);
    }
    // InferenceX draws lengths from 0.8 to 1 times the nominal ones.
    for (key, path) in [("isl", "inference.input"), ("osl", "inference.output")] {
        found.whole(path, number(point, key).map(|length| libm::round(0.9 * length)));
    }
    found.remark(
        "InferenceX's lengths are nominal: requests have 0.8 to 1 times as many tokens, so 0.9 times is used",
    );
    for (name, kind) in
        [("ttft", Kind::Ttft), ("tpot", Kind::Tpot), ("itl", Kind::Itl), ("e2el", Kind::Latency)]
    {
        statistics(&mut found, point, name, kind, 1.0);
    }
    found.reading(Kind::TotalPerGpu, Statistic::Whole, number(point, "tput_per_gpu"));
    found.reading(Kind::OutputPerGpu, Statistic::Whole, number(point, "output_tput_per_gpu"));
    super::serving_json::bundled(&mut found);
    Ok(found)
}
