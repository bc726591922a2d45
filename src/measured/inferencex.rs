//! Aggregated points of InferenceX (formerly InferenceMAX): times in seconds, rates per GPU.

use super::object::{number, statistics, text, truth};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// Returns true if a JSON object is an aggregated point of InferenceX.
pub(super) fn is(point: &Json<'_>) -> bool {
    point.get("hw").is_some() && number(point, "tput_per_gpu").is_some()
}

/// Reads an aggregated point. Servers over several nodes that are not disaggregated are refused: their points do not say how
/// GPUs divide into workers.
pub(super) fn read(point: &Json<'_>) -> Result<Measurement, Fault> {
    let apart = [Pool::of(point, "prefill"), Pool::of(point, "decode")];
    let several = truth(point, "disagg") || truth(point, "is_multinode");
    if several && apart.contains(&None) {
        return Err(Fault::Unread {
            what: "a multi-node point of InferenceX without workers for prefill and for decode",
            instead: "a point of one node, or of disaggregated serving",
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
    found.whole("inference.concurrency", number(point, "conc"));
    match apart {
        [Some(prefill), Some(decode)] if several => separate(point, &prefill, &decode, &mut found),
        _ => one_worker(point, &mut found),
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
    super::serving_json::bundled(&mut found);
    Ok(found)
}

/// Sets the deployment and the rates of one worker on one node.
fn one_worker(point: &Json<'_>, found: &mut Measurement) {
    // `tp` is the number of GPUs of a worker. With data-parallel attention each of them is an attention replica.
    let attention = truth(point, "dp_attention");
    let replicas = if attention { "inference.data" } else { "inference.tensor" };
    for (key, path) in [("tp", replicas), ("pp", "inference.pipeline"), ("ep", "inference.expert")] {
        found.whole(path, number(point, key));
    }
    if attention {
        found.whole("inference.tensor", 1.0);
        found.remark(REPLICAS);
    }
    found.reading(Kind::TotalPerGpu, Statistic::Whole, number(point, "tput_per_gpu"));
    found.reading(Kind::OutputPerGpu, Statistic::Whole, number(point, "output_tput_per_gpu"));
}

/// Remark on data-parallel attention.
const REPLICAS: &str =
    "Attention is data-parallel (dp_attention): each of the tp GPUs is taken as one attention replica";

/// The workers of one phase of disaggregated serving.
#[derive(Clone, Debug, PartialEq)]
struct Pool<'a> {
    /// GPUs of all workers.
    gpus: f64,
    workers: f64,
    /// Degree of expert parallelism.
    expert: f64,
    /// True with data-parallel attention: each GPU of a worker is an attention replica.
    attention: bool,
    /// Pipeline stages of a worker.
    stages: f64,
    /// Device, if the phases name their own.
    device: &'a str,
}

impl<'a> Pool<'a> {
    /// The workers of a phase, `prefill` or `decode`; `None` if their number or their GPUs are missing.
    fn of(point: &'a Json<'_>, phase: &str) -> Option<Self> {
        let key = |name: &str| format!("{phase}_{name}");
        let count = |key: &str| number(point, key).filter(|count| *count >= 1.0);
        Some(Self {
            gpus: count(&format!("num_{phase}_gpu"))?,
            workers: count(&key("num_workers"))?,
            expert: count(&key("ep")).unwrap_or(1.0),
            attention: truth(point, &key("dp_attention")),
            stages: count(&key("pp")).unwrap_or(1.0),
            device: text(point, &key("hw")),
        })
    }

    /// Sets workers, tensor-parallel degree, attention replicas and expert-parallel degree.
    fn set(&self, paths: [&'static str; 4], found: &mut Measurement) {
        let each = self.gpus / self.workers / self.stages;
        let (tensor, replicas) = if self.attention { (1.0, each) } else { (each, 1.0) };
        for (path, value) in paths.into_iter().zip([self.workers, tensor, replicas, self.expert]) {
            found.whole(path, value);
        }
    }
}

/// Sets the deployment and the rates of disaggregated serving. The file divides output rates by the GPUs that decode and total
/// rates by all GPUs; the rates of all GPUs together are set.
fn separate(point: &Json<'_>, prefill: &Pool<'_>, decode: &Pool<'_>, found: &mut Measurement) {
    decode.set(["inference.workers", "inference.tensor", "inference.data", "inference.expert"], found);
    prefill.set(
        [
            "inference.prefill_workers",
            "inference.prefill_tensor",
            "inference.prefill_data",
            "inference.prefill_expert",
        ],
        found,
    );
    found.whole("inference.pipeline", decode.stages);
    if prefill.stages > 1.0 {
        found.remark(format!(
            "Its prefill workers have {} pipeline stages each; they are taken as one stage on as many GPUs as a stage has",
            prefill.stages
        ));
    }
    if prefill.attention || decode.attention {
        found.remark(REPLICAS);
    }
    if decode.device != prefill.device && !decode.device.is_empty() {
        found.device(decode.device);
        found.device_as("system.prefill", prefill.device);
    }
    let rate = |key: &str, gpus: f64| number(point, key).map(|rate| rate * gpus);
    found.reading(Kind::Total, Statistic::Whole, rate("tput_per_gpu", prefill.gpus + decode.gpus));
    found.reading(Kind::Output, Statistic::Whole, rate("output_tput_per_gpu", decode.gpus));
}
