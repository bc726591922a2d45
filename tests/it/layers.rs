//! Kinds of layers: what they keep of a sequence, worked out by hand and by another program, and the work that follows.

use std::collections::BTreeMap;

use foretoken::catalog::layers::{Layer, Mixer};
use foretoken::catalog::{self, Architecture, catalog};
use foretoken::scenario::{Scenario, link};
use foretoken::view::json;

fn model(id: &str) -> &'static Architecture {
    catalog::architecture(id).unwrap_or_else(|| panic!("no {id}"))
}

/// Bytes per token that grow without bound, of full windows, of states and of last inputs: caches of 16 bits, states of 32.
pub(crate) fn kept(model: &Architecture) -> [u64; 4] {
    let mut bytes = [0.0; 4];
    for layer in model.layer_kinds() {
        for mixer in layer.mixers() {
            let kept = mixer.kept(model.hidden);
            let count = f64::from(layer.count);
            let place = usize::from(kept.span.is_some());
            bytes[place] += count * (2.0 * kept.per_token + kept.index_bytes) * kept.span.unwrap_or(1.0);
            bytes[2] += count * 4.0 * kept.state;
            bytes[3] += count * 2.0 * kept.recent;
        }
    }
    bytes.map(|bytes| bytes as u64)
}

#[test]
fn states_and_caches_by_hand() {
    // Qwen3.5-397B: 45 gated delta nets of 64 heads, 128 × 128; their convolutions keep 3 inputs of 2 × 16 + 64 heads of 128.
    // 15 layers of attention with 2 key-value heads of 256.
    let qwen = [15 * 2 * 2 * 256 * 2, 0, 45 * 64 * 128 * 128 * 4, 45 * 3 * 96 * 128 * 2];
    // Kimi K3: 69 delta nets of 96 heads, 24 latents of 512 + 64.
    let kimi = [24 * 576 * 2, 0, 69 * 96 * 128 * 128 * 4, 69 * 3 * 3 * 96 * 128 * 2];
    // Nemotron 3 Nano: 23 state spaces of 64 heads of 64, 128 states, 8 groups; 6 of attention with 2 heads of 128.
    let nemotron = [6 * 2 * 2 * 128 * 2, 0, 23 * 64 * 64 * 128 * 4, 23 * 3 * (4096 + 2 * 8 * 128) * 2];
    // Jamba 1.5 Mini: 28 of 32 layers with 8,192 channels of 16 states; 4 of attention with 8 heads of 128.
    let jamba = [4 * 2 * 8 * 128 * 2, 0, 28 * 8192 * 16 * 4, 28 * 3 * 8192 * 2];
    // MiniMax-Text-01: 70 of 80 layers with 64 heads of 128; 10 of attention with 8 heads of 128.
    let minimax = [10 * 2 * 8 * 128 * 2, 0, 70 * 64 * 128 * 128 * 4, 0];
    // DeepSeek-V3.2: 61 latents of 512 + 64, and index keys of 128 bytes with a scale of 4.
    let deepseek = [61 * (576 * 2 + 132), 0, 0, 0];
    // Falcon-H1 7B: attention and a state space in each of 44 layers.
    let falcon = [44 * 2 * 2 * 128 * 2, 0, 44 * 3072 * 256 * 4, 44 * 3 * (3072 + 2 * 256) * 2];
    // Gemma 4 31B: 10 layers of 4 heads of 512, 50 of 16 heads of 256 over 1,024 tokens.
    let gemma = [10 * 2 * 4 * 512 * 2, 50 * 1024 * 2 * 16 * 256 * 2, 0, 0];
    // Zamba2 2.7B: each of 9 uses of two shared blocks caches 5,120 keys and values; 54 layers of 80 heads of 64, 64 states.
    let zamba = [9 * 2 * 5120 * 2, 0, 54 * 5120 * 64 * 4, 54 * 3 * (5120 + 2 * 64) * 2];
    for (id, expected) in [
        ("zamba2-2.7b", zamba),
        ("qwen3.5-397b-a17b", qwen),
        ("kimi-k3", kimi),
        ("nemotron-3-nano-30b-a3b", nemotron),
        ("jamba-1.5-mini", jamba),
        ("minimax-text-01", minimax),
        ("deepseek-v3.2", deepseek),
        ("falcon-h1-7b", falcon),
        ("gemma-4-31b", gemma),
    ] {
        assert_eq!(kept(model(id)), expected, "{id}");
    }
}

/// `fixtures/state_sizes.json`: bytes per token, of windows, of states and of convolutions, as another program counted them
/// from the same shapes.
#[test]
fn states_and_caches_of_the_catalogue() {
    let text = include_str!("../fixtures/state_sizes.json");
    let sizes: BTreeMap<String, [u64; 4]> = serde_json::from_str(text).expect("rows");
    assert!(sizes.len() > 100);
    for (id, [growing, windows, state, recent]) in sizes {
        let ours = kept(model(&id));
        assert_eq!(ours[0], growing, "{id}: growing");
        assert_eq!(ours[1] + ours[3], windows + recent, "{id}: windows and last inputs");
        // DeepSeek-V4's sums of entries that are not full yet are left out there.
        assert!(id.starts_with("deepseek-v4") || ours[2] == state, "{id}: {} for {state}", ours[2]);
    }
}

fn answer(link: &str) -> serde_json::Value {
    let value = json::estimate_or_problems(&link::decode(link).scenario);
    assert!(value["error"].is_null(), "{link}: {value}");
    value
}

/// Models of the catalogue that decode.
fn decoders() -> impl Iterator<Item = &'static Architecture> {
    catalog().architectures.iter().filter(|model| model.is_causal() && model.vocab > 0)
}

/// The first of the degrees of tensor parallelism whose question has an answer.
fn first_answer(question: &str, of: impl Fn(&Scenario) -> Option<f64>) -> Option<f64> {
    let in_group = |tensor| link::decode(&format!("{question}&tp={tensor}&serve.tp={tensor}")).scenario;
    [8, 4, 2, 1].into_iter().find_map(|tensor| of(&in_group(tensor)))
}

/// On GB300 in four-bit formats.
#[test]
fn every_model_is_served() {
    for model in decoders() {
        let id = &model.id;
        let question = format!(
            "v=1&view=inference&model={id}&gpu=gb300-nvl72&gpus=64&serve.pp=1&serve.in=256&serve.out=8&serve.precision=fp4"
        );
        let tpot = first_answer(&question, |scenario| Some(scenario.inference().ok()?.tpot.get()));
        assert!(tpot.is_some_and(|tpot| tpot > 0.0 && tpot.is_finite()), "{id}: {tpot:?}");
    }
}

/// On 1,024 B200 with ZeRO 3 and everything recomputed.
#[test]
fn every_model_is_trained() {
    for model in decoders() {
        let id = &model.id;
        let sequence = model.max_sequence.min(4096);
        let question = format!(
            "v=1&model={id}&gpu=b200&gpus=1024&batch=1024&seq={sequence}&pp=1&microbatch=1&zero=3&recompute=full"
        );
        let step = first_answer(&question, |scenario| Some(scenario.training().ok()?.step.get()));
        assert!(step.is_some_and(|step| step > 0.0 && step.is_finite()), "{id}: {step:?}");
    }
}

#[test]
fn decode_of_a_recurrence_does_not_grow_with_its_context() {
    let tpot = |model: &str, tokens: u32| {
        let link = format!(
            "v=1&view=inference&model={model}&gpu=gb300-nvl72&serve.tp=8&serve.precision=fp4&serve.batch=8&serve.in={tokens}&serve.out=8"
        );
        answer(&link)["inference"]["tpot"].as_f64().expect("a number")
    };
    let grows = |model| tpot(model, 131_072) / tpot(model, 1024);
    assert!(grows("falcon-mamba-7b") < 1.001, "{}", grows("falcon-mamba-7b"));
    assert!(grows("qwen3-next-80b-a3b") < 0.8 * grows("qwen3-30b-a3b"));
    // Sparse attention reads index keys of all tokens, and latents of 2,048.
    assert!(grows("deepseek-v3.2") < grows("deepseek-v3"));
}

#[test]
fn a_stack_survives_its_link() {
    let text = format!("{{\"model\": {}}}", serde_json::to_string(model("kimi-k3")).expect("a document"));
    let scenario = foretoken::scenario::Scenario::from_json(&text).expect("a scenario");
    let decoded = link::decode(&link::encode(&scenario));
    assert_eq!(decoded.problems, []);
    assert_eq!(decoded.scenario, scenario);
}

#[test]
fn hostile_stacks_are_refused() {
    let of = |stack: &str| {
        format!(
            r#"{{"model": {{"id":"x","name":"x","layers":2,"hidden":64,"heads":2,"kv_heads":2,"head_dim":32,"ffn":128,"vocab":8,"max_sequence":64,"stack":{stack}}}}}"#
        )
    };
    for (stack, part) in [
        (
            r#"[{"count":3,"mixer":{"lightning":{"heads":2,"head_dim":32}},"ffn":{"dense":8}}]"#,
            "has 3 layers",
        ),
        (r#"[{"count":2,"mixer":{"lightning":{"heads":0,"head_dim":32}},"ffn":{"dense":8}}]"#, "smallest"),
        (
            r#"[{"count":2,"mixer":{"lightning":{"heads":4294967295,"head_dim":32}},"ffn":{"dense":8}}]"#,
            "largest",
        ),
        (
            r#"[{"count":2,"mixer":{"convolution":{"taps":3}},"ffn":{"experts":{"experts":2,"top_k":1,"ffn":8}}}]"#,
            "moe",
        ),
    ] {
        let scenario = foretoken::scenario::Scenario::from_json(&of(stack)).expect("a document");
        let problems = json::estimate_or_problems(&scenario);
        assert!(problems["error"].as_str().is_some_and(|text| text.contains(part)), "{problems}");
    }
    let fault = foretoken::scenario::Scenario::from_json(&of(r#"[{"count":2,"mixer":{"gated_dlta":{}}}]"#));
    assert!(fault.expect_err("a fault")[0].to_string().contains("did you mean `gated_delta`"));
}

#[test]
fn layers_have_mixers_side_by_side() {
    let layers: Vec<Layer> = model("falcon-h1-7b").layer_kinds().collect();
    assert!(matches!(layers[..], [Layer { mixer: Mixer::Attention(_), beside: Mixer::Mamba2(_), .. }]));
}
