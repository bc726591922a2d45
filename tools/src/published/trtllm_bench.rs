//! Runs of TensorRT-LLM's own benchmark at its largest load: number of requests, and limits that the engine was built with.
//!
//! The limits of an engine are part of its build. `trtllm-bench build` took them from a table until 0.14
//! (`tensorrt_llm/bench/build/benchmark_config.yml` of NVIDIA/TensorRT-LLM@201135e5) and from the model's size since 0.15
//! (`calc_engine_setting`, `tensorrt_llm/bench/build/tuning.py` @8f91cff2). Engines of 0.10 had the same limits for all models
//! ("Methodology", `docs/source/performance/perf-overview.md` @9bd15f19).

use foretoken::catalog::{Accelerator, Architecture};
use foretoken::inference::InferenceLoad;
use foretoken::system::Precision;
use foretoken::units::Bytes;

/// Prompt and output tokens of the largest loads, and the number of requests of such a run, all of which are queued at once
/// ("Preparing a Dataset" in `docs/source/performance/perf-overview.md` of versions 0.12 to 1.0, and
/// `docs/source/developer-guide/perf-overview.md` of 2026 for multiples of 1,024 tokens). Runs of 30,000 requests of 128 + 128
/// tokens have no beginning or end that shows.
const DATASETS: [(u32, u32, u32); 14] = [
    (128, 2048, 3000),
    (128, 4096, 1500),
    (2048, 128, 3000),
    (2048, 2048, 1500),
    (5000, 500, 1500),
    (1000, 1000, 3000),
    (500, 2000, 3000),
    (20_000, 2000, 1000),
    (1000, 2000, 1500),
    (1024, 8192, 1500),
    (8192, 1024, 1500),
    (1024, 1024, 3000),
    (32_768, 1024, 1000),
    (1024, 32_768, 1000),
];

/// Number of requests of every run with 0.10 ("Methodology", as above).
const REQUESTS_0_10: u32 = 2000;

/// Number of requests of a run at the largest load of a version; `None` for an endless queue.
pub(super) fn requests(version: Option<(u32, u32)>, load: &InferenceLoad) -> Option<u32> {
    if let Some((0, ..=10)) = version {
        return Some(REQUESTS_0_10);
    }
    let found = DATASETS.iter().find(|(input, output, _)| (*input, *output) == (load.input, load.output));
    found.map(|(.., requests)| *requests)
}

/// Limits of an engine of 0.12 to 0.14: model, tensor parallelism, tokens of a request (0 for all others), requests and tokens
/// of a step.
const TABLE: [(&str, u32, u32, u32, u32); 26] = [
    ("Llama-2-7B", 1, 0, 4096, 8192),
    ("Llama-2-70B", 2, 0, 2048, 2048),
    ("Llama-2-70B", 4, 0, 4096, 8192),
    ("Llama-2-70B", 4, 4224, 256, 8192),
    ("Llama-2-70B", 8, 0, 8192, 16_384),
    ("Llama-2-70B", 8, 2176, 1024, 16_384),
    ("Falcon-180B", 4, 0, 4096, 8192),
    ("Falcon-180B", 8, 0, 2048, 8192),
    ("GPT-J-6B", 1, 0, 128, 2048),
    ("GPT-J-6B", 1, 256, 2048, 2048),
    ("Llama-3-8B", 1, 0, 2048, 8192),
    ("Llama-3-70B", 1, 0, 2048, 2048),
    ("Llama-3-70B", 2, 0, 256, 1024),
    ("Llama-3-70B", 2, 4096, 2048, 1024),
    ("Llama-3-70B", 4, 0, 2048, 1024),
    ("Llama-3-70B", 8, 0, 8192, 16_384),
    ("Llama-3.1-405B", 8, 0, 320, 5440),
    ("Llama-3.1-405B", 8, 256, 2048, 4096),
    ("Llama-3.1-405B", 8, 2500, 320, 512),
    ("Llama-3.1-405B", 8, 4096, 192, 512),
    ("Llama-3.1-405B", 8, 5500, 192, 512),
    ("Llama-3.1-405B", 8, 22_000, 64, 768),
    ("Mixtral-8x7B", 2, 0, 2048, 3072),
    ("Mixtral-8x7B", 4, 0, 8192, 8192),
    ("Mixtral-8x7B", 8, 0, 8192, 8192),
    ("Mistral-7B", 1, 0, 4098, 8192),
];

/// The model as versions before 1.0 ran it, if it has layers with a sliding window: the window is a setting of the runtime
/// (`max_attention_window_size`, "Sliding Window Attention" in `docs/source/advanced/gpt-attention.md` @8f91cff2) which the benchmark
/// leaves at the whole length.
pub(super) fn without_window(version: Option<(u32, u32)>, model: &Architecture) -> Option<Architecture> {
    let compiled = version.is_some_and(|(major, _)| major == 0);
    (compiled && model.window.is_some()).then(|| Architecture { window: None, ..model.clone() })
}

/// Sets the limits with which the benchmark of a version built its engine for this load; nothing where they are not known.
pub(super) fn limit(
    load: &mut InferenceLoad,
    version: Option<(u32, u32)>,
    name: &str,
    model: &Architecture,
    accelerator: &Accelerator,
) {
    let Some((0, minor)) = version else { return };
    let found = match minor {
        10 => Some((2048, 2048)),
        12..=14 => tabulated(name, load),
        15.. => Some(derived(load, model, accelerator)),
        _ => None,
    };
    if let Some((sequences, tokens)) = found {
        load.max_sequences = Some(sequences);
        load.token_budget = Some(tokens);
    }
    if minor >= 15 {
        load.memory_share = Some(SHARE_0_15);
    }
}

/// Limits of the table: those of the request's length, otherwise those of all lengths.
fn tabulated(name: &str, load: &InferenceLoad) -> Option<(u32, u32)> {
    let of = |length: u32| {
        let found = TABLE.iter().find(|row| (row.0, row.1, row.2) == (name, load.tensor, length));
        found.map(|row| (row.3, row.4))
    };
    of(load.input + load.output).or_else(|| of(0))
}

/// Fraction of the free memory that the KV cache gets in runs of 0.15 ("in majority of cases", `perf-overview.md` @8f91cff2). It is
/// also what [`derived`] expects.
const SHARE_0_15: f64 = 0.95;

/// Limits that follow from the number of requests that fit, as `calc_engine_setting` estimates it.
fn derived(load: &InferenceLoad, model: &Architecture, accelerator: &Accelerator) -> (u32, u32) {
    let narrow = |precision: Precision| if precision.element().get() < 1.5 { 1.0 } else { 2.0 };
    let gpus = f64::from(load.tensor * load.pipeline);
    let engine = model.parameters().total as f64 / 1e9 * narrow(load.precision);
    let free = accelerator.dram.capacity_gib * gpus - engine;
    let heads = f64::from(load.tensor.max(model.kv_heads));
    let elements = 2.0 * f64::from(model.layers) * heads * f64::from(model.head_dim);
    let token = Bytes::new(elements * narrow(load.kv_precision)).to_gib();
    let fit = free * SHARE_0_15 / token / f64::from(load.input + load.output);
    let sequences = fit.min(4096.0) / f64::from(load.pipeline);
    let tokens = (sequences * (1.0 + f64::from(load.input) / f64::from(load.output))).min(32_768.0);
    let up = |value: f64, step: f64| (value / step).ceil() * step;
    let sequences = match sequences {
        ..256.0 => up(sequences, 32.0).max(64.0),
        ..1024.0 => up(sequences, 128.0),
        _ => up(sequences, 256.0),
    };
    let tokens = match tokens {
        ..4096.0 => up(tokens, 256.0).max(2048.0),
        ..8192.0 => up(tokens, 512.0),
        _ => up(tokens, 1024.0),
    };
    (sequences as u32, tokens as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretoken::catalog;

    fn limits(version: (u32, u32), name: &str, load: &InferenceLoad) -> (Option<u32>, Option<u32>) {
        let model = catalog::model_named(name).expect("a model");
        let accelerator = catalog::accelerator("h100-sxm").expect("a device");
        let mut load = *load;
        limit(&mut load, Some(version), name, model, accelerator);
        (load.max_sequences, load.token_budget)
    }

    fn load(tensor: u32, precision: Precision) -> InferenceLoad {
        let kv_precision = precision;
        InferenceLoad {
            input: 128,
            output: 4096,
            tensor,
            precision,
            kv_precision,
            ..InferenceLoad::default()
        }
    }

    #[test]
    fn limits_are_those_of_the_version() {
        let of = |version, name: &str, load: InferenceLoad| limits(version, name, &load);
        let halves = |tensor| load(tensor, Precision::Fp16);
        assert_eq!(of((0, 10), "Llama-3-70B", halves(8)), (Some(2048), Some(2048)));
        assert_eq!(of((0, 11), "Llama-3-70B", halves(8)), (None, None));
        assert_eq!(of((0, 13), "Llama-3-70B", halves(8)), (Some(8192), Some(16_384)));
        assert_eq!(of((0, 13), "Llama-2-70B", halves(4)), (Some(256), Some(8192)));
        assert_eq!(of((0, 13), "Llama-2-70B", halves(1)), (None, None));
        assert_eq!(of((1, 0), "Llama-3-70B", halves(8)), (None, None));
        // 640 GiB without 141 GB of weights hold 367 requests of 1.29 GiB in 95 %.
        assert_eq!(of((0, 15), "Llama-3-70B", halves(8)), (Some(384), Some(2048)));
        // Block scales are not counted: 47 GB of 80 GiB are left for requests of 0.26 GiB.
        assert_eq!(of((0, 15), "Mixtral-8x7B", load(1, Precision::Fp8Block)), (Some(128), Some(2048)));
    }

    #[test]
    fn runs_have_the_requests_of_their_version() {
        let load = load(1, Precision::Fp8);
        assert_eq!(requests(Some((0, 10)), &load), Some(2000));
        assert_eq!(requests(Some((0, 13)), &load), Some(1500));
        assert_eq!(requests(None, &InferenceLoad { output: 128, ..load }), None);
    }
}
