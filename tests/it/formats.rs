//! Number formats of published checkpoints: which of their matrices have them.

use foretoken::scenario::link;
use foretoken::serving::InferenceEstimate;

fn estimate(question: &str) -> InferenceEstimate {
    let decoded = link::decode(&format!("v=1&view=inference&{question}"));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario.inference().expect("an estimate")
}

/// OpenAI's checkpoints have 4 bits in the experts alone; their sizes are 65,248,815,744 bytes (`total_size` of the index of
/// openai/gpt-oss-120b) and 12.8 GiB (the model card's table).
#[test]
fn mixtures_with_narrow_experts_have_their_published_size() {
    for (model, published) in [("gpt-oss-120b", 65_248_815_744.0), ("gpt-oss-20b", 12.8 * f64::from(1 << 30))]
    {
        let held = estimate(&format!(
            "model={model}&gpu=h100-sxm&serve.tp=1&serve.precision=mxfp4&serve.engine=vllm"
        ));
        let weights = held.memory.weights.get();
        assert!((weights / published - 1.0).abs() < 0.01, "{model}: {weights} for {published} bytes");
    }
}

/// Kimi-K2.5, whose attention, shared experts and first layer stay in 16 bits, in vLLM 0.15.1 on 8 B200 (InferenceX,
/// 2026-03-24); no constant was fitted on these rows.
#[test]
fn narrow_experts_do_not_slow_the_attention_beside_them() {
    for (load, measured_ms) in [
        ("serve.in=922&serve.out=922&serve.concurrency=4", 10.045),
        ("serve.in=922&serve.out=922&serve.concurrency=16", 15.089),
        ("serve.in=7373&serve.out=922&serve.concurrency=64", 48.220),
    ] {
        let found = estimate(&format!(
            "model=kimi-k2&gpu=b200&gpus=8&serve.precision=int4&serve.rounds=10&serve.engine=vllm&serve.memory=0.95&{load}"
        ));
        let predicted = 1e3 * found.tpot.get();
        assert!((predicted / measured_ms - 1.0).abs() < 0.15, "{load}: {predicted} for {measured_ms} ms");
    }
}
