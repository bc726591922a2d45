//! Laws of every served model: more hardware never hurts, tighter limits never gain, parts add up to the whole.

use foretoken::estimate::OperatorRow;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::serving::Service;
use foretoken::serving::simulation::Lengths;
use foretoken::system::{Bound, Precision};
use foretoken::units::Seconds;
use proptest::prelude::*;
use proptest::sample::select;

const MODELS: [&str; 4] = ["llama-3.1-70b", "llama-2-7b", "mixtral-8x7b", "qwen3-32b"];
const DEVICES: [&str; 4] = ["a100-sxm-80gb", "h100-sxm", "b200", "mi300x"];

/// Questions that have an answer: all of these models fit on eight of these devices.
fn questions() -> impl Strategy<Value = Scenario> {
    let formats = select(vec![Precision::Bf16, Precision::Fp8]);
    let caches = select(vec![Precision::Bf16, Precision::Fp8, Precision::Fp4]);
    let amounts = (1_u32..4096, 1_u32..512, 1_u32..64, 0_u32..200);
    let extras = (0_u32..5, 0.0..1.0_f64, 0.0..0.9_f64, select(vec![1_u32, 2]));
    (select(MODELS.to_vec()), select(DEVICES.to_vec()), formats, caches, amounts, extras).prop_map(
        |(model, device, precision, kv_precision, (input, output, batch, concurrency), extras)| {
            let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
            scenario.model = Choice::Named(model.to_owned());
            scenario.system.accelerator = Choice::Named(device.to_owned());
            let (draft, acceptance, cached, context) = extras;
            scenario.inference = InferenceLoad {
                input,
                output,
                batch,
                concurrency,
                precision,
                kv_precision,
                draft,
                acceptance,
                cached: if context > 1 { 0.0 } else { cached },
                context,
                ..InferenceLoad::default()
            };
            scenario
        },
    )
}

/// A change of a device.
type Change<'a> = &'a dyn Fn(&mut foretoken::catalog::Accelerator);

fn service(scenario: &Scenario) -> Service {
    scenario.with_inference(|job| job.service()).expect("an answer")
}

/// Larger by more than rounding: whole tiles, whole steps and whole prompts round differently.
fn slower(before: Seconds, after: Seconds, rounding: f64) -> bool {
    after > before * (1.0 + rounding)
}

fn bytes(rows: &[OperatorRow]) -> f64 {
    rows.iter()
        .filter(|row| row.cost.bound != Bound::Network)
        .map(|row| row.cost.bytes.get() * row.count)
        .sum()
}

/// A question with contexts of this length, with the same output.
fn at_length(scenario: &Scenario, length: u32) -> Scenario {
    let mut there = scenario.clone();
    there.inference.input = length - there.inference.output;
    there
}

/// Returns true if all requests of a question fit: a batch by its memory, concurrent requests by their places.
fn holds(scenario: &Scenario) -> bool {
    if !scenario.inference.is_stream() {
        return scenario.inference().is_ok();
    }
    let placed = scenario.with_inference(|job| {
        let replicas = job.load.replicas();
        job.has_room() && job.room() / replicas >= (f64::from(job.load.concurrency) / replicas).ceil()
    });
    placed.expect("a load")
}

/// Mamba's state does not grow, and a model of 4,096 tokens has no longer context however much memory there is.
#[test]
fn the_longest_context_is_the_models_own_where_memory_is_ample() {
    let longest = |model: &str| {
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        scenario.model = Choice::Named(model.to_owned());
        scenario.with_inference(|job| job.longest_context()).expect("a load")
    };
    assert_eq!(longest("llama-2-7b"), Some(4096));
    assert_eq!(longest("falcon-mamba-7b"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_longest_context_fits_and_no_longer_one_does(scenario in questions(), gib in 10.0..80.0_f64, tensor in 0_u32..4) {
        let mut scenario = scenario;
        scenario.system.dram_gib = Some(gib);
        scenario.inference.tensor = 1 << tensor;
        let most = scenario.architecture().expect("a model").max_sequence;
        match scenario.with_inference(|job| job.longest_context()).expect("a load") {
            Some(longest) => {
                prop_assert!(holds(&at_length(&scenario, longest)), "{longest} does not fit");
                prop_assert!(longest == most || !holds(&at_length(&scenario, longest + 1)), "{longest} is not all");
            }
            None => prop_assert!(!holds(&at_length(&scenario, scenario.inference.output + 1))),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 480, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn latency_never_rises_with_bandwidth_rate_or_links(scenario in questions(), factor in 1.0..8.0_f64) {
        let before = service(&Scenario { inference: InferenceLoad { concurrency: 0, ..scenario.inference }, ..scenario.clone() });
        let accelerator = scenario.system.accelerator().expect("a device");
        let changes: [(&str, Change<'_>); 4] = [
            ("bandwidth", &|device| device.dram.bandwidth_gb_s *= factor),
            ("links in the domain", &|device| device.scale_up.gb_s *= factor),
            ("links out of the domain", &|device| device.scale_out.gb_s *= factor),
            ("rates", &|device| {
                let rates = &mut device.matrix_tflops;
                for rate in [&mut rates.bf16, &mut rates.fp16, &mut rates.fp8, &mut rates.fp4] {
                    *rate = rate.map(|rate| rate * factor);
                }
            }),
        ];
        for (what, change) in changes {
            let mut faster = accelerator.clone();
            change(&mut faster);
            let mut changed = scenario.clone();
            changed.inference.concurrency = 0;
            changed.system.accelerator = Choice::Explicit(Box::new(faster));
            let after = service(&changed);
            prop_assert!(!slower(before.ttft, after.ttft, 1e-9), "more {what}: {before:?} {after:?}");
            prop_assert!(!slower(before.tpot, after.tpot, 1e-9), "more {what}: {before:?} {after:?}");
        }
    }

    #[test]
    fn latency_never_rises_with_capacity(scenario in questions(), factor in 1.0..4.0_f64) {
        let mut larger = scenario.clone();
        let capacity = scenario.system.accelerator().expect("a device").dram.capacity_gib;
        larger.system.dram_gib = Some(capacity * factor);
        let whole = |scenario: &Scenario| {
            let service = service(scenario);
            scenario.with_inference(|job| job.latency(service.ttft, service.tpot)).expect("an answer")
        };
        // More places shorten the queue, and lengthen the steps of those that have one: together never for worse.
        prop_assert!(!slower(whole(&scenario), whole(&larger), 0.02));
    }

    #[test]
    fn a_tighter_level_never_serves_more(
        scenario in questions(), rate in any::<bool>(), ttft in 1.0..1e4_f64, tpot in 1.0..200.0_f64, share in 0.1..1.0_f64
    ) {
        let mut loose = scenario;
        loose.inference.rate = if rate { 1.0 } else { 0.0 };
        (loose.inference.ttft_limit_ms, loose.inference.tpot_limit_ms) = (Some(ttft), Some(tpot));
        let largest = |scenario: &Scenario| {
            let point = scenario.with_inference(|job| job.largest_load()).expect("an answer");
            point.map_or(0.0, |point| point.load)
        };
        let most = largest(&loose);
        for (ttft, tpot) in [(ttft * share, tpot), (ttft, tpot * share), (ttft * share, tpot * share)] {
            let mut tight = loose.clone();
            (tight.inference.ttft_limit_ms, tight.inference.tpot_limit_ms) = (Some(ttft), Some(tpot));
            prop_assert!(largest(&tight) <= most);
        }
    }

    #[test]
    fn terms_sum_to_the_total_and_bounds_are_the_largest_part(scenario in questions()) {
        let answer = scenario.with_inference(|job| job.estimate()).expect("an answer");
        for (terms, total) in [(&answer.terms_prefill, answer.ttft), (&answer.terms_decode, answer.tpot)] {
            let sum: f64 = terms.iter().map(|term| term.time.get()).sum();
            prop_assert!((sum / total.get() - 1.0).abs() < 1e-9);
        }
        for row in answer.prefill.iter().chain(&answer.decode) {
            let cost = &row.cost;
            let part = |bound: Bound| match bound {
                Bound::Compute => cost.compute,
                Bound::Dram => cost.dram,
                Bound::L2 => cost.l2,
                Bound::Network => cost.network,
                Bound::Launch => cost.launch,
            };
            for bound in Bound::ALL {
                prop_assert!(part(bound) <= part(cost.bound), "{row:?}");
            }
            prop_assert!(part(cost.bound) <= cost.time * (1.0 + 1e-9), "{row:?}");
        }
    }

    #[test]
    fn a_draft_that_is_always_right_and_free_never_slows_a_request_down(scenario in questions(), draft in 1_u32..5) {
        let mut plain = scenario;
        (plain.inference.concurrency, plain.inference.batch, plain.inference.draft) = (0, 1, 0);
        let mut drafted = plain.clone();
        let load = &mut drafted.inference;
        (load.draft, load.acceptance, load.draft_cost) = (draft, 1.0, 0.0);
        prop_assert!(service(&drafted).tpot < service(&plain).tpot);
        // One that is never right costs what it costs.
        drafted.inference.acceptance = 0.0;
        prop_assert!(service(&drafted).tpot >= service(&plain).tpot * (1.0 - 1e-9));
    }
}

/// Every weight that a token touches once, every cached key and value once, and beside them activations alone.
#[test]
fn decode_bytes_are_the_weights_and_the_cache() {
    for (kv_precision, batch) in
        [(Precision::Bf16, 1), (Precision::Bf16, 16), (Precision::Fp8, 16), (Precision::Fp4, 16)]
    {
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        scenario.inference = InferenceLoad {
            input: 4096,
            output: 2,
            tensor: 4,
            batch,
            kv_precision,
            ..InferenceLoad::default()
        };
        let answer = scenario.inference().expect("an answer");
        let architecture = scenario.architecture().expect("a model");
        let parameters = architecture.parameters();
        let weights = 2.0 * ((parameters.total - parameters.embedding) as f64) / 4.0;
        let context = 4096.0 + 1.0;
        let cache = answer.kv_bytes_per_token.get() / 4.0 * context * f64::from(batch);
        let beside = bytes(&answer.decode) - weights - cache;
        assert!((0.0..0.02).contains(&(beside / (weights + cache))), "{kv_precision:?} {batch}: {beside}");
    }
}

#[test]
fn what_is_cached_need_not_be_read_again() {
    let ttft = |cached: f64| {
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        (scenario.inference.input, scenario.inference.cached) = (8192, cached);
        service(&scenario).ttft
    };
    assert!(ttft(0.5) < ttft(0.0) * 0.6 && ttft(0.5) > ttft(0.0) * 0.4);
    assert!(ttft(0.9) < ttft(0.5));
    // A fully cached prompt leaves one token, which attends to all others.
    assert!(ttft(1.0) < ttft(0.99) * 1.01);
}

#[test]
fn who_shares_a_long_prompt_reads_it_sooner() {
    let at = |context: u32, input: u32| {
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        (scenario.inference.input, scenario.inference.context) = (input, context);
        (scenario.inference.kv_precision, scenario.inference.precision) = (Precision::Fp8, Precision::Fp8);
        service(&scenario)
    };
    let (alone, shared) = (at(1, 131_072), at(4, 131_072));
    assert!(shared.ttft < alone.ttft * 0.35 && shared.ttft > alone.ttft * 0.25, "{alone:?} {shared:?}");
    assert_eq!(alone.tpot, shared.tpot);
    // With a short prompt, the exchange of keys and values cannot be hidden.
    assert!(at(4, 512).ttft > at(1, 512).ttft * 0.3);
}

/// A closed loop of 16 requests of DeepSeek-V3 on 8 B200, whose scheduler admits requests every `admission` decode steps.
fn admitted(engine: Engine, admission: u32) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named("deepseek-v3".to_owned());
    scenario.system.accelerator = Choice::Named("b200".to_owned());
    scenario.inference = InferenceLoad {
        input: 1024,
        output: 1024,
        precision: Precision::Fp8Block,
        concurrency: 16,
        engine,
        admission,
        ..InferenceLoad::default()
    };
    scenario
}

/// A scheduler that looks for requests every 31st step makes each wait for 15 further steps on average; one that holds the
/// first for 31 steps, for more than half of them, since others come meanwhile.
#[test]
fn requests_wait_for_their_admission() {
    let steps = |engine: Engine| {
        let [at_once, later] = [1, 31].map(|admission| service(&admitted(engine, admission)));
        (later.ttft - at_once.ttft) / at_once.tpot
    };
    let (polled, held) = (steps(Engine::Sglang), steps(Engine::Trtllm));
    assert!((polled - 15.0).abs() < 2.0, "{polled}");
    assert!((17.0..31.0).contains(&held), "{held}");
}

/// The mean of closed form and the simulation agree about intervals of admission.
#[test]
fn the_simulation_admits_in_intervals_too() {
    let simulated = |admission: u32| {
        let scenario = admitted(Engine::Sglang, admission);
        let run =
            scenario.with_inference(|job| job.simulation(Lengths::Narrow, 400).map(|mut run| run.run()));
        run.expect("a job").expect("a simulation").ttft.mean
    };
    let [closed, simulated] = [
        service(&admitted(Engine::Sglang, 31)).ttft - service(&admitted(Engine::Sglang, 1)).ttft,
        simulated(31) - simulated(1),
    ];
    assert!((simulated / closed - 1.0).abs() < 0.25, "{simulated:?} {closed:?}");
}

fn linked(link: &str) -> Scenario {
    let decoded = foretoken::scenario::link::decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.scenario
}

#[test]
fn a_share_of_the_memory_without_room_for_a_request_is_refused() {
    let link = "v=1&view=inference&model=qwen3-30b-a3b&gpu=a100-sxm-80gb&serve.precision=bf16&serve.tp=1&serve.engine=vllm\
                &serve.concurrency=4&serve.memory=";
    let problems = linked(&format!("{link}0.05")).inference().expect_err("no room");
    assert_eq!(problems[0].field, "inference.memory_share");
    assert!(linked(&format!("{link}0.9")).inference().is_ok());
}
