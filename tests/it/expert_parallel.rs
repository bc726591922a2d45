//! Wide expert parallelism against published runs, and DeepSeek-V3's own training.

use foretoken::catalog::{self, Topology};
use foretoken::figure::Size;
use foretoken::scenario::{Scenario, link};
use foretoken::view;

/// DeepSeek-V3 in 8-bit blocks under SGLang, as many requests on each GPU; memory is not what is asked about.
fn served(gpus: u32, input: u32, batch: u32) -> foretoken::serving::InferenceEstimate {
    let document = format!(
        r#"{{"view": "inference", "model": "deepseek-v3", "system": {{"accelerator": "h100-sxm", "dram_gib": 4000}},
            "inference": {{"engine": "sglang", "input": {input}, "output": 2, "tensor": 1, "data": {gpus}, "expert": {gpus},
            "batch": {batch}, "precision": "fp8block"}}}}"#
    );
    Scenario::from_json(&document).and_then(|scenario| scenario.inference()).expect("an estimate")
}

#[test]
fn more_gpus_share_experts_and_decode_faster() {
    let few = served(8, 2000, 8 * 128).tpot;
    let many = served(64, 2000, 64 * 128).tpot;
    assert!(many < few * 0.6, "{few:?} on 8 GPUs, {many:?} on 64");
}

#[test]
fn prompts_over_32_gpus_are_read_as_fast_as_published() {
    // Balanced experts, as predicted: prompts of 4,096 tokens and EP 32 on 4 nodes of 8 H100. LMSYS, 5 May 2025: 59,337 tokens/s
    // on each node with random choices; DeepSeek's own profile: 62,713.
    let estimate = served(32, 4096, 32 * 4);
    let per_gpu = 4.0 * 4096.0 / estimate.ttft.get();
    for published in [59_337.0, 62_713.0] {
        assert!((8.0 * per_gpu / published - 1.0).abs() < 0.2, "{per_gpu:.0} tokens/s per GPU");
    }
}

/// Time to first token of 2,000 tokens on each of some attention replicas on GB200, with whole experts on each GPU.
fn prefilled(engine: &str, gpus: u32) -> f64 {
    let document = format!(
        r#"{{"view": "inference", "model": "deepseek-v3", "system": {{"accelerator": "gb200-nvl72"}},
            "inference": {{"engine": "{engine}", "input": 2000, "output": 2, "tensor": 1, "data": {gpus}, "expert": {gpus},
            "batch": {}, "precision": "fp8block", "kv_precision": "bf16"}}}}"#,
        8 * gpus
    );
    let estimate = Scenario::from_json(&document).and_then(|scenario| scenario.inference());
    estimate.expect("an estimate").ttft.get()
}

#[test]
fn sglang_sends_prompts_to_their_experts_inside_a_server() {
    // LMSYS, 16 June 2025: 18,471 tokens/s on each of four GB200 with prompts of 2,000 tokens. As gathered tokens they would be
    // read at a third of that.
    let per_gpu = 8.0 * 2000.0 / prefilled("sglang", 4);
    assert!((0.55..1.2).contains(&(per_gpu / 18_471.0)), "{per_gpu:.0} tokens/s per GPU");
    // TensorRT-LLM gathers tokens over as many GPUs as a token has experts, or fewer.
    assert!(prefilled("trtllm", 8) > 1.3 * prefilled("sglang", 8));
    assert!(prefilled("trtllm", 16) < prefilled("trtllm", 8), "16 GPUs send prompts");
}

/// DeepSeek-V3 on 2,048 H800 (arXiv 2412.19437): 16 stages of 61 layers, 64-way expert parallelism.
fn trained(dispatch: &str) -> f64 {
    let document = format!(
        r#"{{"view": "training", "model": "deepseek-v3",
            "system": {{"accelerator": "h800-sxm", "gpus": 2048, "dram_gib": 400}},
            "parallelism": {{"tensor": 1, "pipeline": 16, "expert": 64, "microbatch": 1, "recompute": "none",
            "schedule": "dualpipe", "expert_dispatch": "{dispatch}"}},
            "recipe": {{"batch": 15360, "sequence": 4096, "precision": "fp8block"}}}}"#
    );
    let estimate = Scenario::from_json(&document).and_then(|scenario| scenario.training());
    estimate.expect("an estimate").tokens_per_second_per_gpu
}

#[test]
fn deepseek_v3_trains_about_as_fast_as_published() {
    // Section 1: 14.8 T tokens in 2.664 M GPU hours.
    let published = 14.8e12 / 2.664e6 / 3600.0;
    let ours = trained("deep_ep");
    assert!((ours / published - 1.0).abs() < 0.2, "{ours:.0} of {published:.0} tokens/s per GPU");
    assert!(trained("all_to_all") < ours);
}

#[test]
fn links_that_are_no_switch_serve_small_groups_less() {
    let topology = |id| catalog::accelerator(id).expect("a device").scale_up.topology;
    assert_eq!(topology("h100-sxm"), Topology::Switched);
    assert!((topology("mi300x").share(2.0) - 1.0 / 7.0).abs() < 1e-12);
    assert!((topology("mi300x").share(8.0) - 1.0).abs() < 1e-12);
    // Two of a 3D torus have one of six links between them; 64 are a cube whose every GPU has all six.
    assert!((topology("tpu-v5p").share(2.0) - 1.0 / 6.0).abs() < 1e-12);
    assert!((topology("tpu-v5p").share(64.0) - 1.0).abs() < 1e-12);
    assert!((topology("tpu-v5p").steps(4096.0) - 45.0).abs() < 1e-9);
}

/// Two halves of a batch hide the exchange between domains only where reading the weights twice takes less.
#[test]
fn an_exchange_between_domains_is_hidden_by_large_batches_alone() {
    let exposed = |more: &str| {
        let link = "v=1&view=inference&model=deepseek-v3&gpu=h200-sxm&serve.in=2048&serve.out=512&serve.precision=fp8block\
                    &serve.tp=1&serve.dp=16&serve.ep=16&serve.engine=sglang";
        let decoded = foretoken::scenario::link::decode(&format!("{link}{more}"));
        assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
        let estimate = decoded.scenario.inference().expect("an answer");
        let term = estimate.terms_decode.iter().find(|term| term.id == "expert_parallel");
        let exchanged: f64 = estimate
            .decode
            .iter()
            .filter(|row| row.name.starts_with("Expert "))
            .map(|row| row.cost.time.get() * row.count)
            .sum();
        (term.map_or(0.0, |term| term.time.get()), exchanged)
    };
    let (few, all) = exposed("&serve.concurrency=16");
    assert!((few / all - 1.0).abs() < 1e-9, "one request per GPU: {few} of {all}");
    let (many, all) = exposed("&serve.concurrency=8192");
    assert!(many < 0.5 * all, "512 requests per GPU: {many} of {all}");
}

/// Engines have other software for experts across domains: an answer that assumes it says so.
#[test]
fn answers_name_what_they_assume_across_domains() {
    for (replicas, named) in [(8, false), (16, true)] {
        let question = format!(
            "v=1&view=inference&model=deepseek-v3&gpu=b200&serve.tp=1&serve.dp={replicas}&serve.ep={replicas}\
             &serve.engine=trtllm&serve.precision=fp4&serve.concurrency={}",
            52 * replicas
        );
        let answer = view::first(&link::decode(&question).scenario, Size::Wide).expect("an answer");
        assert_eq!(answer.part("across-domains").is_some(), named, "{replicas} replicas");
    }
}
