//! Deployments that sizing tries only if asked: quantized weights and caches, wide decode workers.

use std::collections::BTreeSet;

use foretoken::scenario::{Scenario, View, link};
use foretoken::sizing::{Fleet, Search};
use foretoken::system::Precision;

use crate::service::{answered, replies};

fn asked(rest: &str) -> Scenario {
    let decoded = link::decode(&linked(rest));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn linked(rest: &str) -> String {
    format!(
        "v=1&view=sizing&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm{rest}"
    )
}

fn searched(rest: &str) -> Search {
    let mut search = asked(rest).sizing().expect("a question");
    search.run();
    search
}

fn formats(search: &Search) -> BTreeSet<(&'static str, &'static str)> {
    let of = |fleet: &Fleet| (fleet.load.precision.name(), fleet.load.kv_precision.name());
    search.fleets().iter().map(of).collect()
}

/// Fleets in the formats that are tried anyway stay, unless the option is on; then every format of weights has both caches.
#[test]
fn quantized_formats_are_tried_where_asked() {
    let plain = searched("&model=llama-3.1-70b");
    let quantized = searched("&model=llama-3.1-70b&size.quantized=true");
    let awq = Precision::Awq.name();
    assert!(formats(&plain).iter().all(|(weights, cache)| *weights != awq && *cache == "BF16"));
    for weights in ["BF16", "FP8", awq] {
        for cache in ["BF16", "FP8"] {
            assert!(formats(&quantized).contains(&(weights, cache)), "{weights} {cache}");
        }
    }
    let as_before =
        |fleet: &&Fleet| fleet.load.precision != Precision::Awq && fleet.load.kv_precision == Precision::Bf16;
    let kept: Vec<&Fleet> = quantized.fleets().iter().filter(as_before).collect();
    assert_eq!(kept, plain.fleets().iter().collect::<Vec<_>>());
    let question = asked("&model=llama-3.1-70b&size.quantized=true");
    for fleet in quantized.fleets().iter().filter(|fleet| !as_before(fleet)) {
        let device = &quantized.candidates()[fleet.device].accelerator;
        let there = Scenario { view: View::Inference, inference: fleet.load, ..question.on(&device.id) };
        assert_eq!(there.with_inference(|job| job.service()), Ok(fleet.service), "{fleet:?}");
    }
}

/// Weights that are published in 4 bits are not quantized again; llama.cpp has files of its own.
#[test]
fn published_formats_of_few_bits_stay() {
    let awq = Precision::Awq.name();
    let published = searched("&model=gpt-oss-20b&size.quantized=true&size.one=true");
    assert!(formats(&published).iter().all(|(weights, _)| *weights != awq), "{:?}", formats(&published));
    let files = searched("&model=llama-3.1-8b&serve.engine=llamacpp&size.quantized=true&size.one=true");
    assert!(formats(&files).iter().all(|(weights, cache)| *weights != awq && *cache == "BF16"));
}

/// The answer names the cache of the best fleet, and offers the question's formats.
#[test]
fn the_answer_names_the_cache() {
    let said = replies(&linked("&model=llama-3.1-70b&size.quantized=true&size.one=true&gpu=h100-sxm"));
    let answer = answered(&said);
    assert!(answer.lead.contains(", KV cache in FP8"), "{}", answer.lead);
    let offer = answer.offers.iter().find(|offer| offer.id == "format").expect("an offer");
    assert!(offer.text.contains(" KV cache in FP8 instead of BF16 may lower"), "{}", offer.text);
    let there = link::decode(&offer.links[0].link).scenario;
    assert!(!there.sizing.quantized && !there.sizing.narrower);
    assert_eq!(there.inference.kv_precision, Precision::Bf16);
}

/// Decode workers of mixtures of experts may be wide, and then have one attention replica per GPU.
#[test]
fn decode_workers_may_be_wide() {
    let search = searched(
        "&model=deepseek-v3&serve.precision=fp8block&size.users=20000&size.disaggregated=true&size.one=true&gpu=h200-sxm",
    );
    let wide = |fleet: &&Fleet| fleet.load.prefill_workers > 0 && fleet.load.worker_gpus() > 8;
    let found: Vec<&Fleet> = search.fleets().iter().filter(wide).collect();
    assert!(!found.is_empty());
    for fleet in found {
        let load = &fleet.load;
        assert!(load.data == load.expert && load.tensor == 1 && load.prefill_worker_gpus() <= 8, "{load:?}");
        assert!(load.keeps(&fleet.service), "{fleet:?}");
    }
}
