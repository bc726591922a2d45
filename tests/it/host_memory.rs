//! Layers and experts of llama.cpp in host memory: bytes that are read, memory on both sides, laws, offers.

#![allow(clippy::disallowed_methods)]

use foretoken::estimate::Term;
use foretoken::scenario::link::{decode, encode};
use foretoken::scenario::{Choice, Scenario};
use foretoken::serving::InferenceEstimate;
use foretoken::units::{Bytes, Seconds};

/// Llama-3.1-8B in 16 bits beside a GPU of 24 GiB.
const DENSE: &str = "v=1&view=inference&model=llama-3.1-8b&gpu=rtx-4090&serve.in=512&serve.out=128&serve.batch=1&serve.tp=1\
                     &serve.precision=fp16&serve.kv=fp16&serve.engine=llamacpp";

/// gpt-oss-120b in its own format beside a GPU of 24 GiB.
const EXPERTS: &str = "v=1&view=inference&model=gpt-oss-120b&gpu=rtx-4090&serve.in=512&serve.out=128&serve.batch=1&serve.tp=1\
                       &serve.precision=mxfp4&serve.kv=fp16&serve.engine=llamacpp";

/// Bandwidth of the default host memory that decoding reaches: 77 % of 89.6 GB/s.
const HOST: f64 = 0.77 * 89.6e9;

fn scenario(link: &str) -> Scenario {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.scenario
}

fn served(link: &str) -> InferenceEstimate {
    scenario(link).served().unwrap_or_else(|problems| panic!("{link}: {}", problems[0]))
}

fn term(terms: &[Term], id: &str) -> f64 {
    terms.iter().find(|term| term.id == id).map_or(0.0, |term| term.time.get())
}

/// The figure of both memories is there if layers are in host memory, with their sizes in its table.
#[test]
fn both_memories_are_drawn() {
    use foretoken::figure::{Size, memories};
    use foretoken::inference::Place;
    let estimate = served(&format!("{DENSE}&serve.ngl=17"));
    let host = estimate.host_memory.expect("host memory");
    let figure = memories(&estimate.memory, (Place::Host, host), Size::Wide);
    assert!(figure.finding.contains("of the weights are in host memory"), "{}", figure.finding);
    let csv = figure.table.to_csv();
    for part in ["Weights", "KV cache", "Activations", "Total", "Capacity", "Free"] {
        assert!(csv.lines().any(|line| line.starts_with(part)), "{part}: {csv}");
    }
    assert!(!csv.contains("Gradients"), "{csv}");
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{what}: {found} is not {expected}");
}

fn problem(link: &str) -> String {
    scenario(link).inference().err().map_or_else(String::new, |problems| problems[0].to_string())
}

/// A layer of Llama-3.1-8B: projections of 4096 x (4096 + 2 x 1024 + 4096), an MLP of 3 x 4096 x 14336, keys and values
/// of 8 heads of 128 elements.
#[test]
fn a_layer_on_the_cpu_reads_its_weights_and_its_keys() {
    let matrices = 2.0 * (4096.0 * (4096.0 + 2048.0 + 4096.0) + 3.0 * 4096.0 * 14_336.0);
    let keys = 2.0 * 2.0 * 8.0 * 128.0 * (512.0 + 128.0 / 2.0);
    for away in [1.0, 8.0, 32.0] {
        let estimate = served(&format!("{DENSE}&serve.ngl={}", 33.0 - away));
        near(term(&estimate.terms_decode, "cpu"), away * (matrices + keys) / HOST, "decode");
        assert!(term(&estimate.terms_decode, "copies").abs() < 1e-12);
        let host = estimate.host_memory.expect("host memory");
        let norms = 2.0 * 4096.0 * 2.0;
        let embedding = 128_256.0 * 4096.0 * 2.0;
        near(host.weights.get(), away * (matrices + norms) + embedding, "weights");
        near(host.kv_cache.get(), away * 2.0 * 2.0 * 8.0 * 128.0 * (512.0 + 128.0), "KV cache");
    }
}

/// Speeds that others measured beside a host of other memory (i9-10900X with four channels of DDR4, here at 102 GB/s; AlexsJones/llmfit#755,
/// #774, #775, #778): tokens/s at a context of up to 4,096, 4-bit weights, gpt-oss in its own format. Nothing was fitted to
/// them; this CPU reaches less of its bandwidth than the one that the share is of.
#[test]
fn published_speeds_are_met() {
    let mut ratios = Vec::new();
    for (model, more, measured) in [
        ("qwen3-30b-a3b", "ncmoe=36", 36.7),
        ("gpt-oss-20b", "ncmoe=12", 36.4),
        ("deepseek-v2-lite", "ncmoe=16", 49.6),
        ("gemma-3-12b", "ngl=44", 26.1),
        ("qwen3-14b", "ngl=32", 16.9),
        ("phi-4", "ngl=32", 16.7),
        ("gemma-2-9b", "ngl=36", 23.7),
        ("qwen2.5-14b", "ngl=42", 20.8),
        ("mistral-small-3.2-24b", "ngl=16", 5.2),
    ] {
        let format = if model == "gpt-oss-20b" { "mxfp4" } else { "q4_k_m" };
        let estimate = served(&format!(
            "v=1&view=inference&model={model}&gpu=rtx-2080&serve.in=256&serve.out=256&serve.batch=1&serve.tp=1\
             &serve.precision={format}&serve.kv=fp16&serve.engine=llamacpp&host_gb_s=102.4&serve.{more}"
        ));
        let ratio = estimate.tpot.get() * measured;
        println!(
            "{model} {more}: {:.1} for {measured}, memory {:.2} GiB",
            1.0 / estimate.tpot.get(),
            estimate.memory.total().to_gib()
        );
        ratios.push(ratio);
    }
    assert!(ratios.iter().all(|ratio| (0.3..1.1).contains(ratio)), "{ratios:?}");
}

/// Prompts are computed on the GPU, after the weights and the keys of 512 tokens have come over 16 lanes of PCIe 4.
#[test]
fn prompts_copy_weights_to_the_gpu() {
    let matrices = 2.0 * (4096.0 * (4096.0 + 2048.0 + 4096.0) + 3.0 * 4096.0 * 14_336.0);
    let keys = 2.0 * 2.0 * 8.0 * 128.0 * 512.0;
    let ideal = |more: &str| served(&format!("{DENSE}&assumptions=ideal&serve.ngl=25{more}"));
    let estimate = ideal("");
    let link = 31e9;
    near(term(&estimate.terms_prefill, "copies"), 8.0 * (matrices + keys) / link, "copies");
    assert!(term(&estimate.terms_prefill, "cpu").abs() < 1e-12);
    // Fewer than 32 tokens are computed on the CPU.
    let short = ideal("&serve.in=31");
    assert!(term(&short.terms_prefill, "copies").abs() < 1e-12 && term(&short.terms_prefill, "cpu") > 0.0);
    assert!(term(&ideal("&serve.in=32").terms_prefill, "copies") > 0.0);
    // 2,048 tokens are read in four slices of 512, each of which copies all weights.
    let calibrated = |input: u32| served(&format!("{DENSE}&serve.ngl=25&serve.in={input}")).terms_prefill;
    let (once, four) = (term(&calibrated(512), "copies"), term(&calibrated(2048), "copies"));
    assert!(four > 4.0 * once && four < 4.1 * once, "{once} {four}");
}

/// One token visits 4 experts of 3 x 2880 x 2880 in each of 36 layers.
#[test]
fn experts_on_the_cpu_are_those_that_a_token_visits() {
    let expert = 3.0 * 2880.0 * 2880.0 * 0.53125;
    for layers in [12.0, 36.0] {
        let estimate = served(&format!("{EXPERTS}&serve.ncmoe={layers}"));
        near(term(&estimate.terms_decode, "cpu"), layers * 4.0 * expert / HOST, "decode");
        let host = estimate.host_memory.expect("host memory");
        // Q8_0, as ggml-org's files of gpt-oss have it: 34 bytes for 32 weights.
        let embedding = 201_088.0 * 2880.0 * 34.0 / 32.0;
        let experts = layers * 128.0 * expert;
        // Biases of experts count as experts.
        let more = host.weights.get() - experts - embedding;
        assert!(more >= -1.0 && more < 0.01 * experts, "{more}");
        assert_eq!(host.kv_cache, Bytes::ZERO);
    }
}

#[test]
fn terms_add_up() {
    for link in
        [format!("{DENSE}&serve.ngl=20"), format!("{DENSE}&serve.ngl=0"), format!("{EXPERTS}&serve.ncmoe=30")]
    {
        for more in ["", "&serve.concurrency=2", "&serve.in=20", "&serve.batch=4", "&serve.in=5000"] {
            let estimate = served(&format!("{link}{more}"));
            let sum = |terms: &[Term]| terms.iter().map(|term| term.time).sum::<Seconds>();
            near(sum(&estimate.terms_prefill).get(), estimate.ttft.get(), &format!("{link}{more}, TTFT"));
            near(sum(&estimate.terms_decode).get(), estimate.tpot.get(), &format!("{link}{more}, TPOT"));
            assert!(term(&estimate.terms_decode, "cpu") > 0.0, "{link}{more}");
        }
    }
}

#[test]
fn more_layers_on_the_gpu_are_never_slower() {
    for (link, key, order) in [(DENSE, "ngl", 1_i32), (EXPERTS, "ncmoe", -1)] {
        let mut before: Option<InferenceEstimate> = None;
        for step in 0..=36_i32 {
            let value = if order > 0 { step } else { 36 - step };
            let estimate = served(&format!("{link}&serve.{key}={value}"));
            if let Some(before) = before {
                assert!(estimate.tpot <= before.tpot, "{key} {value}");
                assert!(estimate.ttft.get() <= before.ttft.get() * (1.0 + 1e-12), "{key} {value}");
                let host = |estimate: &InferenceEstimate| {
                    estimate.host_memory.map_or(0.0, |host| host.total().get())
                };
                assert!(host(&estimate) <= host(&before), "{key} {value}");
                // The last layer takes the input embedding to the GPU as well.
                assert!(estimate.memory.total() >= before.memory.total(), "{key} {value}");
            }
            before = Some(estimate);
        }
    }
}

#[test]
fn the_whole_model_on_the_gpu_is_the_question_without_flags() {
    let plain = served(DENSE);
    for more in ["&serve.ngl=33", "&serve.ngl=99"] {
        assert_eq!(served(&format!("{DENSE}{more}")), plain);
    }
    assert!(plain.host_memory.is_none());
    let faster = served(&format!("{DENSE}&host_gb_s=400&host_gib=8"));
    assert_eq!(faster, plain);
}

#[test]
fn what_cannot_be_is_refused_by_field() {
    let too_small = problem(&format!("{EXPERTS}&serve.ncmoe=36&host_gib=32"));
    assert!(too_small.starts_with("system.host_gib: needs 6"), "{too_small}");
    assert!(problem(&format!("{EXPERTS}&serve.ncmoe=1")).starts_with("inference.tensor: "));
    assert!(problem(&format!("{DENSE}&serve.ncmoe=1")).starts_with("inference.cpu_experts: "));
    assert!(problem(&format!("{DENSE}&serve.ngl=9&serve.engine=vllm")).starts_with("inference.gpu_layers: "));
    assert!(problem(&format!("{DENSE}&serve.ngl=9&serve.pp=2")).starts_with("inference.gpu_layers: "));
    let unified = problem(&format!("{DENSE}&serve.ngl=9&gpu=apple-m4-max-40c"));
    assert!(unified.contains("is that of its host"), "{unified}");
}

#[test]
fn what_fits_is_found() {
    let found = scenario(EXPERTS).offloaded().expect("experts in host memory");
    let (asked, last) = (found.inference.cpu_experts, found.inference.cpu_experts - 1);
    assert!((20..36).contains(&asked) && found.inference.gpu_layers.is_none(), "{asked}");
    assert!(found.inference().is_ok() && !problem(&format!("{EXPERTS}&serve.ncmoe={last}")).is_empty());
    let dense = DENSE.replace("llama-3.1-8b", "llama-3.1-70b").replace("=fp16&serve.kv", "=q4_k_m&serve.kv");
    let found = scenario(&dense).offloaded().expect("layers in host memory");
    let slots = found.inference.gpu_layers.expect("layers");
    assert!((35..55).contains(&slots), "{slots}");
    assert!(!problem(&format!("{dense}&serve.ngl={}", slots + 1)).is_empty());
    assert_eq!(decode(&encode(&found)).scenario, found);
    assert!(scenario(DENSE).offloaded().is_none());
    // A host of 16 GiB is offered with more modules.
    let more = scenario(&format!("{EXPERTS}&host_gib=16")).offloaded().expect("more host memory");
    assert!(more.system.host_gib > 16.0 && more.inference().is_ok());
    let mut large = scenario(EXPERTS);
    large.model = Choice::Named("deepseek-v3".to_owned());
    large.inference.precision = foretoken::system::Precision::Bf16;
    assert!(large.offloaded().is_none());
}

/// Requests decode together, and then reach more experts than one request does, up to all of them.
#[test]
fn more_requests_read_more_experts() {
    let token = |clients: u32| {
        let tokens = served(&format!("{EXPERTS}&serve.ncmoe=24&serve.concurrency={clients}"));
        (tokens.running, tokens.tpot.get())
    };
    let (one, four) = (token(1), token(4));
    assert!(four.0 > 2.0, "{} of 4 requests run at once", four.0);
    assert!(four.1 > 1.5 * one.1, "{} s, alone {} s", four.1, one.1);
}
