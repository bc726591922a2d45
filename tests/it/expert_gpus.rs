//! Attention and experts on GPUs of their own: laws, memory, and the time of a decode step.

use foretoken::scenario::{Scenario, link};
use foretoken::serving::InferenceEstimate;

/// DeepSeek-V3 in FP8 with 64 attention GPUs and 64 expert GPUs per decode worker.
const APART: &str = "v=1&view=inference&model=deepseek-v3&gpu=h200-sxm&serve.in=3584&serve.out=1024&serve.precision=fp8block\
    &serve.kv=fp8&serve.engine=sglang&serve.concurrency=4096&serve.tp=1&serve.dp=64&serve.expert.gpus=64\
    &serve.prefill.workers=32&serve.prefill.tp=8&serve.prefill.dp=1&serve.prefill.ep=8";

/// The question with other values of some keys.
fn asked(more: &str) -> Scenario {
    let key = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let kept = APART.split('&').filter(|pair| !more.split('&').any(|other| key(other) == key(pair)));
    let decoded = link::decode(&(kept.collect::<Vec<_>>().join("&") + more));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn estimate(more: &str) -> InferenceEstimate {
    asked(more).inference().expect("an answer")
}

fn refused(more: &str) -> (String, String) {
    let problems = asked(more).inference().expect_err("a law");
    (problems[0].field.clone(), problems[0].message.clone())
}

#[test]
fn laws_name_the_field() {
    for (more, says) in [
        ("&model=llama-3.1-70b", "has no experts"),
        ("&serve.expert.gpus=512", "256 experts"),
        ("&serve.prefill.workers=0", "prefill workers"),
        ("&serve.pp=2", "one pipeline stage"),
        ("&serve.draft=1", "without drafts"),
    ] {
        let (field, message) = refused(more);
        assert_eq!(field, "inference.expert_gpus", "{more}: {message}");
        assert!(message.contains(says), "{more}: {message}");
    }
}

#[test]
fn attention_and_expert_gpus_hold_the_model_together() {
    let (apart, whole) = (estimate(""), estimate("&serve.expert.gpus=0&serve.ep=64"));
    let experts = apart.expert_memory.expect("an expert GPU");
    // Experts of a layer on 64 GPUs in both; what every attention GPU holds whole is not on the expert GPUs, and shared experts
    // and dense layers are not on the attention GPUs.
    let sum = apart.memory.weights + experts.weights;
    assert!((sum / whole.memory.weights - 1.0).abs() < 0.01, "{sum:?} of {:?}", whole.memory.weights);
    assert!(experts.kv_cache.get() == 0.0 && apart.memory.kv_cache.get() > 0.0);
    assert_eq!(asked("").inference.gpus(), 32 * 8 + 128);
}

#[test]
fn a_step_is_what_attention_computes_and_waits() {
    let apart = estimate("");
    let sum: f64 = apart.terms_decode.iter().map(|term| term.time.get()).sum();
    assert!((sum / apart.tpot.get() - 1.0).abs() < 1e-12);
    let waits = |more: &str| {
        let estimate = estimate(more);
        let wait = estimate.terms_decode.iter().find(|term| term.id == "experts_wait");
        wait.map_or(0.0, |term| term.time.get()) / estimate.tpot.get()
    };
    // Few expert GPUs keep attention waiting, many do not.
    assert!(waits("&serve.expert.gpus=16") > 2.0 * waits("&serve.expert.gpus=128"));
    // More of either kind is never slower.
    let tpot = |more: &str| estimate(more).tpot;
    assert!(tpot("&serve.expert.gpus=128") <= tpot("") && tpot("&serve.dp=128") <= tpot(""));
}

/// The slowest of attention, experts and links is always busy: a step is at least that of each side alone, and at most
/// their sum, as one microbatch has it.
#[test]
fn microbatches_hide_one_side_behind_the_other() {
    let of = |more: &str| {
        let estimate = estimate(more);
        let rows = || estimate.decode.iter();
        let side = |mine: fn(&str) -> bool| -> f64 {
            rows().filter(|row| mine(row.name)).map(|row| row.cost.time.get() * row.count).sum()
        };
        let experts = side(|name| {
            name == "Experts" || name.starts_with("MLP") && !name.contains("norm") || name == "Router"
        });
        let all: f64 = rows().map(|row| row.cost.time.get() * row.count).sum();
        let host =
            estimate.terms_decode.iter().find(|term| term.id == "host").map_or(0.0, |term| term.time.get());
        (estimate.tpot.get() - host, experts, all)
    };
    let (step, experts, all) = of("");
    assert!(step >= experts && step < 0.9 * all, "{step} with experts of {experts}, {all} in sequence");
    // One concurrent request per replica is one microbatch: nothing is hidden.
    let (step, _, all) = of("&serve.concurrency=64");
    assert!((step / all - 1.0).abs() < 0.05, "{step} of {all}");
}

#[test]
fn links_carry_expert_gpus() {
    let scenario = asked("");
    assert_eq!(link::decode(&link::encode(&scenario)).scenario, scenario);
    assert!(link::encode(&scenario).contains("serve.expert.gpus=64"));
}
