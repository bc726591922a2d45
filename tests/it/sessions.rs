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

/// Che's approximation and the mean-field model against an LRU cache in the simulation of the same sessions. With 3,000 requests
/// simulated shares scatter by 0.03 from rate to rate.
#[test]
fn shares_are_those_of_a_simulated_cache() {
    for rest in [
        "serve.rate=1",
        "serve.rate=4",
        "serve.rate=4&serve.interval=20",
        "serve.rate=3.8&serve.cache.host=64",
        "serve.rate=4&serve.cache.host=32&serve.cache.ssd=64",
        "serve.concurrency=16",
        "serve.rate=4&serve.prefill.workers=1&serve.prefill.tp=1",
    ] {
        for lengths in [Lengths::Constant, Lengths::Conversation] {
            let scenario = question(rest);
            let cache = cache(&scenario);
            let simulation = scenario.with_inference(|job| job.simulation(lengths, 12_000));
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

/// The largest rate keeps the limits with what the cache still has at that rate, is not larger under a tighter limit, and is
/// below saturation.
#[test]
fn the_largest_load_has_its_own_cache() {
    let mut found = Vec::new();
    for rest in ["serve.turns=8", "serve.in=32000&serve.turns=30&serve.interval=120"] {
        let (mut before, mut met) = (0.0, 0);
        for limit in [105, 110, 120, 130, 140, 150, 200, 400, 1000, 2500] {
            let levels = format!("{rest}&serve.ttft={limit}&serve.tpot=30");
            let curve = question(&format!("{levels}&serve.rate=1")).load_curve().expect("a curve");
            let Some(largest) = curve.largest else { continue };
            let estimate =
                question(&format!("{levels}&serve.rate={}", largest.load)).served().expect("an estimate");
            let (ttft, tpot) = (estimate.ttft.get(), estimate.tpot.get());
            assert!(
                ttft <= 1e-3 * f64::from(limit) * 1.001 && tpot <= 0.03 * 1.001,
                "{levels}: {ttft}, {tpot}"
            );
            assert!(largest.load >= before * 0.98, "{levels}: {} after {before}", largest.load);
            assert!(
                largest.load <= curve.saturation * 1.001,
                "{levels}: {} of {}",
                largest.load,
                curve.saturation
            );
            before = largest.load;
            met += 1;
        }
        found.push(met);
    }
    // No rate meets the other limits.
    assert_eq!(found, [10, 2]);
    let plain = question("serve.rate=1&serve.ttft=1000&serve.tpot=30&serve.turns=1&serve.shared=0");
    let plain = plain.load_curve().expect("a curve").largest.expect("a load");
    let turns = question("serve.rate=1&serve.ttft=1000&serve.tpot=30").load_curve().expect("a curve");
    assert!(turns.largest.expect("a load").load > 1.1 * plain.load, "{plain:?}");
}

/// Saturation is that of a cache which still has what it can: shorter intervals and more memory raise it.
#[test]
fn saturation_counts_what_is_cached() {
    let saturation =
        |rest: &str| question(&format!("serve.rate=1&{rest}")).load_curve().expect("a curve").saturation;
    let (without, long, short, more) = (
        saturation("serve.turns=1&serve.shared=0"),
        saturation("serve.interval=600"),
        saturation("serve.interval=20"),
        saturation("serve.interval=20&serve.cache.host=512"),
    );
    assert!(without < long && long < short && short < more, "{without}, {long}, {short}, {more}");
}

/// In a closed loop of long sessions, rate, cached shares and what is found belong together.
#[test]
fn closed_loops_converge() {
    let mut before = 0.0;
    for host in [100, 150, 200, 250, 300, 600, 1200] {
        let scenario = question(&format!(
            "model=llama-3.1-70b&serve.tp=8&serve.in=100000&serve.out=10&serve.turns=400&serve.shared=0&serve.interval=100&\
             serve.concurrency=8&serve.cache.host={host}"
        ));
        let cache = cache(&scenario);
        let shares: f64 = cache.shares.iter().sum();
        assert!((shares - cache.found[2] * cache.repeated).abs() < 1e-6, "{host}: {cache:?}");
        let rate = scenario.served().expect("an estimate").requests_per_second;
        assert!(rate >= before * (1.0 - 1e-4), "{host}: {rate} after {before}");
        before = rate;
    }
}

/// Deployments whose sessions are too many to simulate have no percentiles, and nothing takes long.
#[test]
fn very_long_sessions_are_not_simulated() {
    for rest in [
        "serve.rate=4&serve.interval=1000000&serve.cache.host=1000000",
        "serve.rate=1000&serve.interval=86400",
    ] {
        let simulation =
            question(rest).with_inference(|job| job.simulation(Lengths::Constant, 10)).expect("a job");
        assert!(simulation.is_none(), "{rest}");
    }
    let gapless = question("serve.rate=1.5&serve.interval=0.1&serve.turns=20&serve.in=9000&serve.out=800");
    let simulation = gapless.with_inference(|job| job.simulation(Lengths::Constant, 2000)).expect("a job");
    let simulated = simulation.expect("a simulation").run();
    assert!((simulated.rate / 1.5 - 1.0).abs() < 0.1, "{simulated:?}");
}

/// Copies in host memory are of use where they are more than what the GPUs have.
#[test]
fn copied_tiers_do_not_add_up() {
    let found = |engine: &str, host: u32| {
        let scenario = question(&format!("serve.rate=4&serve.engine={engine}&serve.cache.host={host}"));
        (cache(&scenario).found[1], scenario.with_inference(|job| job.cache_tiers()).expect("a job"))
    };
    let (alone, tiers) = found("vllm", 0);
    assert!(tiers.copies && tiers.gpu > 0.0);
    assert!((found("vllm", 32).0 - alone).abs() < 0.01);
    assert!(found("trtllm", 32).0 > found("trtllm", 0).0 + 0.1);
    assert!(found("vllm", 128).0 > alone + 0.2);
}

#[test]
fn impossible_sessions_name_their_field() {
    let (field, message) = problem("serve.rate=1&serve.turns=40");
    assert_eq!(field, "inference.turns");
    assert!(message.contains("at most 24 turns"), "{message}");
    let (field, _) = problem("serve.rate=1&serve.turns=25");
    assert_eq!(field, "inference.turns");
    assert!(question("serve.rate=1&serve.turns=24").with_inference(|_| ()).is_ok());
    let (field, _) = problem("serve.rate=1&serve.requests=100");
    assert_eq!(field, "inference.requests");
    let (field, message) = problem("serve.rate=1&serve.shared=4000");
    assert_eq!(field, "inference.shared_prefix");
    assert!(message.contains("at most 3,999"), "{message}");
    let (field, message) = problem("serve.rate=1&serve.cached=0.5");
    assert_eq!(field, "inference.turns");
    assert!(message.contains("cached shares follow"), "{message}");
    // One batch has no requests before it.
    assert!(question("serve.cached=0.5").with_inference(|_| ()).is_ok());
}

/// Devices without a known link to their host are sized with GPU memory alone, and refuse no question.
#[test]
fn host_memory_is_a_tier_where_its_link_is_known() {
    let scenario =
        link::decode("v=1&view=sizing&model=llama-3.1-8b&serve.turns=4&serve.cache.host=64").scenario;
    let search = scenario.sizing().expect("a search");
    let tiers = |linked: bool| {
        let of = |candidate: &&foretoken::sizing::Candidate| candidate.accelerator.host.is_some() == linked;
        let candidates: Vec<_> = search.candidates().iter().filter(of).collect();
        assert!(!candidates.is_empty());
        candidates.into_iter().map(|candidate| candidate.problem.load.host_cache_gib).fold(0.0, f64::max)
    };
    assert!(tiers(true) > 0.0 && tiers(false) <= 0.0);
}

#[test]
fn fleets_of_users_with_sessions_are_smaller() {
    let users = "v=1&view=sizing&model=llama-3.1-8b&gpu=h100-sxm&size.users=6000&serve.engine=vllm&serve.in=4000&serve.out=300&\
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
