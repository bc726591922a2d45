//! Sessions: what the prefix cache still has of the turns before, by the mean-field model and by simulation.

use foretoken::scenario::{Scenario, link};
use foretoken::serving::SessionCache;
use foretoken::serving::simulation::Lengths;

/// Conversations of eight turns on one H100, whose prompts begin with 500 tokens that all share.
const TALK: &str = "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.engine=vllm&serve.in=4000&serve.out=300&\
                    serve.turns=8&serve.shared=500&serve.interval=60";

/// The question with other values of some keys.
fn question(rest: &str) -> Scenario {
    let key = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let kept: Vec<&str> =
        TALK.split('&').filter(|pair| !rest.split('&').any(|other| key(other) == key(pair))).collect();
    let decoded = link::decode(&format!("{}&{rest}", kept.join("&")));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn cache(scenario: &Scenario) -> SessionCache {
    scenario.with_inference(|job| job.session_cache()).expect("a job").expect("sessions")
}

/// Message of the problem that a question has, with its field.
fn problem(rest: &str) -> (String, String) {
    let problems = question(rest).with_inference(|_| ()).expect_err("a problem");
    (problems[0].field.clone(), problems[0].message.clone())
}

#[test]
fn a_cache_that_never_fills_has_all_that_turns_repeat() {
    let cache = cache(&question("serve.rate=0.01&serve.cache.host=10000"));
    // P = S + U (N + 1) / 2 + O (N - 1) / 2, so that each turn adds 544 tokens; the rest of a prompt of 4,000 is repeated.
    let message = 2.0 * (4000.0 - 500.0 - 300.0 * 3.5) / 9.0;
    assert!((cache.repeated - (1.0 - message / 4000.0)).abs() < 1e-12, "{cache:?}");
    let all: f64 = cache.shares.iter().sum();
    assert!((all / cache.repeated - 1.0).abs() < 1e-3, "{cache:?}");
}

/// Che's approximation and the mean-field model against an LRU cache in the simulation of the same sessions.
#[test]
fn shares_are_those_of_a_simulated_cache() {
    for rest in [
        "serve.rate=1",
        "serve.rate=4",
        "serve.rate=4&serve.interval=20",
        "serve.rate=4&serve.cache.host=64",
        "serve.rate=4&serve.cache.host=32&serve.cache.ssd=64",
        "serve.concurrency=16",
        "serve.rate=4&serve.prefill.workers=1&serve.prefill.tp=1",
    ] {
        for lengths in [Lengths::Constant, Lengths::Conversation] {
            let scenario = question(rest);
            let cache = cache(&scenario);
            let simulation = scenario.with_inference(|job| job.simulation(lengths, 3000));
            let simulated = simulation.expect("a job").expect("a simulation").run();
            for (tier, (own, other)) in cache.shares.into_iter().zip(simulated.cached).enumerate() {
                assert!((own - other).abs() < 0.03, "{rest}, {lengths:?}, tier {tier}: {own} for {other}");
            }
        }
    }
}

#[test]
fn more_room_keeps_more_and_more_traffic_less() {
    let all = |rest: &str| cache(&question(rest)).shares.iter().sum::<f64>();
    let mut before = 0.0;
    for host in [0, 8, 16, 32, 64, 128, 512] {
        let share = all(&format!("serve.rate=6&serve.cache.host={host}"));
        assert!(share >= before - 1e-4, "{host} GiB: {share} after {before}");
        before = share;
    }
    let mut before = 1.0;
    for rate in [0.5, 1.0, 2.0, 4.0, 8.0] {
        let share = all(&format!("serve.rate={rate}"));
        assert!(share <= before + 1e-4, "{rate}/s: {share} after {before}");
        before = share;
    }
}

/// Workers that only prefill have the keys and values of prompts, but not of answers.
#[test]
fn prefill_workers_have_no_answers() {
    let apart = cache(&question("serve.rate=1&serve.prefill.workers=1&serve.prefill.tp=1"));
    let together = cache(&question("serve.rate=1"));
    assert!((together.repeated - apart.repeated - 300.0 * 7.0 / 8.0 / 4000.0).abs() < 1e-12, "{apart:?}");
}

/// The largest rate keeps the limits with what the cache still has at that rate.
#[test]
fn the_largest_load_has_its_own_cache() {
    let scenario = question("serve.rate=1&serve.ttft=1000&serve.tpot=30");
    let largest = scenario.load_curve().expect("a curve").largest.expect("a load");
    let at = question(&format!("serve.rate={}&serve.ttft=1000&serve.tpot=30", largest.load));
    let estimate = at.served().expect("an estimate");
    let near = |own: f64, other: f64| (own / other - 1.0).abs() < 0.05;
    assert!(near(estimate.ttft.get(), largest.service.ttft.get()), "{largest:?}: {}", estimate.ttft.get());
    assert!(near(estimate.tpot.get(), largest.service.tpot.get()), "{largest:?}: {}", estimate.tpot.get());
    let without = question("serve.rate=1&serve.ttft=1000&serve.tpot=30&serve.turns=1&serve.shared=0");
    let plain = without.load_curve().expect("a curve").largest.expect("a load");
    assert!(largest.load > 1.1 * plain.load, "{} over {}", largest.load, plain.load);
}

#[test]
fn impossible_sessions_name_their_field() {
    let (field, message) = problem("serve.rate=1&serve.turns=40");
    assert_eq!(field, "inference.turns");
    assert!(message.contains("at least 6371 tokens"), "{message}");
    let (field, _) = problem("serve.rate=1&serve.turns=1&serve.shared=4000");
    assert_eq!(field, "inference.shared_prefix");
    let (field, message) = problem("serve.rate=1&serve.cached=0.5");
    assert_eq!(field, "inference.turns");
    assert!(message.contains("cached shares follow"), "{message}");
    // One batch has no requests before it.
    assert!(question("serve.cached=0.5").with_inference(|_| ()).is_ok());
}

#[test]
fn fleets_of_users_with_sessions_are_smaller() {
    let users = "v=1&view=sizing&model=llama-3.1-8b&gpu=h100-sxm&size.users=2000&serve.engine=vllm&serve.in=4000&serve.out=300&\
                 serve.ttft=1000&serve.tpot=30";
    let gpus = |rest: &str| {
        let mut scenario = link::decode(&format!("{users}{rest}")).scenario;
        scenario.sizing.one_device = true;
        let mut search = scenario.sizing().expect("a search");
        search.run();
        search.fleets().iter().map(|fleet| fleet.gpus()).min().expect("a fleet")
    };
    let (alone, turns) = (gpus(""), gpus("&serve.turns=8"));
    let kept = gpus("&serve.turns=8&serve.cache.host=256");
    assert!(kept <= turns && turns < alone, "{alone}, {turns}, {kept} GPUs");
}
