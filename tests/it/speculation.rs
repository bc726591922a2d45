//! A draft that is named: what its steps, weights and cache cost follows from its shapes.

use foretoken::figure::Size;
use foretoken::inference::InferenceLoad;
use foretoken::scenario::{Choice, Scenario, Speculation, View, link};
use foretoken::serving::{InferenceEstimate, Service};
use foretoken::system::Precision;
use foretoken::units::format;
use foretoken::view::{self, Part};
use proptest::prelude::*;
use proptest::sample::select;

fn asked(model: &str, draft: &str, shared: bool, load: impl FnOnce(&mut InferenceLoad)) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named(model.to_owned());
    scenario.speculation = Speculation { model: draft.to_owned(), shared };
    (scenario.inference.draft, scenario.inference.acceptance) = (4, 0.8);
    load(&mut scenario.inference);
    scenario
}

fn estimate(scenario: &Scenario) -> InferenceEstimate {
    scenario.inference().expect("an answer")
}

fn service(scenario: &Scenario) -> Service {
    scenario.with_inference(|job| job.service()).expect("an answer")
}

const LARGE: &str = "llama-3.1-70b";
const SMALL: &str = "llama-3.2-1b";

/// Kinds of loads.
const LOADS: [fn(&mut InferenceLoad); 5] = [
    |load| load.batch = 4,
    |load| load.concurrency = 32,
    |load| load.rate = 2.0,
    |load| (load.rate, load.requests) = (2.0, 100),
    |load| (load.concurrency, load.prefill_workers, load.prefill_tensor) = (32, 1, 8),
];

#[test]
fn without_proposed_tokens_a_draft_changes_nothing() {
    for load in LOADS {
        let of = |draft: &str| {
            estimate(&asked(LARGE, draft, true, |asked| {
                load(asked);
                asked.draft = 0;
            }))
        };
        assert_eq!(of("none"), of(SMALL));
    }
}

/// The model as its own draft proposes each token in a step of its own, and reads each prompt once more.
#[test]
fn a_model_that_drafts_for_itself_costs_what_it_must() {
    let load = |load: &mut InferenceLoad| {
        (load.batch, load.acceptance, load.draft_cost) = (4, 1.0, 1.0);
        load.precision = Precision::Fp8;
    };
    let (named, share) = (asked(LARGE, LARGE, true, load), asked(LARGE, "none", true, load));
    let alone = asked(LARGE, "none", true, |asked| {
        load(asked);
        asked.draft = 0;
    });
    let (with, without, plain) = (service(&named), service(&share), service(&alone));
    assert!((with.tpot / without.tpot - 1.0).abs() < 1e-9, "{with:?} {without:?}");
    assert!((with.ttft / (plain.ttft * 2.0) - 1.0).abs() < 1e-9, "{with:?} {plain:?}");
    // Four steps of its own and a pass over five tokens each, which yield five.
    let pass = without.tpot * 5.0 - plain.tpot * 4.0;
    assert!(pass > plain.tpot && pass < plain.tpot * 1.5, "{pass:?} {plain:?}");
    let memory = |scenario: &Scenario| estimate(scenario).memory;
    let (both, one) = (memory(&named), memory(&alone));
    assert_eq!((both.weights, both.kv_cache), (one.weights * 2.0, one.kv_cache * 2.0));
}

#[test]
fn memory_is_that_of_both_models() {
    let serve = |model: &str, draft: &str, shared: bool, tensor: u32, drafted: u32| {
        let scenario = asked(model, draft, shared, |load| {
            (load.batch, load.tensor, load.draft) = (16, tensor, drafted);
        });
        estimate(&scenario)
    };
    let large = serve(LARGE, "none", false, 8, 0);
    for (shared, tensor) in [(true, 8), (false, 1)] {
        let small = serve(SMALL, "none", false, tensor, 0).memory;
        let both = serve(LARGE, SMALL, shared, 8, 4);
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(close(both.memory.weights.get(), (large.memory.weights + small.weights).get()));
        assert!(close(both.memory.kv_cache.get(), (large.memory.kv_cache + small.kv_cache).get()));
        assert!(both.largest_batch < large.largest_batch);
    }
}

#[test]
fn a_small_draft_that_is_often_right_speeds_a_large_model_up() {
    let tpot = |draft: &str, shared: bool, tokens: u32| {
        service(&asked(LARGE, draft, shared, |load| load.draft = tokens)).tpot
    };
    let alone = tpot("none", false, 0);
    assert!(tpot(SMALL, true, 4) < alone * 0.6 && tpot(SMALL, false, 4) < alone * 0.7);
    assert!(tpot(SMALL, true, 4) < tpot("llama-3.1-8b", true, 4));
    // Prompts are read twice, the second time by a model of a 70th of the size.
    let ttft = |draft: &str| service(&asked(LARGE, draft, true, |load| load.input = 8192)).ttft;
    assert!(ttft(SMALL) > ttft("none") && ttft(SMALL) < ttft("none") * 1.2);
}

#[test]
fn a_service_is_the_estimate_without_its_terms() {
    for load in LOADS {
        for shared in [false, true] {
            let scenario = asked(LARGE, SMALL, shared, load);
            let (short, long) = (service(&scenario), estimate(&scenario));
            assert!((short.ttft / long.ttft - 1.0).abs() < 1e-9);
            assert!((short.tpot / long.tpot - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn who_cannot_draft_is_refused_by_name() {
    let refusal = |draft: &str, shared: bool, load: fn(&mut InferenceLoad)| {
        let problems = asked(LARGE, draft, shared, load).inference().expect_err("a refusal");
        (problems[0].field.clone(), problems[0].message.clone())
    };
    let (field, message) = refusal("llama-2-7b", true, |_| {});
    assert_eq!(field, "speculation.model");
    assert!(message.contains("32000") && message.contains("128256"), "{message}");
    let (field, message) = refusal("llama-3.2-1c", true, |_| {});
    assert_eq!(field, "speculation.model");
    assert!(message.contains("llama-3.2-1b"), "{message}");
    assert_eq!(refusal(SMALL, true, |load| load.pipeline = 2).0, "speculation.model");
    assert_eq!(refusal(SMALL, true, |load| load.tensor = 64).0, "speculation.shared");
    // Whole on one GPU it may be with any tensor group.
    assert!(asked(LARGE, SMALL, false, |load| load.tensor = 64).inference().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn better_drafts_and_machines_are_never_slower(
        shared in any::<bool>(), draft in 1_u32..8, acceptance in 0.0..1.0_f64, more in 0.0..1.0_f64,
        batch in 1_u32..64, input in 1_u32..8192, factor in 1.0..8.0_f64,
        device in select(vec!["a100-sxm-80gb", "h100-sxm", "b200"])
    ) {
        let mut scenario = asked(LARGE, SMALL, shared, |load| {
            (load.draft, load.acceptance, load.batch, load.input) = (draft, acceptance, batch, input);
        });
        scenario.system.accelerator = Choice::Named(device.to_owned());
        let before = service(&scenario);
        let mut right = scenario.clone();
        right.inference.acceptance = acceptance + (1.0 - acceptance) * more;
        prop_assert!(service(&right).tpot <= before.tpot * 1.000_001);
        let accelerator = scenario.system.accelerator().expect("a device");
        let changes: [&dyn Fn(&mut foretoken::catalog::Accelerator); 3] = [
            &|device| device.dram.bandwidth_gb_s *= factor,
            &|device| device.scale_up.gb_s *= factor,
            &|device| {
                let rates = &mut device.matrix_tflops;
                for rate in [&mut rates.bf16, &mut rates.fp16] {
                    *rate = rate.map(|rate| rate * factor);
                }
            },
        ];
        for change in changes {
            let mut faster = accelerator.clone();
            change(&mut faster);
            let mut changed = scenario.clone();
            changed.system.accelerator = Choice::Explicit(Box::new(faster));
            let after = service(&changed);
            prop_assert!(after.ttft <= before.ttft * 1.000_001 && after.tpot <= before.tpot * 1.000_001);
        }
    }

    #[test]
    fn a_tighter_level_never_serves_more(
        shared in any::<bool>(), rate in any::<bool>(), ttft in 10.0..1e4_f64, tpot in 1.0..100.0_f64,
        share in 0.1..1.0_f64
    ) {
        let largest = |ttft: f64, tpot: f64| {
            let scenario = asked(LARGE, SMALL, shared, |load| {
                load.rate = if rate { 1.0 } else { 0.0 };
                (load.ttft_limit_ms, load.tpot_limit_ms) = (Some(ttft), Some(tpot));
            });
            let point = scenario.with_inference(|job| job.largest_load()).expect("an answer");
            point.map_or(0.0, |point| point.load)
        };
        let most = largest(ttft, tpot);
        prop_assert!(largest(ttft * share, tpot) <= most && largest(ttft, tpot * share) <= most);
    }
}

/// A draft as large as the model, of whose tokens none is accepted, makes each step longer and yields nothing.
#[test]
fn an_answer_says_where_a_draft_slows_decoding_down() {
    let notice = |acceptance: f64, tokens: u32| {
        let question = asked(LARGE, LARGE, true, |load| {
            (load.batch, load.acceptance, load.draft) = (1, acceptance, tokens);
            load.precision = Precision::Fp8;
        });
        let answer = view::first(&question, Size::Wide).expect("an answer");
        let Some(Part::Notice(notice)) = answer.part("slower-draft") else { return None };
        Some((question, notice.clone()))
    };
    let (question, slow) = notice(0.0, 4).expect("a notice");
    let there = link::decode(&slow.links[0].link).scenario;
    assert_eq!(there.inference, InferenceLoad { draft: 0, ..question.inference });
    let [with, without] = [&question, &there].map(|question| format::time(estimate(question).tpot));
    assert!(
        slow.text.contains(&format!("TPOT is {with} with 4 tokens proposed in each step")),
        "{}",
        slow.text
    );
    assert!(slow.text.ends_with(&format!("and {without} without a draft.")), "{}", slow.text);
    assert_eq!(notice(0.0, 0), None);
    // A small model that is often right is no such draft.
    let small = asked(LARGE, SMALL, true, |load| load.batch = 1);
    assert!(view::first(&small, Size::Wide).expect("an answer").part("slower-draft").is_none());
}
