//! Converts inference rows to scenarios.
//!
//! | field of the row | scenario |
//! |---|---|
//! | static batch, or prefill or decode alone | one batch; a decode from an empty context has one prompt token |
//! | "max load" | more concurrent requests than fit: memory or the engine's limit sets the batch; all requests of the run at once where the benchmark says how many |
//! | tokens per GPU | the batch of whole prompts that has as many |
//! | concurrency | concurrent requests |
//! | request rate | number of requests at this rate; "INF": all at once |
//! | software | engine; FasterTransformer, NeMo and their derivatives launch kernels from the host |

use super::device;
use super::model::model;
use super::row::Row;
use super::serving::keeps_latent_wide;
use super::trtllm_bench;
use foretoken::catalog;
use foretoken::inference::{Engine, InferenceLoad, Launch};
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::system::Precision;
use foretoken::validation::Quantity;
use foretoken::validation::{Case, Family, Question, Skip};

/// Number of concurrent requests that exceeds the capacity of every engine, so that requests always wait.
const UNLIMITED: u32 = 65_536;

/// Request rate, 1/s, at which all requests of a run arrive before the first is answered.
const AT_ONCE: f64 = 1e6;

/// Software that ran mixtures of experts with a replica of the attention blocks on each GPU: `enable_attention_dp: true`
/// for mixtures of experts in "Running the Benchmark", `docs/source/performance/perf-overview.md` of
/// NVIDIA/TensorRT-LLM@00f3768.
const MOE_REPLICAS: &str = "TensorRT-LLM 1.0 (trtllm-bench)";

/// The case of an inference row.
pub fn case(row: &Row, defect: Option<&'static str>) -> Case {
    let catalogued = catalog::device_named(&row.hardware.gpu).map(str::to_owned);
    Case {
        id: row.id.clone(),
        source: row.source_group.clone(),
        origin: row.source.line(),
        device: catalogued.unwrap_or_else(|| row.hardware.gpu.clone()),
        model: row.model.name.clone(),
        family: if row.model.n_experts.is_some() { Family::Moe } else { Family::Dense },
        precision: row.precision.clone(),
        tier: row.tier(),
        question: question(row, defect),
        measured: measured(row),
        used_in_fit: false,
    }
}

fn question(row: &Row, defect: Option<&'static str>) -> Result<Question, Skip> {
    let scenario = scenario(row)?;
    match defect {
        Some(rule) => Err(Skip::Defect(rule)),
        None => Ok(Question::Scenario(Box::new(scenario))),
    }
}

/// Measured fields and their quantities. Of several fields of one quantity, the first that a row has is used: the interval between the
/// parts of a streamed answer (ITL) is ten times the TPOT where a part holds ten tokens. Of a decode without prefill, only the time per
/// token is used.
const FIELDS: [(&str, Quantity); 9] = [
    ("ttft_ms", Quantity::Ttft),
    ("ttft_ms_mean", Quantity::Ttft),
    ("tpot_ms_mean", Quantity::Tpot),
    ("itl_ms_mean", Quantity::Tpot),
    ("decode_ms_per_token", Quantity::DecodePerToken),
    ("e2e_latency_ms", Quantity::RequestLatency),
    ("output_tokens_per_s", Quantity::OutputTokensPerSecond),
    ("output_tokens_per_s_per_gpu", Quantity::OutputTokensPerSecondPerGpu),
    ("prefill_tokens_per_s", Quantity::PrefillTokensPerSecond),
];

fn measured(row: &Row) -> Vec<(Quantity, f64)> {
    let fields = FIELDS.iter().filter_map(|&(name, quantity)| Some((quantity, row.measured(name)?)));
    let mut measured: Vec<(Quantity, f64)> = Vec::new();
    for (quantity, value) in fields {
        // Skip duplicates: throughput per GPU repeats the system's throughput, and a decode's rate its time per token.
        let again = match quantity {
            Quantity::OutputTokensPerSecondPerGpu => has(&measured, Quantity::OutputTokensPerSecond),
            Quantity::OutputTokensPerSecond => has(&measured, Quantity::DecodePerToken),
            _ => has(&measured, quantity),
        };
        if !again {
            measured.push((quantity, value));
        }
    }
    measured
}

fn has(measured: &[(Quantity, f64)], quantity: Quantity) -> bool {
    measured.iter().any(|(other, _)| *other == quantity)
}

pub(crate) fn scenario(row: &Row) -> Result<Scenario, Skip> {
    if row.measured.contains_key("oom") {
        return Err(Skip::NotModelled("out of memory".to_owned()));
    }
    if row.framework.starts_with("MLPerf") {
        return Err(Skip::Missing("tokens of each phase"));
    }
    let system = device::system(&row.hardware.gpu)
        .ok_or_else(|| Skip::NotModelled(format!("{} is not in the catalogue", row.hardware.gpu)))?;
    let workload = row.workload.as_ref().ok_or(Skip::Missing("workload"))?;
    if row.measured("prefill_tokens_per_s").is_none() && workload.cached_context_tokens.is_some() {
        return Err(Skip::NotModelled("a context that is cached already".to_owned()));
    }
    let engine = engine(&row.framework)?;
    let mut scenario =
        Scenario { view: View::Inference, model: model(&row.model)?, system, ..Scenario::default() };
    let system = &scenario.system;
    let (precision, kv_precision) = match precision(&row.precision)? {
        // The measured FP8 kernels of experts use block scales.
        (Precision::Fp8, kv) if scenario.has_experts() => (Precision::Fp8Block, kv),
        // "KV cache FP8 on Blackwell for gpt-oss" (TensorRT-LLM's performance overview of 2026).
        (Precision::Mxfp4, _)
            if system.accelerator().is_ok_and(|device| device.architecture == "Blackwell") =>
        {
            (Precision::Mxfp4, Precision::Fp8)
        }
        formats => formats,
    };
    let kv_precision = match &scenario.model {
        Choice::Named(id) if keeps_latent_wide(id, system) => Precision::Bf16,
        _ => kv_precision,
    };
    let tensor = row.parallel.tp.ok_or(Skip::Missing("parallel.tp"))?;
    let pipeline = row.parallel.pp.unwrap_or(1);
    // GH200 servers have one, two or 32 GPUs, so the interconnect cannot be derived from the number.
    let server = system.accelerator().map_or(1, |accelerator| accelerator.scale_up.domain);
    if server == 1 && tensor * pipeline > 1 && row.hardware.network.is_none() {
        return Err(Skip::Missing("hardware.network"));
    }
    let decode_alone = workload.input_tokens == Some(0);
    let prefill_alone = row.measured("prefill_tokens_per_s").is_some();
    let input = workload.input_tokens.ok_or(Skip::Missing("workload.input_tokens"))?.max(1);
    let output = match workload.output_tokens {
        Some(output) => output.max(1),
        None if prefill_alone => 1,
        None => return Err(Skip::Missing("workload.output_tokens")),
    };
    let attention_parallel = scenario.has_experts() && row.framework.contains(MOE_REPLICAS);
    let (tensor, data) =
        if attention_parallel { (1, tensor) } else { (tensor, row.parallel.attention_dp.unwrap_or(1)) };
    let load = InferenceLoad {
        input,
        output,
        tensor,
        data,
        pipeline,
        precision,
        kv_precision,
        engine,
        launch: launch(engine),
        expert: row.parallel.ep.unwrap_or(1),
        draft: u32::from(row.framework.contains("MTP")),
        ..batching(row)?
    };
    debug_assert!(!decode_alone || load.input == 1);
    scenario.inference = load;
    if is_largest_load(row) && row.framework.starts_with("TensorRT-LLM") {
        of_trtllm_bench(&mut scenario, row);
    }
    scenario.system.gpus = row.hardware.n_gpus.unwrap_or(tensor * data * pipeline);
    Ok(scenario)
}

/// Sets the number of requests of a run of TensorRT-LLM's benchmark, and the limits of its engine.
fn of_trtllm_bench(scenario: &mut Scenario, row: &Row) {
    let version = version(&row.framework);
    let (Ok(model), Ok(accelerator)) = (scenario.architecture(), scenario.system.accelerator()) else {
        return;
    };
    let mut load = scenario.inference;
    if let Some(requests) = trtllm_bench::requests(version, &load) {
        (load.rate, load.requests, load.concurrency) = (AT_ONCE, requests, 0);
    }
    trtllm_bench::limit(&mut load, version, &row.model.name, model, &accelerator);
    let whole = trtllm_bench::without_window(version, model);
    scenario.inference = load;
    if let Some(whole) = whole {
        scenario.model = Choice::Explicit(Box::new(whole));
    }
}

/// Returns true if requests always wait in the run.
fn is_largest_load(row: &Row) -> bool {
    let batch = &row.batch;
    batch.concurrency.is_none() && batch.batching.as_deref().is_some_and(|kind| kind.contains("max load"))
}

/// Batch, concurrency or request rate of the row.
fn batching(row: &Row) -> Result<InferenceLoad, Skip> {
    let batch = &row.batch;
    let load = InferenceLoad::default();
    if let Some(concurrency) = batch.concurrency {
        let rounds = batch.n_requests.map_or(0, |requests| requests / concurrency.max(1));
        return Ok(InferenceLoad { concurrency, rounds, ..load });
    }
    if is_largest_load(row) {
        return Ok(InferenceLoad { concurrency: UNLIMITED, ..load });
    }
    if let Some(rate) = &batch.request_rate_qps {
        // "INF": all requests arrive at once.
        let rate = rate.as_f64().unwrap_or(AT_ONCE);
        let requests = batch.n_requests.ok_or(Skip::Missing("batch.n_requests"))?;
        return Ok(InferenceLoad { rate, requests, ..load });
    }
    let of_tokens = batch.tokens_per_gpu.and_then(|tokens| {
        let prompt = row.workload.as_ref()?.input_tokens.filter(|input| *input > 0)?;
        Some(tokens.saturating_mul(row.hardware.n_gpus?) / prompt)
    });
    let batch = batch.batch_size.or(of_tokens).ok_or(Skip::Missing("batch.batch_size"))?;
    Ok(InferenceLoad { batch, ..load })
}

/// Number formats of the weights and of the KV cache.
fn precision(words: &str) -> Result<(Precision, Precision), Skip> {
    let lower = words.to_lowercase();
    let sixteen = if lower.contains("bf16") { Precision::Bf16 } else { Precision::Fp16 };
    Ok(match lower.split([' ', '/', '(', '_']).next().unwrap_or_default() {
        "fp16" | "bf16" | "f16" | "mixed" => (sixteen, sixteen),
        // TensorRT-LLM's published FP8 rows use an FP8 KV cache as well.
        "fp8" if !lower.contains('/') && !lower.contains('+') => (Precision::Fp8, Precision::Fp8),
        "nvfp4" | "fp4" => (Precision::Fp4, Precision::Fp8),
        "mxfp4" => (Precision::Mxfp4, Precision::Bf16),
        "q4" => {
            let mixed = lower.starts_with("q4_k");
            (if mixed { Precision::Q4KM } else { Precision::Q4_0 }, Precision::Fp16)
        }
        "q8" => (Precision::Q8_0, Precision::Fp16),
        "int8" => (Precision::Int8, Precision::Bf16),
        _ => return Err(Skip::NotModelled(format!("{words} weights"))),
    })
}

/// The first two numbers of a framework's version.
fn version(framework: &str) -> Option<(u32, u32)> {
    framework.split(' ').find_map(|word| {
        let mut parts = word.split('.').map(str::parse::<u32>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    })
}

/// The engine of a version of vLLM; the current one where the text has no version.
pub(super) fn vllm(text: &str) -> Engine {
    version(text).map_or(Engine::Vllm, |(major, minor)| Engine::of_vllm(major, minor))
}

/// The engine for a framework's name and version.
fn engine(framework: &str) -> Result<Engine, Skip> {
    let mut words = framework.split(' ');
    let version = version(framework);
    Ok(match words.next().unwrap_or_default() {
        "FasterTransformer" | "NeMo" => Engine::Fastertransformer,
        "Megatron-LM" => Engine::Megatron,
        "NVIDIA" if framework.contains("NeMo") => Engine::Fastertransformer,
        // NIM 1.5, the version of these rows, served engines compiled by TensorRT-LLM 0.x.
        "NVIDIA" => Engine::Tensorrt,
        // Attention replicas of 2026: the performance overview names no release.
        "TensorRT-LLM-dep" => Engine::Trtllm,
        "TensorRT-LLM" if framework.contains("trtllm-bench") => Engine::Trtllm10,
        "TensorRT-LLM" => {
            version.map_or(Engine::Trtllm, |(major, minor)| Engine::of_tensorrt_llm(major, minor))
        }
        "llama.cpp" if framework.contains("2024") => Engine::Llamacpp24,
        "llama.cpp" => Engine::Llamacpp,
        "vLLM" | "vLLM-MTP" => vllm(framework),
        "SGLang" | "SGLang-wide-EP" => Engine::Sglang,
        _ => return Err(Skip::NotModelled(framework.to_owned())),
    })
}

/// Kernel launch mode of an engine: engines of before 2024 launched every kernel from the host.
const fn launch(engine: Engine) -> Launch {
    match engine {
        Engine::Fastertransformer | Engine::Megatron => Launch::Stream,
        _ => Launch::Graph,
    }
}
