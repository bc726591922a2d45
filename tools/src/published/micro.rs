//! Single kernels and collectives.

use serde_json::{Map, Value};

use super::device;
use super::row::Row;
use foretoken::catalog;
use foretoken::scenario::SystemChoice;
use foretoken::system::{
    AllReduce, Attention, Collective, Group, KernelLibrary, Matmul, Operation, Precision, Stream, Work,
};
use foretoken::units::{Bytes, Flops};
use foretoken::validation::{Case, Family, Quantity, Question, Skip, Tier};

/// Working set of memory benchmarks that do not state one: far larger than any cache.
const STREAMED: Bytes = Bytes::from_gib(4.0);

/// The case of a row about one kernel or collective.
pub(super) fn case(row: &Row, params: &Map<String, Value>) -> Case {
    let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default();
    let kernel = [text("collective"), text("kernel"), text("op")].into_iter().find(|name| !name.is_empty());
    let question = work(row, params).and_then(|work| {
        let gpu = &row.hardware.gpu;
        let device = device::system(gpu).ok_or_else(|| Skip::NotModelled(format!("device {gpu}")))?;
        Ok(Question::Work { system: Box::new(system(row, device)?), work, library: library(row) })
    });
    Case {
        id: row.id.clone(),
        source: row.source_group.clone(),
        origin: row.source.line(),
        device: catalog::device_named(&row.hardware.gpu)
            .map_or_else(|| row.hardware.gpu.clone(), str::to_owned),
        model: kernel.unwrap_or(&row.category).to_owned(),
        family: Family::Kernel,
        precision: text("precision").to_owned(),
        tier: Tier::A,
        question,
        measured: measured(row),
        used_in_fit: false,
    }
}

/// The library that a row's origin names. Its tables call one operator at a time.
fn library(row: &Row) -> KernelLibrary {
    let path = row.source.path.as_deref().unwrap_or_default();
    if path.starts_with("TRTLLM") { KernelLibrary::TensorRtLlmAlone } else { KernelLibrary::Usual }
}

/// Measured quantities of a row: the time if it is given, otherwise the rate.
fn measured(row: &Row) -> Vec<(Quantity, f64)> {
    let latency = row.measured("latency_us").or_else(|| row.measured("time_us"));
    let rates = [Quantity::AchievedTflops, Quantity::AchievedBandwidth, Quantity::BusBandwidth];
    let rate = rates.into_iter().find_map(|rate| Some((rate, row.measured(rate.name())?)));
    latency.map(|micros| (Quantity::Latency, micros)).or(rate).into_iter().collect()
}

/// The system with the links between nodes that the row states, if any.
fn system(row: &Row, mut system: SystemChoice) -> Result<SystemChoice, Skip> {
    if row.hardware.n_nodes.is_some_and(|nodes| nodes > 1) {
        let link = row.hardware.interconnect.as_deref().unwrap_or_default();
        system.scale_out_gb_s = Some(match link {
            link if link.contains("8x200Gb/s") => 25.0,
            link if link.contains("8x400Gb/s") || link.contains("400Gb/s per GPU") => 50.0,
            _ => return Err(Skip::Missing("hardware.interconnect: the links between nodes")),
        });
    }
    Ok(system)
}

fn work(row: &Row, params: &Map<String, Value>) -> Result<Work, Skip> {
    match row.category.as_str() {
        "gemm_tflops" | "gemm_tflops_max" => matmul(params),
        "attention_prefill" => attention(params, "seq", false),
        "attention_decode" => attention(params, "kv_len", true),
        "hbm_bandwidth" => Ok(Work::Stream(Stream { bytes: STREAMED, flops: Flops::ZERO, backward: 1.0 })),
        "collective_latency" | "allreduce_busbw" | "collective_busbw" => collective(row, params),
        other => Err(Skip::NotModelled(other.to_owned())),
    }
}

fn number(params: &Map<String, Value>, name: &'static str) -> Result<f64, Skip> {
    params.get(name).and_then(Value::as_f64).ok_or(Skip::Missing(name))
}

fn matmul(params: &Map<String, Value>) -> Result<Work, Skip> {
    let text = params.get("precision").and_then(Value::as_str).ok_or(Skip::Missing("precision"))?;
    let precision = match text.split_whitespace().next().unwrap_or_default() {
        // DeepSeek's block scales: 128 × 128 weights, and 128 activations of a token.
        "FP8" if text.contains("block") || text.contains("128") => Precision::Fp8Block,
        "BF16" => Precision::Bf16,
        "FP16" => Precision::Fp16,
        "FP8" => Precision::Fp8,
        "NVFP4" | "FP4" => Precision::Fp4,
        "INT8" => Precision::Int8,
        other => return Err(Skip::NotModelled(format!("precision {other}"))),
    };
    // Grouped matrix multiplies give the rows per group.
    let (count, m) = match number(params, "groups") {
        Ok(groups) => (groups, number(params, "m_per_group")?),
        Err(_) => (1.0, number(params, "m")?),
    };
    let (n, k) = (number(params, "n")?, number(params, "k")?);
    Ok(Work::Matmul(Matmul { m, n, k, count, precision, output: 2.0 }))
}

fn attention(params: &Map<String, Value>, length: &'static str, decode: bool) -> Result<Work, Skip> {
    let tokens = number(params, length)?;
    let head = number(params, "head_dim")?;
    Ok(Work::Attention(Attention {
        batch: number(params, "batch")?,
        heads: number(params, "n_heads")?,
        kv_heads: number(params, "n_kv_heads")?,
        qk_dim: head,
        v_dim: head,
        cached_dim: 2.0 * head,
        queries: if decode { 1.0 } else { tokens },
        keys: tokens,
        window: None,
        causal: true,
        precision: Precision::Bf16,
        kv_element: Bytes::new(2.0),
        backward: false,
    }))
}

fn collective(row: &Row, params: &Map<String, Value>) -> Result<Work, Skip> {
    let name = params.get("collective").and_then(Value::as_str).ok_or(Skip::Missing("collective"))?;
    let operation = match name.replace('-', "_").split_whitespace().next().unwrap_or_default() {
        "all_reduce" => Operation::AllReduce,
        "all_gather" => Operation::AllGather,
        "reduce_scatter" => Operation::ReduceScatter,
        "alltoall" => Operation::AllToAll,
        other => return Err(Skip::NotModelled(other.to_owned())),
    };
    let bytes = number(params, "message_bytes").or_else(|missing| {
        // By the collection's convention, an element has two bytes.
        number(params, "message_elements").map(|elements| 2.0 * elements).map_err(|_| missing)
    })?;
    let size = row.hardware.n_gpus.ok_or(Skip::Missing("hardware.n_gpus"))?;
    let nodes = row.hardware.n_nodes.unwrap_or(1).max(1);
    let group = Group::new(size, (size / nodes).max(1));
    let algorithm = match params.get("algo").and_then(Value::as_str) {
        Some("Ring") => AllReduce::Ring,
        Some("NVLS") => AllReduce::InSwitch,
        _ if name.contains("one/two-shot") => AllReduce::Automatic,
        _ => AllReduce::Library,
    };
    Ok(Work::Collective(Collective { operation, bytes: Bytes::new(bytes), group, algorithm }))
}
