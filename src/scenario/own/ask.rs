//! The numbers that the form of a model or a GPU of one's own asks for.

use crate::catalog::layers::Moe;
use crate::catalog::{Accelerator, Architecture};

/// A number that the form of an entry asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Path below the entry in documents and problems, e.g. `dram.capacity_gib`.
    pub path: &'static str,
    /// Label.
    pub label: &'static str,
    /// Unit; empty for counts that the label names.
    pub unit: &'static str,
    /// Help, in a phrase.
    pub help: &'static str,
    /// True for whole numbers.
    pub whole: bool,
}

/// How a number of an entry is read and set. A required number is set to 0 by an empty text.
pub(super) struct Access<T> {
    pub(super) ask: Ask,
    pub(super) get: fn(&T) -> Option<f64>,
    pub(super) set: fn(&mut T, Option<f64>),
}

/// The number at a path.
pub(super) fn access<T>(all: &'static [Access<T>], path: &str) -> Option<&'static Access<T>> {
    all.iter().find(|access| access.ask.path == path)
}

/// A whole number that an entry always has, from its field's path.
macro_rules! whole {
    ($path:literal, $($field:ident).+, $label:literal, $unit:literal, $help:literal) => {
        Access {
            ask: Ask { path: $path, label: $label, unit: $unit, help: $help, whole: true },
            get: |entry| Some(f64::from(entry.$($field).+)),
            set: |entry, value| entry.$($field).+ = value.map_or(0, |value| value as u32),
        }
    };
}

/// A number that an entry always has.
macro_rules! real {
    ($path:literal, $($field:ident).+, $label:literal, $unit:literal, $help:literal) => {
        Access {
            ask: Ask { path: $path, label: $label, unit: $unit, help: $help, whole: false },
            get: |entry| Some(entry.$($field).+),
            set: |entry, value| entry.$($field).+ = value.unwrap_or_default(),
        }
    };
}

/// A number that an entry may lack.
macro_rules! optional {
    ($path:literal, $($field:ident).+, $label:literal, $unit:literal, $help:literal) => {
        Access {
            ask: Ask { path: $path, label: $label, unit: $unit, help: $help, whole: false },
            get: |entry| entry.$($field).+,
            set: |entry, value| entry.$($field).+ = value,
        }
    };
}

/// A number of a mixture of experts. The model has experts as soon as one of these is above 0.
macro_rules! expert {
    ($path:literal, $field:ident, $label:literal, $help:literal) => {
        Access {
            ask: Ask { path: $path, label: $label, unit: "", help: $help, whole: true },
            get: |model: &Architecture| model.moe.as_ref().map(|moe| f64::from(moe.$field)),
            set: |model, value| {
                let value = value.map_or(0, |value| value as u32);
                if value > 0 || model.moe.is_some() {
                    model.moe.get_or_insert_default().$field = value;
                }
                let none = |moe: &Moe| (moe.experts, moe.top_k, moe.ffn, moe.shared_ffn) == (0, 0, 0, 0);
                if model.moe.as_ref().is_some_and(none) {
                    model.moe = None;
                }
            },
        }
    };
}

/// The numbers of a model.
pub(super) const MODEL: &[Access<Architecture>] = &[
    whole!("layers", layers, "Layers", "", "Transformer layers"),
    whole!("hidden", hidden, "Hidden", "", "Width of the residual stream"),
    whole!("heads", heads, "Heads", "", "Query heads"),
    whole!("kv_heads", kv_heads, "KV heads", "", "Key-value heads; as many as query heads without grouping"),
    whole!("head_dim", head_dim, "Head width", "", "Width of one head, often the hidden width over heads"),
    whole!(
        "ffn",
        ffn,
        "FFN",
        "",
        "Inner width of the dense feed-forward block; 0 if every layer has experts"
    ),
    whole!("vocab", vocab, "Vocabulary", "tokens", "Tokens in the vocabulary"),
    whole!("max_sequence", max_sequence, "Context", "tokens", "Longest sequence of the model"),
    expert!("moe.experts", experts, "Experts", "Experts per layer; empty for a dense model"),
    expert!("moe.top_k", top_k, "Active experts", "Routed experts per token"),
    expert!("moe.ffn", ffn, "Expert FFN", "Inner width of an expert"),
    expert!("moe.shared_ffn", shared_ffn, "Shared FFN", "Inner width of all shared experts together"),
];

/// The numbers of a GPU.
pub(super) const GPU: &[Access<Accelerator>] = &[
    optional!("matrix_tflops.bf16", matrix_tflops.bf16, "BF16", "TFLOP/s", "Peak dense matrix rate"),
    optional!(
        "matrix_tflops.fp8",
        matrix_tflops.fp8,
        "FP8",
        "TFLOP/s",
        "Peak dense matrix rate; empty without such units"
    ),
    optional!(
        "matrix_tflops.fp4",
        matrix_tflops.fp4,
        "FP4",
        "TFLOP/s",
        "Peak dense matrix rate; empty without such units"
    ),
    real!(
        "vector_tflops",
        vector_tflops,
        "Vector FP32",
        "TFLOP/s",
        "Peak rate of the vector units, for elementwise operators"
    ),
    real!("dram.capacity_gib", dram.capacity_gib, "DRAM capacity", "GiB", "DRAM that software can allocate"),
    real!("dram.bandwidth_gb_s", dram.bandwidth_gb_s, "DRAM bandwidth", "GB/s", "Peak DRAM bandwidth"),
    real!(
        "scale_up.gb_s",
        scale_up.gb_s,
        "Scale-up bandwidth",
        "GB/s",
        "Links within a scale-up domain, per GPU and direction"
    ),
    whole!(
        "scale_up.domain",
        scale_up.domain,
        "Scale-up domain",
        "GPUs",
        "GPUs that the scale-up links connect"
    ),
    real!(
        "scale_out.gb_s",
        scale_out.gb_s,
        "Scale-out bandwidth",
        "GB/s",
        "Links between scale-up domains, per GPU and direction"
    ),
    optional!("tdp_w", tdp_w, "Design power", "W", "Thermal design power of the package"),
];
