//! Laws of simulated serving: queues with known waits, Little's law, nothing lost, the same bits, more room no slower.

use foretoken::inference::PromptSteps;
use foretoken::scenario::link;
use foretoken::serving::simulation::{
    Arrivals, Extent, Handover, Lengths, Pace, Pool, Reach, Scheduler, Simulated, Simulation,
};
use proptest::prelude::*;

/// Seconds that reading a token takes.
const EACH: f64 = 1e-3;

/// A machine that reads tokens in a time in proportion, and decodes in steps of 10 ms and 10 µs for each request.
fn pace(tokens: f64) -> Pace {
    let reach = Reach { running: 1024.0, context: 4096.0, tokens };
    Pace::new(|running, _| 0.01 + 1e-5 * running, |tokens, _| EACH * tokens, reach)
}

/// One request at a time, whose prompt is read in one step.
fn rules(budget: u32) -> Scheduler {
    Scheduler {
        admission: 1,
        holds: false,
        slots: 1,
        budget,
        prompt_steps: PromptSteps::Chunked,
        reserves: false,
        checked: 1,
        yielded: 1.0,
        room: 1e12,
        fixed: 0.0,
        per_token: 1.0,
        cached: 0.0,
        arrival: 0.0,
    }
}

/// A queue before one server: prompts of 100 tokens on average, no answers, at this utilisation.
fn queue(lengths: Lengths, busy: f64) -> Simulated {
    let arrivals = Arrivals::Poisson(busy / (100.0 * EACH));
    // Answers of less than half a token have one.
    Simulation::new(pace(200.0), rules(200), arrivals, (lengths, (100.0, 0.2)), (Extent::Stream(100_000), 1))
        .run()
}

/// Pollaczek and Khinchine: the mean wait is λ E(S²) / 2 (1 - ρ).
#[test]
fn waits_are_those_of_m_d_1_and_m_g_1() {
    let service = 100.0 * EACH;
    for busy in [0.3, 0.6, 0.8] {
        let rate = busy / service;
        for (lengths, squares) in [(Lengths::Constant, 1.0), (Lengths::Uniform, 4.0 / 3.0)] {
            let wait = rate * squares * service * service / (2.0 * (1.0 - busy));
            let simulated = queue(lengths, busy);
            let found = simulated.ttft.mean.get() - service;
            assert!((found / wait - 1.0).abs() < 0.05, "{lengths:?} at {busy}: {found} for {wait}");
            // Little's law.
            let present = simulated.rate * simulated.latency.mean.get();
            assert!((simulated.in_system / present - 1.0).abs() < 0.02, "{simulated:?}");
        }
    }
    // M/D/1 at 0.6: the distribution of waits is known; 0.5 of all wait less than this (Erlang's formula, at t < 1).
    let median = queue(Lengths::Constant, 0.6).ttft.p50.get() - service;
    let exact = libm::log(0.5 / 0.4) / 0.6 * service;
    // A bucket at 0.137 s is known within 1.4 ms.
    assert!((median - exact).abs() < 0.03 * service, "{median} for {exact}");
}

/// Requests that decode together, in room for so many tokens.
fn batch(room: f64, slots: u32, arrivals: Arrivals, lengths: Lengths, seed: u64) -> Simulation {
    let rules = Scheduler { slots, room, ..rules(512) };
    Simulation::new(pace(1536.0), rules, arrivals, (lengths, (50.0, 40.0)), (Extent::Stream(2000), seed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_tokens_are_conserved(
        room in 200.0..20_000.0_f64, slots in 1_u32..64, rate in 0.5..12.0_f64, seed in any::<u64>(), clients in 0_u32..40
    ) {
        let arrivals = if clients > 0 { Arrivals::Closed(clients) } else { Arrivals::Poisson(rate) };
        let mut simulation = batch(room, slots, arrivals, Lengths::Constant, seed);
        let mut before = 0.0;
        for _ in 0..40 {
            simulation.advance(500);
            let (arrived, ended, there) = simulation.counts();
            prop_assert_eq!(arrived, ended + there);
            prop_assert!((simulation.tokens() - 40.0 * ended as f64).abs() < 1e-6);
            prop_assert!(simulation.now() >= before && there <= arrived);
            before = simulation.now();
            if clients > 0 {
                prop_assert_eq!(there, u64::from(clients));
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bits(seed in any::<u64>(), rate in 0.5..6.0_f64) {
        let run = |steps: u32| {
            let mut simulation = batch(4000.0, 32, Arrivals::Poisson(rate), Lengths::Conversation, seed);
            while !simulation.is_done() {
                simulation.advance(steps);
            }
            simulation.simulated()
        };
        prop_assert_eq!(run(u32::MAX), run(7));
    }
}

#[test]
fn more_room_is_no_slower() {
    let at = |room: f64| batch(room, 64, Arrivals::Poisson(16.0), Lengths::Uniform, 3).run();
    let rooms = [500.0, 1000.0, 2000.0, 8000.0, 64_000.0].map(at);
    for pair in rooms.windows(2) {
        let (less, more) = (pair[0].ttft, pair[1].ttft);
        assert!(more.mean <= less.mean * 1.02 && more.p95 <= less.p95 * 1.05, "{pair:?}");
    }
    assert!(rooms[0].ttft.p95 > rooms[4].ttft.p95 * 2.0, "{rooms:?}");
    assert!(rooms[4].preempted < 1e-9, "{rooms:?}");
}

#[test]
fn a_full_cache_preempts_and_all_requests_still_end() {
    // Room for three requests at their end, for 27 at their beginning.
    let run = |reserves: bool| {
        let rules = Scheduler { slots: 64, room: 300.0, reserves, ..rules(512) };
        let lengths = (Lengths::Constant, (10.0, 80.0));
        Simulation::new(pace(1536.0), rules, Arrivals::Closed(30), lengths, (Extent::Stream(2000), 5)).run()
    };
    let simulated = run(false);
    assert!(simulated.preempted > 0.05 && simulated.requests == 2000, "{simulated:?}");
    // An engine that keeps room to the end preempts nobody.
    let kept = run(true);
    assert!(kept.preempted < 1e-9 && kept.requests == 2000, "{kept:?}");
}

#[test]
fn percentiles_are_in_order_and_requests_are_counted() {
    for lengths in Lengths::ALL {
        let simulated = batch(50_000.0, 256, Arrivals::Poisson(8.0), lengths, 9).run();
        for time in [simulated.ttft, simulated.tpot, simulated.latency] {
            assert!(time.p50 <= time.p90 && time.p90 <= time.p95 && time.p95 <= time.p99, "{time:?}");
        }
        // Requests that end in the last step are all measured.
        assert!((2000..2000 + 256).contains(&simulated.requests), "{lengths:?}: {}", simulated.requests);
    }
}

#[test]
fn more_than_is_served_has_an_end() {
    let mut simulation = batch(300.0, 4, Arrivals::Poisson(1e6), Lengths::Constant, 1);
    simulation.advance(1_000_000);
    assert!(simulation.is_done() && !simulation.keeps_up());
}

/// The simulation and the mean-field answer of the same deployment, at shares of what it serves at most.
#[test]
fn the_steady_state_is_near_the_mean() {
    for rest in [
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.precision=fp8&serve.in=3000&serve.out=500",
        "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.in=1000&serve.out=200",
        "model=qwen3-32b&gpu=b200&serve.tp=2&serve.in=500&serve.out=1000",
        "model=deepseek-v3&gpu=b200&serve.tp=8&serve.precision=fp8block&serve.in=4000&serve.out=500",
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.in=3000&serve.out=500&serve.prefill.workers=2\
         &serve.prefill.tp=4",
        "model=qwen3-32b&gpu=b200&serve.tp=2&serve.in=4000&serve.out=300&serve.workers=2&serve.prefill.workers=3\
         &serve.prefill.tp=1",
        "model=deepseek-v3&gpu=h200-sxm&serve.tp=1&serve.dp=16&serve.ep=16&serve.precision=fp8block&serve.in=4000\
         &serve.out=500&serve.prefill.workers=2&serve.prefill.tp=8",
        "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.in=2000&serve.out=200&serve.workers=3701&serve.prefill.workers=2400",
    ] {
        let asked =
            link::decode(&format!("v=1&view=inference&serve.engine=vllm&serve.rate=0.01&{rest}")).scenario;
        let most = asked.with_inference(|job| job.largest_rate()).expect("a job");
        for share in [0.2, 0.5, 0.7] {
            let mut scenario = asked.clone();
            scenario.inference.rate = most * share;
            let (steady, simulated) = scenario
                .with_inference(|job| {
                    (job.service(), job.simulation(Lengths::Constant, 4000).expect("a simulation").run())
                })
                .expect("a job");
            let off = |found: f64, mean: f64| found / mean - 1.0;
            let tpots = off(simulated.tpot.mean.get(), steady.tpot.get());
            let ttfts = off(simulated.ttft.mean.get(), steady.ttft.get());
            assert!(tpots.abs() < 0.1 && ttfts.abs() < 0.2, "{rest} at {share}: {tpots} {ttfts}");
        }
    }
}

/// All prompts go to simulated replicas, in so many seconds a token.
const fn whole(transfer: f64) -> Handover {
    Handover { transfer, simulated: 1.0 }
}

/// Two replicas that prefill, each with room for so many tokens, before three that decode.
fn apart(room: f64, arrivals: Arrivals, handover: Handover) -> Simulation {
    let pool = |replicas| Pool {
        replicas,
        stages: 1,
        pace: pace(1536.0),
        rules: Scheduler { slots: 16, room, ..rules(512) },
    };
    let requests = (Lengths::Constant, (50.0, 40.0));
    Simulation::disaggregated((pool(2), pool(3), handover), arrivals, requests, (Extent::Stream(2000), 7))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn disaggregation_loses_nothing(
        room in 200.0..20_000.0_f64, rate in 0.5..20.0_f64, clients in 0_u32..40, simulated in 0.1..=1.0_f64
    ) {
        let closed = clients > 0;
        let arrivals = if closed { Arrivals::Closed(clients) } else { Arrivals::Poisson(rate) };
        // A closed loop is simulated whole.
        let simulated = if closed { 1.0 } else { simulated };
        let mut simulation = apart(room, arrivals, Handover { transfer: 1e-4, simulated });
        prop_assert_eq!(simulation.replicas(), (2, 3));
        for _ in 0..40 {
            let before = simulation.now();
            simulation.advance(500);
            let (arrived, ended, there) = simulation.counts();
            prop_assert_eq!(arrived, ended + there);
            prop_assert!((simulation.tokens() - 40.0 * ended as f64).abs() < 1e-6);
            prop_assert!(simulation.now() >= before);
            if clients > 0 {
                prop_assert_eq!(there, u64::from(clients));
            }
        }
    }
}

/// A lone request: its prompt takes 50 ms, the transfer what it takes, each further token a step of one request.
#[test]
fn disaggregation_adds_its_times() {
    let lone = |transfer: f64| apart(1e12, Arrivals::Poisson(0.01), whole(transfer)).run();
    let (near, far) = (lone(0.0), lone(2e-3));
    let close = |found: f64, exact: f64| (found / exact - 1.0).abs() < 1e-3;
    assert!(close(near.ttft.mean.get(), 0.05) && close(far.ttft.mean.get(), 0.15), "{near:?} {far:?}");
    assert!(
        close(near.tpot.mean.get(), 0.010_01) && close(far.tpot.mean.get(), 0.010_01),
        "{near:?} {far:?}"
    );
    // Little's law, the transfer included.
    for found in [near, far, apart(1e12, Arrivals::Poisson(12.0), whole(2e-3)).run()] {
        let present = found.rate * found.latency.mean.get();
        assert!((found.in_system / present - 1.0).abs() < 0.05, "{found:?}");
    }
}

/// Prompts do not interrupt decoding on replicas that only decode, so that TPOT does not vary with arrivals; and a decode
/// replica whose KV cache is full prefills again what it preempts.
#[test]
fn disaggregation_keeps_prompts_from_decoding() {
    let free = apart(1e12, Arrivals::Poisson(12.0), whole(0.0)).run();
    let mixed = batch(1e12, 16, Arrivals::Poisson(4.0), Lengths::Constant, 7).run();
    assert!(free.tpot.p99.get() < 0.0105 && mixed.tpot.p99 > free.tpot.p99 * 1.2, "{free:?} {mixed:?}");
    assert!(free.preempted < 1e-9 && apart(300.0, Arrivals::Closed(60), whole(0.0)).run().preempted > 0.01);
}

/// A closed loop over pools without a small common ratio would be simulated replica by replica: it is not.
#[test]
fn pools_without_a_small_ratio_are_not_simulated_in_a_closed_loop() {
    let is_simulated = |rest: &str| {
        let link =
            format!("v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.engine=vllm{rest}");
        let question = link::decode(&link).scenario;
        question.with_inference(|job| job.simulation(Lengths::Constant, 100).is_some()).expect("a job")
    };
    assert!(is_simulated("&serve.concurrency=9000&serve.workers=3700&serve.prefill.workers=2400"));
    assert!(!is_simulated("&serve.concurrency=9000&serve.workers=3701&serve.prefill.workers=2400"));
    assert!(!is_simulated(
        "&serve.rate=9000&serve.requests=16000&serve.workers=3701&serve.prefill.workers=2400"
    ));
}

/// A run of two rounds ends, loses nothing, and has its burst in the percentiles: clients that come together are read one
/// after the other.
#[test]
fn a_run_has_its_beginning_in_its_percentiles() {
    let clients = 16_u32;
    let rules = Scheduler { slots: 64, ..rules(100) };
    let load = (Arrivals::Closed(clients), (Lengths::Constant, (100.0, 50.0)));
    let mut run = Simulation::new(pace(200.0), rules, load.0, load.1, (Extent::Run(2 * clients), 1));
    let found = run.run();
    assert_eq!((run.run_length(), run.counts()), (Some(32), (32, 32, 0)));
    assert_eq!(found.requests, 32);
    // The last of 16 prompts of 100 ms is read after 1.6 s; those of the second round hardly wait.
    assert!((found.ttft.p99.get() / 1.6 - 1.0).abs() < 0.15, "{found:?}");
    let stream = Simulation::new(pace(200.0), rules, load.0, load.1, (Extent::Stream(2000), 1)).run();
    assert!(stream.ttft.p99 < found.ttft.p99 * 0.5, "{stream:?}");
    // The same holds for a Poisson process with a limited number of requests.
    let mut poisson =
        Simulation::new(pace(200.0), rules, Arrivals::Poisson(1.0), load.1, (Extent::Run(40), 1));
    assert_eq!((poisson.run().requests, poisson.counts()), (40, (40, 40, 0)));
}

/// A load with an end is simulated as a run on the page, so that it stands beside what a benchmark prints.
#[test]
fn a_benchmark_of_some_rounds_is_simulated_whole() {
    let asked = |rest: &str| {
        let link = format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&gpus=1&serve.tp=1&serve.engine=vllm&serve.in=1000\
             &serve.out=200&serve.concurrency=16{rest}"
        );
        let question = link::decode(&link).scenario;
        question
            .with_inference(|job| job.simulation(Lengths::Constant, 2000).expect("a simulation"))
            .expect("a job")
    };
    assert_eq!((asked("").run_length(), asked("&serve.rounds=5").run_length()), (None, Some(80)));
    let (mut stream, mut run) = (asked(""), asked("&serve.rounds=5"));
    assert!(run.run().ttft.p99 > stream.run().ttft.p99);
}
