//! Traces that are replayed: arrivals, lengths, shared prefixes, and what the page says of them.

use std::fmt::Write as _;
use std::sync::Arc;

use foretoken::measured::{Opened, open};
use foretoken::scenario::{Scenario, link};
use foretoken::service::{Ask, Request, Service};
use foretoken::serving::simulation::{Lengths, Random, Replay, Simulated, TraceRequest};
use foretoken::traffic;
use foretoken::view::{Answer, Part};

use crate::service::{all, answered, request};

/// Llama-3.1 8B on H100s that serve requests of 1,000 and 100 tokens at 4 per second and replica.
fn asked(rest: &str) -> Scenario {
    let decoded = link::decode(&format!(
        "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.in=1000&serve.out=100&serve.tp=1&serve.engine=vllm\
         &serve.rate=4{rest}"
    ));
    // The last of two values of a field counts.
    assert_eq!(decoded.problems, [], "{rest}");
    decoded.scenario
}

/// A trace whose requests arrive at these times.
fn trace(arrivals: impl Iterator<Item = f64>, blocks: impl Fn(usize) -> Vec<u64>) -> Arc<Replay> {
    let of = |(index, arrival)| TraceRequest {
        arrival,
        input: 1000.0,
        output: 100.0,
        blocks: blocks(index),
        ..TraceRequest::default()
    };
    let requests: Vec<TraceRequest> = arrivals.enumerate().map(of).collect();
    let span = requests.last().expect("a request").arrival - requests[0].arrival;
    let rate = Some(requests.len() as f64 / span);
    Arc::new(Replay { requests, rate, means: (1000.0, 100.0), block: 512.0 })
}

/// Poisson arrivals at 1 per second.
fn poisson(requests: usize) -> impl Iterator<Item = f64> {
    let (mut random, mut now) = (Random::new(5), 0.0);
    (0..requests).map(move |_| {
        now += random.exponential(1.0);
        now
    })
}

fn replayed(question: &Scenario, replay: &Arc<Replay>, requests: u32) -> Simulated {
    question
        .with_inference(|job| job.trace_simulation(replay, requests).expect("a simulation").run())
        .expect("a job")
}

/// Every request is measured, with all its tokens, and Little's law holds.
#[test]
fn no_request_of_a_trace_is_lost() {
    let replay = trace(poisson(3000), |_| Vec::new());
    for rest in ["", "&serve.prefill.workers=1&serve.workers=1", "&serve.prefill.workers=2&serve.workers=1"] {
        let question = asked(rest);
        let (simulated, counts, tokens) = question
            .with_inference(|job| {
                let mut simulation = job.trace_simulation(&replay, 3000).expect("a simulation");
                let simulated = simulation.run();
                (simulated, simulation.counts(), simulation.tokens())
            })
            .expect("a job");
        assert_eq!((simulated.requests, counts), (3000, (3000, 3000, 0)), "{rest}");
        assert!((tokens - 300_000.0).abs() < 0.5, "{rest}: {tokens}");
        let overheads = question.inference.engine.overheads();
        let arrival = overheads.arrival + overheads.token * f64::from(question.inference.input);
        let there = (simulated.latency.mean - arrival).get();
        let littles = simulated.rate * there / simulated.in_system;
        assert!((littles - 1.0).abs() < 1e-3, "{rest}: {littles}");
    }
}

/// A trace of a Poisson process with constant lengths is what is drawn without one; the same requests in bursts wait longer.
#[test]
fn arrivals_are_those_of_the_trace() {
    let question = asked("");
    let drawn = question
        .with_inference(|job| job.simulation(Lengths::Constant, 20_000).expect("a simulation").run())
        .expect("a job");
    let even = replayed(&question, &trace(poisson(20_000), |_| Vec::new()), 20_000);
    let near = |a: Simulated, b: Simulated, most: f64| {
        let pairs = [(a.ttft.mean, b.ttft.mean), (a.ttft.p95, b.ttft.p95), (a.tpot.mean, b.tpot.mean)];
        pairs.into_iter().all(|(a, b)| (a / b - 1.0).abs() < most)
    };
    assert!(near(even, drawn, 0.05), "{even:?} {drawn:?}");
    let bursts = trace(poisson(500).flat_map(|time| [40.0 * time; 40]), |_| Vec::new());
    let bursty = replayed(&question, &bursts, 20_000);
    assert!(bursty.ttft.p95 > even.ttft.p95 * 2.0, "{bursty:?} {even:?}");
    // Times are relative to the load's rate.
    let slower = trace(poisson(20_000).map(|time| 8.0 * time), |_| Vec::new());
    assert!(near(replayed(&question, &slower, 20_000), even, 1e-9));
}

/// Of four replicas, each gets a quarter of the requests; as many replicas are simulated as the requests to measure take.
#[test]
fn requests_are_dealt_to_replicas() {
    let replay = trace(poisson(8000), |_| Vec::new());
    let four = asked("&serve.workers=4&serve.rate=16");
    let (one, all) = (replayed(&four, &replay, 2000), replayed(&four, &replay, 8000));
    assert!((1850..2150).contains(&one.requests), "{}", one.requests);
    assert_eq!(all.requests, 8000);
    let alone = replayed(&asked(""), &replay, 8000);
    assert!((all.ttft.mean / alone.ttft.mean - 1.0).abs() < 0.1, "{all:?} {alone:?}");
}

/// All turns of a session go to one replica, whose cache has its earlier prompt; think times are not scaled with the load, so
/// that sessions of a faster load end as late.
#[test]
fn sessions_stay_on_their_replica() {
    let lines: String = (0..600)
        .map(|session| {
            let turn = "\"input_length\": 640, \"output_length\": 64";
            let first = format!("{{{turn}, \"session_id\": {session}, \"timestamp\": {}}}\n", 500 * session);
            first + &format!("{{{turn}, \"session_id\": {session}, \"delay\": 60000}}\n")
        })
        .collect();
    let trace = traffic::read(&lines).expect("a trace");
    assert_eq!((trace.sessions(), trace.requests.len()), (600, 1200));
    let replay = trace.replay();
    for rest in ["&serve.workers=4&serve.rate=4", "&serve.prefill.workers=2&serve.workers=1&serve.rate=4"] {
        let simulated = replayed(&asked(rest), &replay, 1200);
        // Of two prompts of 640 and 1,344 tokens, 640.
        let cached: f64 = simulated.cached.iter().sum();
        assert!((cached / (640.0 / 1984.0) - 1.0).abs() < 0.01, "{rest}: {simulated:?}");
        assert_eq!(simulated.requests, 1200, "{rest}");
    }
    // At any rate the last session takes its minute.
    let end = |rate: &str| {
        let question = asked(&format!("&serve.rate={rate}"));
        question
            .with_inference(|job| {
                let mut simulation = job.trace_simulation(&replay, 1200).expect("a simulation");
                simulation.run();
                simulation.now()
            })
            .expect("a job")
    };
    assert!(end("8") > 60.0 && end("4") > end("8"), "{} {}", end("8"), end("4"));
}

/// Prompts of a session share their prefixes: what the cache holds of them is not prefilled again, as long as it holds the
/// session until its next turn.
#[test]
fn shared_prefixes_are_read_once() {
    let question = asked("");
    let none = replayed(&question, &trace(poisson(2000), |_| Vec::new()), 2000);
    let own = |index: usize| vec![2 * index as u64, 2 * index as u64 + 1];
    let unshared = replayed(&question, &trace(poisson(2000), own), 2000);
    assert_eq!(none, unshared);
    let shared = replayed(&question, &trace(poisson(2000), |index| vec![(index % 20) as u64]), 2000);
    assert!(shared.ttft.mean < none.ttft.mean * 0.95, "{shared:?} {none:?}");
    // 20,000 sessions do not fit beside each other.
    let many = trace(poisson(40_000), |index| vec![(index % 20_000) as u64]);
    let without = trace(poisson(40_000), |_| Vec::new());
    assert_eq!(replayed(&question, &many, 40_000), replayed(&question, &without, 40_000));
}

/// What the GPUs forget, host memory and SSDs keep: they hold more of the prompts, and the tokens of all tiers take their time to
/// load.
#[test]
fn lower_tiers_hold_what_the_gpus_forget() {
    let many = trace(poisson(6000), |index| vec![(index % 2000) as u64]);
    let with = |rest: &str| replayed(&asked(rest), &many, 6000);
    let (none, host, ssd) =
        (with(""), with("&serve.cache.host=400"), with("&serve.cache.ssd=400&serve.cache.ssd_gb_s=0.5"));
    assert!(none.cached[0] < 0.3 && none.cached[1..] == [0.0, 0.0], "{none:?}");
    assert!((none.cached[0] - host.cached[0]).abs() < 1e-12);
    assert!(host.cached[1] > 0.1 && host.cached[2] <= 0.0, "{host:?}");
    assert!((host.cached[1] - ssd.cached[2]).abs() < 1e-12, "{ssd:?}");
    assert!(host.ttft.mean < none.ttft.mean, "{host:?} {none:?}");
    // 512 tokens of 128 KiB at 0.5 GB/s take 134 ms.
    assert!(ssd.ttft.mean.get() > host.ttft.mean.get() + 0.05, "{ssd:?} {host:?}");
    for tier in ["&serve.cache.host=4", "&serve.cache.host=40"] {
        let smaller = with(tier);
        assert!(smaller.cached.iter().sum::<f64>() <= host.cached.iter().sum::<f64>() + 1e-12, "{tier}");
    }
}

/// Shares that are given take the same time in the mean-field model and in the simulation.
#[test]
fn given_shares_are_loaded() {
    let served = |rest: &str| asked(rest).inference().expect("an estimate");
    let plain = served("&serve.cached=0.5");
    let loaded = served("&serve.cached=0.1&serve.cached.host=0.4");
    let term = loaded.terms_prefill.iter().find(|term| term.id == "reload").expect("a term").time;
    // 400 tokens of 128 KiB over PCIe 5.
    let each = 400.0 * 131_072.0 / 63e9;
    assert!(term.get() > each && term.get() < each * 1.05, "{term:?} {each}");
    assert!((loaded.ttft - plain.ttft).get() > each * 0.99, "{loaded:?}");
    assert!((loaded.tpot / plain.tpot - 1.0).abs() < 1e-9);
    let simulated = |rest: &str| {
        let question = asked(rest);
        question
            .with_inference(|job| job.simulation(Lengths::Constant, 4000).expect("a simulation").run())
            .expect("a job")
    };
    let (plain, loaded) =
        (simulated("&serve.cached=0.5"), simulated("&serve.cached=0.1&serve.cached.host=0.4"));
    let longer = (loaded.ttft.mean - plain.ttft.mean).get();
    assert!(longer > each * 0.5 && longer < each * 2.0, "{longer} {each}");
    // A batch, whose prompts are loaded one after another, and disaggregated serving have the term too.
    for rest in
        ["&serve.rate=0&serve.batch=4", "&serve.prefill.workers=1", "&serve.rate=0&serve.concurrency=8"]
    {
        let estimate = served(&format!("{rest}&serve.cached.host=0.4"));
        assert!(estimate.terms_prefill.iter().any(|term| term.id == "reload"), "{rest}");
    }
}

/// The link to the host limits the rate; shares beyond a prompt, and devices without a link, are refused by their field.
#[test]
fn loads_have_limits() {
    let largest = |rest: &str| asked(rest).with_inference(|job| job.largest_rate()).expect("a job");
    let slow = "&serve.cached.ssd=0.9&serve.cache.ssd_gb_s=0.1";
    let rate = 0.1e9 / (900.0 * 131_072.0);
    assert!((largest(slow) / rate - 1.0).abs() < 1e-9, "{}", largest(slow));
    assert!(largest("&serve.cached.ssd=0.9") > 10.0 * rate);
    for (rest, field) in [
        ("&serve.cached=0.7&serve.cached.host=0.4", "inference.cached_host"),
        ("&serve.cached=0.7&serve.cached.ssd=0.4", "inference.cached_ssd"),
    ] {
        assert_eq!(asked(rest).inference().expect_err(rest)[0].field, field);
    }
}

/// A constant number of concurrent requests takes the lengths of the trace, one after another.
#[test]
fn a_closed_loop_has_the_lengths_of_the_trace() {
    let closed = asked("&serve.rate=0&serve.concurrency=16");
    let same = replayed(&closed, &trace(poisson(500), |_| Vec::new()), 2000);
    let drawn = closed
        .with_inference(|job| job.simulation(Lengths::Constant, 2000).expect("a simulation").run())
        .expect("a job");
    assert_eq!(same, drawn);
}

fn mooncake(requests: usize) -> String {
    let mut text = String::new();
    for (index, time) in poisson(requests).enumerate() {
        writeln!(
            text,
            "{{\"timestamp\": {}, \"input_length\": 1000, \"output_length\": 100, \"hash_ids\": [{}]}}",
            (time * 250.0) as u64,
            index % 30
        )
        .expect("text");
    }
    text
}

fn shown(service: &mut Service, link: &str) -> Answer {
    service.ask(request(1, link));
    answered(&all(service, "")).clone()
}

fn finding(answer: &Answer, id: &str) -> String {
    match answer.part(id) {
        Some(Part::Table(table)) => table.finding.clone(),
        _ => panic!("no {id}"),
    }
}

/// The question names the trace; the answer says whether it was at hand.
#[test]
fn percentiles_say_whether_the_trace_was_at_hand() {
    let text = mooncake(1200);
    let current = Scenario { view: foretoken::scenario::View::Inference, ..asked("") };
    let Ok(Opened::Points(points)) = open(&current, &text) else { panic!("a trace") };
    let opened = &points[0].scenario;
    assert_eq!(opened.sizing.lengths, Lengths::Trace);
    assert_eq!(opened.sizing.trace, traffic::read(&text).expect("a trace").checksum());
    let inference = Scenario { view: current.view, ..opened.clone() };
    let link = link::encode(&inference);
    assert_eq!(link::decode(&link).scenario, inference);
    let mut service = Service::default();
    assert!(finding(&shown(&mut service, &link), "percentiles").contains("is not open"));
    service.ask(Request { id: 2, ask: Ask::Trace { text } });
    let with = finding(&shown(&mut service, &link), "percentiles");
    assert!(with.contains("requests of the opened trace") && with.contains("prefixes are its own"), "{with}");
    // Another trace is not the one that the question names, and no trace leaves the last one.
    service.ask(Request { id: 3, ask: Ask::Trace { text: "nothing".to_owned() } });
    assert_eq!(finding(&shown(&mut service, &link), "percentiles"), with);
    service.ask(Request { id: 4, ask: Ask::Trace { text: mooncake(1000) } });
    assert!(finding(&shown(&mut service, &link), "percentiles").contains("is not open"));
}

/// Fleets are judged by the trace; without it, by Poisson arrivals.
#[test]
fn fleets_are_simulated_with_the_trace() {
    let text = mooncake(1200);
    let current =
        Scenario { view: foretoken::scenario::View::Inference, ..asked("&serve.ttft=2000&serve.tpot=30") };
    let Ok(Opened::Points(points)) = open(&current, &text) else { panic!("a trace") };
    let link = link::encode(&points[0].scenario);
    let mut service = Service::default();
    assert!(finding(&shown(&mut service, &link), "fleets").contains("is not open"));
    service.ask(Request { id: 2, ask: Ask::Trace { text } });
    let with = finding(&shown(&mut service, &link), "fleets");
    assert!(with.contains("arrivals, lengths and shared prefixes of the opened trace"), "{with}");
}
