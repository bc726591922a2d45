//! Measured kernels as work that the model can cost.

pub mod report;
mod rule;
pub mod score;
mod table;

use std::fs;
use std::path::Path;

use foretoken::system::{
    AllReduce, Arrival, Attention, Collective, Exchange, Experts, Group, KernelLibrary, Load, Matmul,
    Operation, Precision, Work,
};
use foretoken::units::Bytes;
use foretoken::validation::{Case, Quantity, Question};

use crate::published::{self, Document};
pub use rule::Dropped;
use table::{Row, each_row};

/// A measured kernel.
pub struct Kernel {
    /// Work of the kernel.
    pub work: Work,
    /// Measured time, s.
    pub measured: f64,
    /// Key shared with the other kernels of the shape, which differ only in tokens, keys or bytes.
    pub shape: String,
}

/// The kernels of one device on which one group of constants is fitted and scored.
pub struct Sample {
    /// The device's catalogue id.
    pub device: &'static str,
    /// The group's key.
    pub group: &'static str,
    /// Library of the kernels.
    pub library: KernelLibrary,
    /// Name of the source in the calibration file.
    pub source: &'static str,
    /// Interval of fitted rows: the first of every `every` rows is fitted, the others are scored.
    pub every: usize,
    /// Kernels in the table's order.
    pub kernels: Vec<Kernel>,
    /// Rows that are left out, with the reasons.
    pub dropped: Dropped,
}

/// Catalogue ids, and what tables call these devices.
const DEVICES: [(&str, &str); 10] = [
    ("a100-sxm-80gb", "a100"),
    ("h100-sxm", "h100"),
    ("h200-sxm", "h200"),
    ("b200", "b200"),
    ("gb200-nvl72", "gb200"),
    ("b300", "b300"),
    ("gb300-nvl72", "gb300"),
    ("l40s", "l40s"),
    ("mi300x", "mi300x"),
    ("mi355x", "mi355x"),
];

const MATMULS: [(&str, &str, Precision); 8] = [
    ("matmul.bf16", "bf16", Precision::Bf16),
    ("matmul.fp8", "fp8", Precision::Fp8),
    ("matmul.fp8block", "fp8block", Precision::Fp8Block),
    ("matmul.fp4", "nvfp4", Precision::Fp4),
    ("matmul.fp4", "mxfp4", Precision::Fp4),
    ("matmul.int8", "int8sq", Precision::Int8),
    ("matmul.int8", "int8", Precision::Int8),
    ("matmul.int4", "int4wo", Precision::Int4),
];

const EXPERTS: [(&str, &str, Precision); 6] = [
    ("experts.bf16", "bfloat16", Precision::Bf16),
    ("experts.fp8", "fp8", Precision::Fp8),
    ("experts.fp8block", "fp8_block", Precision::Fp8Block),
    ("experts.fp4", "nvfp4", Precision::Fp4),
    ("experts.int4", "int4_wo", Precision::Int4),
    ("experts.mxfp4", "w4a16_mxfp4", Precision::Mxfp4),
];

const ATTENTIONS: [(&str, &str, &str); 8] = [
    ("prefill.bf16", "attention_context", "bfloat16"),
    ("prefill.fp8", "attention_context", "fp8"),
    ("decode.bf16", "attention_generation", "bfloat16"),
    ("decode.fp8", "attention_generation", "fp8"),
    ("latent-prefill.bf16", "mla_context", "bfloat16"),
    ("latent-prefill.fp8", "mla_context", "fp8"),
    ("latent-decode.bf16", "mla_generation", "bfloat16"),
    ("latent-decode.fp8", "mla_generation", "fp8"),
];

/// Rows of the smallest table on which a group is fitted: more than it has constants.
const FEWEST: usize = 20;

/// The engine whose all-reduce is calibrated: the fastest that every device was measured with.
const DIRECT: &str = "SGLang_CustomAllReduce_graph";

/// All samples for which there are tables below this folder.
pub fn samples(folder: &Path) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (device, name) in DEVICES {
        let mut add = |group, file: &str, every, read: &dyn Fn(&Row<'_>) -> Option<(Work, String)>| {
            let kernels = kernels_of(&folder.join("kernels").join(file), read);
            if kernels.len() >= FEWEST {
                let dropped = rule::dropped(device, group, &kernels);
                let source = if device.starts_with("mi") { "aiter" } else { "aiconfigurator" };
                let library = KernelLibrary::Usual;
                samples.push(Sample { device, group, library, source, every, kernels, dropped });
            }
        };
        for (group, format, precision) in MATMULS {
            add(group, &format!("gemm_{name}_{format}.csv"), 4, &|row| Some(matmul(row, precision)));
        }
        for (group, table, cache) in ATTENTIONS {
            add(group, &format!("{table}_{name}.csv"), 4, &|row| {
                (row.text("kv_cache_dtype") == cache).then(|| attention(row))
            });
        }
        for (group, format, precision) in EXPERTS {
            add(group, &format!("moe_{name}.csv"), 3, &|row| {
                (row.text("moe_dtype") == format).then(|| experts(row, precision))
            });
        }
        for (group, phase) in [("experts.contiguous", "context"), ("experts.masked", "generation")] {
            add(group, &format!("moe_exchanged_{name}.csv"), 2, &|row| {
                (row.text("phase") == phase).then(|| exchanged_experts(row))
            });
        }
        add("links.scale-up", &format!("nccl_{name}.csv"), 4, &|row| {
            (row.number("bytes") >= 4096.0).then(|| collective(row, AllReduce::Library)).flatten()
        });
        add("links.exchange", &format!("deepep_{name}.csv"), 4, &|row| Some(exchange(row)));
        add("links.direct", &format!("allreduce_custom_{name}.csv"), 2, &|row| {
            let fits = row.number("bytes") <= f64::from(8 << 20);
            (row.text("impl") == DIRECT && fits).then(|| collective(row, AllReduce::Automatic)).flatten()
        });
    }
    samples.push(perlmutter(folder));
    samples.push(four_servers(folder));
    samples.extend(of_tensorrt_llm(folder));
    samples
}

/// The rows of a table that are read as kernels.
fn kernels_of(path: &Path, read: &dyn Fn(&Row<'_>) -> Option<(Work, String)>) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    each_row(path, |row| {
        if let Some((work, shape)) = read(row) {
            kernels.push(Kernel { work, measured: row.number("latency_us") * 1e-6, shape });
        }
    });
    kernels
}

/// Multiplies in narrow formats of TensorRT-LLM's models in PyTorch. The FP8 tables of B300 and GB300, which the usual library
/// takes long kernels from, have no library in their names.
fn of_tensorrt_llm(folder: &Path) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (device, name) in DEVICES {
        for (group, format, precision) in MATMULS {
            let own = folder.join(format!("kernels/gemm_trtllm_{name}_{format}.csv"));
            let ultra = format == "fp8" && matches!(device, "b300" | "gb300-nvl72");
            let path = if ultra { folder.join(format!("kernels/gemm_{name}_{format}.csv")) } else { own };
            let kernels = kernels_of(&path, &|row| Some(matmul(row, precision)));
            if kernels.len() >= FEWEST {
                samples.push(Sample {
                    device,
                    group,
                    library: KernelLibrary::TensorRtLlmAlone,
                    source: "aiconfigurator-trtllm",
                    every: 4,
                    kernels,
                    dropped: Dropped::default(),
                });
            }
        }
    }
    samples
}

fn matmul(row: &Row<'_>, precision: Precision) -> (Work, String) {
    let (m, n, k) = (row.number("m"), row.number("n"), row.number("k"));
    let matmul = Matmul { m, n, k, count: 1.0, precision, output: 2.0 };
    (Work::Matmul(matmul), format!("{n} {k}"))
}

fn attention(row: &Row<'_>) -> (Work, String) {
    let latent = row.text("head_dim").is_empty();
    let (heads, dim) = (row.number("num_heads"), row.number("head_dim"));
    let decode = row.number("kv_past") > 0.0;
    let kv_heads = if latent { if decode { 1.0 } else { heads } } else { row.number("num_key_value_heads") };
    // DeepSeek's dimensions: expanded in prefill, those of the latent in decode.
    let (qk_dim, v_dim, cached_dim) = match (latent, decode) {
        (true, true) => (576.0, 512.0, 576.0),
        (true, false) => (192.0, 128.0, 576.0),
        _ => (dim, dim, 2.0 * dim),
    };
    let window = Some(row.number("window_size")).filter(|&window| window > 0.0);
    let attention = Attention {
        batch: row.number("batch_size"),
        heads,
        kv_heads,
        qk_dim,
        v_dim,
        cached_dim,
        queries: row.number("q_len"),
        keys: row.number("kv_past") + row.number("q_len"),
        window,
        causal: true,
        precision: Precision::Bf16,
        kv_element: Bytes::new(if row.text("kv_cache_dtype") == "fp8" { 1.0 } else { 2.0 }),
        backward: false,
    };
    (Work::Attention(attention), format!("{heads} {kv_heads} {dim} {window:?}"))
}

/// Experts of one GPU with the pairs that an exchange brings; the benchmark of prompts hands all tokens to the GPU.
fn exchanged_experts(row: &Row<'_>) -> (Work, String) {
    let (mut work, shape) = experts(row, Precision::Fp8Block);
    if let Work::Experts(experts) = &mut work {
        let contiguous = Arrival::Contiguous { tokens: experts.tokens };
        experts.arrival = if row.text("phase") == "context" { contiguous } else { Arrival::Masked };
    }
    (work, format!("{shape} {}", row.text("moe_ep_size")))
}

fn experts(row: &Row<'_>, precision: Precision) -> (Work, String) {
    let (hidden, inner) = (row.number("hidden_size"), row.number("inter_size"));
    let (top_k, experts) = (row.number("topk"), row.number("num_experts"));
    let balanced = row.text("distribution") == "balanced";
    let work = Experts {
        tokens: row.number("num_tokens"),
        hidden,
        width: inner / row.number("moe_tp_size"),
        gates: 2.0,
        top_k,
        experts,
        local: experts / row.number("moe_ep_size"),
        load: if balanced { Load::Balanced } else { Load::Skewed },
        arrival: Arrival::Gathered,
        precision,
    };
    (Work::Experts(work), format!("{hidden} {inner} {top_k} {experts}"))
}

fn operation(name: &str) -> Option<Operation> {
    match name {
        "" | "all_reduce" | "allreduce" => Some(Operation::AllReduce),
        "all_gather" | "allgather" => Some(Operation::AllGather),
        "reduce_scatter" | "reducescatter" => Some(Operation::ReduceScatter),
        _ => None,
    }
}

fn collective(row: &Row<'_>, algorithm: AllReduce) -> Option<(Work, String)> {
    let operation = operation(row.text("op"))?;
    let size = row.number("gpus") as u32;
    let group = Group::new(size, size);
    let bytes = Bytes::new(row.number("bytes"));
    Some((
        Work::Collective(Collective { operation, bytes, group, algorithm }),
        format!("{operation:?} {size}"),
    ))
}

/// A dispatch in 8 bits, with a 32-bit scale for every 128 elements, or a combine in 16.
fn exchange(row: &Row<'_>) -> (Work, String) {
    let (phase, kernels) = (row.text("phase"), row.text("kernels"));
    let (hidden, copies) = (row.number("hidden_size"), row.number("num_topk"));
    let element = if phase == "dispatch" { 1.0 + 4.0 / 128.0 } else { 2.0 };
    let size = row.number("gpus") as u32;
    let exchange = Exchange {
        bytes: Bytes::new(row.number("num_token") * hidden * element),
        copies,
        bulk: kernels != "low_latency",
        group: Group::new(size, size),
    };
    (Work::Exchange(exchange), format!("{phase} {kernels} {hidden} {copies}"))
}

/// Collectives between nodes of 1, 2 or 4 A100 with a link of 25 GB/s each.
fn perlmutter(folder: &Path) -> Sample {
    let mut kernels = Vec::new();
    each_row(&folder.join("nccl_perlmutter.csv"), |row| {
        let (nodes, inside) = (row.number("num_nodes") as u32, row.number("gpus_per_node") as u32);
        let Some(operation) = operation(row.text("op")).filter(|_| nodes > 1) else { return };
        let group = Group::new(nodes * inside, inside);
        let bytes = Bytes::new(row.number("size"));
        kernels.push(Kernel {
            work: Work::Collective(Collective { operation, bytes, group, algorithm: AllReduce::Library }),
            measured: row.number("time-o") * 1e-6,
            shape: format!("{operation:?} {nodes} {inside}"),
        });
    });
    Sample {
        device: "a100-sxm-80gb",
        group: "links.scale-out",
        library: KernelLibrary::Usual,
        source: "perlmutter",
        every: 4,
        kernels,
        dropped: Dropped::default(),
    }
}

/// Minimum size of an all-reduce between servers that is fitted or scored, bytes. The time of smaller ones depends on the latency of
/// the Elastic Fabric Adapter, which other networks do not share.
const SHORTEST: f64 = 1_073_741_824.0;

/// All-reduces over four servers of 8 B200 with an Elastic Fabric Adapter of 50 GB/s for each. They determine the bandwidth between
/// servers (`examples/kernels/fit.rs`).
fn four_servers(folder: &Path) -> Sample {
    let device = "b200";
    let kernel = |case: &Case| {
        let Ok(Question::Work { work: work @ Work::Collective(collective), .. }) = &case.question else {
            return None;
        };
        let Collective { operation, bytes, group, .. } = *collective;
        let (_, rate) = *case.measured.iter().find(|(quantity, _)| *quantity == Quantity::BusBandwidth)?;
        (case.device == device && group.domains() == 4 && bytes.get() >= SHORTEST).then(|| Kernel {
            work: *work,
            measured: collective.traffic().get() / (rate * 1e9),
            shape: format!("{operation:?} {}", group.size),
        })
    };
    let text = fs::read_to_string(folder.join("micro.jsonl")).unwrap_or_default();
    let cases = match published::read(&text) {
        Ok(Document::Cases(cases)) => cases,
        _ => Vec::new(),
    };
    Sample {
        device,
        group: "links.scale-out",
        library: KernelLibrary::Usual,
        source: "stas00-nccl",
        every: 2,
        kernels: cases.iter().filter_map(kernel).collect(),
        dropped: Dropped::default(),
    }
}
