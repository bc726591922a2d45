//! Fleets for users who wait for an answer before they think: each has a request rate of its own.

use foretoken::inference::InferenceLoad;
use foretoken::scenario::{Scenario, link};
use foretoken::serving::Service;
use foretoken::serving::simulation::{Lengths, Level};
use foretoken::sizing::{Fleet, LoadKind, Search};

use crate::service::{answered, replies};

/// Users of the busiest minutes.
const USERS: f64 = 2000.0;

fn linked(rest: &str) -> String {
    format!("v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.engine=vllm{rest}")
}

fn limited(rest: &str) -> String {
    linked(&format!("&serve.ttft=1000&serve.tpot=30{rest}"))
}

/// Users of whom there are [`USERS`] in the busiest minutes.
fn thousand(rest: &str) -> String {
    limited(&format!("&size.users=1000&size.peak=2{rest}"))
}

fn asked(link: &str) -> Scenario {
    let decoded = link::decode(link);
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn searched(link: &str) -> Search {
    let mut search = asked(link).sizing().expect("a question");
    search.run();
    assert!(!search.fleets().is_empty(), "{link}");
    search
}

/// Request latency, s.
fn latency(fleet: &Fleet, service: &Service) -> f64 {
    let [_, _, latency] = service.times(&fleet.load);
    latency.get()
}

/// Users whom a fleet serves over those there are, by Little's law: request rate · (think time + latency) / users.
fn share(fleet: &Fleet, think: f64) -> f64 {
    fleet.load.rate * (think + latency(fleet, &fleet.service)) / USERS
}

/// Checks that a fleet serves the users. Returns true if it would serve more, since its latency jumps at its rate.
fn jumps(search: &Search, fleet: &Fleet, think: f64) -> bool {
    let there = share(fleet, think);
    assert!(there > 1.0 - 2e-4 && there < 1.2, "{there} {fleet:?}");
    let jumps = there > 1.0 + 2e-4;
    if jumps {
        let (rate, interval) = (fleet.load.rate * 0.999, fleet.load.turn_interval_s / 0.999);
        let load = InferenceLoad { rate, turn_interval_s: interval, ..fleet.load };
        let service = fleet.with_job(search.candidates(), &load, |job| job.service()).expect("a job");
        let before = share(&Fleet { load, service, ..*fleet }, think);
        assert!(before < 1.0, "{before} {there} {fleet:?}");
    }
    jumps
}

/// Each fleet answers the users at the rate at which they ask, within the levels, with no replica too many.
#[test]
fn fleets_answer_the_users_at_their_own_rate() {
    for think in [10.0, 30.0, 120.0] {
        let search = searched(&thousand(&format!("&size.think={think}")));
        assert!(search.fleets().len() > 50);
        let jumping = search.fleets().iter().filter(|fleet| jumps(&search, fleet, think)).count();
        assert!(10 * jumping < search.fleets().len(), "{jumping} of {}", search.fleets().len());
        for fleet in search.fleets() {
            assert!(fleet.load.keeps(&fleet.service) && fleet.load.prefill_workers == 0, "{fleet:?}");
            assert!((fleet.requests_per_second() / fleet.load.rate - 1.0).abs() < 1e-6, "{fleet:?}");
            assert!(fleet.utilisation() <= 1.0 + 1e-4, "{fleet:?}");
            // Users of one replica at its largest load, found along the number of running requests, and at its rate.
            let alone = InferenceLoad { rate: fleet.largest.load, workers: 1, ..fleet.load };
            let service = fleet.with_job(search.candidates(), &alone, |job| job.service()).expect("a job");
            let each = [fleet.largest.service, service]
                .map(|service| alone.rate * (think + latency(fleet, &service)));
            let replicas = f64::from(fleet.load.workers);
            assert!(replicas * each[1] >= USERS * (1.0 - 3e-4), "{each:?} {fleet:?}");
            assert!((replicas - 1.0) * each[0].min(each[1]) < USERS, "{each:?} {fleet:?}");
            // The interval between two requests of a user.
            assert!((fleet.load.turn_interval_s * fleet.load.rate / USERS - 1.0).abs() < 1e-9, "{fleet:?}");
        }
    }
}

/// Without a queue, N users send N / (Z + R) requests per second, where R is the latency of a lone request.
#[test]
fn light_load_is_the_users_over_think_and_answer_time() {
    let search = searched(&linked("&size.users=1&size.peak=1&size.think=100000&size.one=true&gpu=h100-sxm"));
    for fleet in search.fleets() {
        let load = InferenceLoad { rate: 1e-6, ..fleet.load };
        let alone = fleet.with_job(search.candidates(), &load, |job| job.service()).expect("a job");
        let expected = 1.0 / (100_000.0 + latency(fleet, &alone));
        assert!((fleet.load.rate / expected - 1.0).abs() < 1e-6, "{fleet:?} {expected}");
        assert_eq!(fleet.load.workers, 1, "{fleet:?}");
    }
}

/// Users who hardly think and have no limits load each replica to its capacity. Their number is then that of the concurrent
/// requests.
#[test]
fn users_who_hardly_think_saturate_the_replicas() {
    let search = searched(&linked("&size.users=20000&size.peak=1&size.think=0.1&size.one=true&gpu=h100-sxm"));
    for fleet in search.fleets().iter().filter(|fleet| fleet.load.workers > 20) {
        assert!(fleet.utilisation() > 0.9, "{} {fleet:?}", fleet.utilisation());
        let users = fleet.in_flight() / 20_000.0;
        assert!(users > 0.99 && users < 1.2, "{users} {fleet:?}");
    }
}

/// With a think time far longer than a request latency, users send 60 / think time requests per minute.
#[test]
fn long_think_times_are_requests_per_minute() {
    let thinking = searched(&limited("&size.users=100000&size.think=60000&size.one=true&gpu=h100-sxm"));
    let rate = searched(&limited("&size.users=100000&size.per_minute=0.001&size.one=true&gpu=h100-sxm"));
    assert_eq!(thinking.fleets().len(), rate.fleets().len());
    for (thinking, rate) in thinking.fleets().iter().zip(rate.fleets()) {
        assert_eq!(thinking.gpus(), rate.gpus());
        assert!((thinking.load.rate / rate.load.rate - 1.0).abs() < 1e-3, "{thinking:?} {rate:?}");
    }
}

/// Turns of a session come as often as the user asks, so that the cached shares belong to the rate.
#[test]
fn sessions_go_on_after_the_think_time() {
    let search = searched(&thousand("&size.think=30&serve.turns=5&size.one=true&gpu=h200-sxm"));
    for fleet in search.fleets() {
        let thought = fleet.load.turn_interval_s - latency(fleet, &fleet.service);
        let jumps = jumps(&search, fleet, 30.0);
        assert!(thought > 20.0 && (jumps || (thought / 30.0 - 1.0).abs() < 1e-3), "{thought} {fleet:?}");
    }
}

/// Disaggregated fleets answer the users at their own rate too, within the levels, and take no more GPUs than the fleets without
/// prefill workers that they are tried beside.
#[test]
fn disaggregated_fleets_answer_at_their_own_rate() {
    let asked = |rest: &str| thousand(&format!("&size.think=30{rest}"));
    let (plain, search) = (searched(&asked("")), searched(&asked("&size.disaggregated=true")));
    let found: Vec<&Fleet> = search.fleets().iter().filter(|fleet| fleet.load.prefill_workers > 0).collect();
    assert!(found.len() > 100, "{}", found.len());
    let mut over = 0;
    for fleet in &found {
        over += usize::from(jumps(&search, fleet, 30.0));
        assert!(fleet.load.keeps(&fleet.service) && fleet.utilisation() <= 1.0 + 1e-4, "{fleet:?}");
        assert!((fleet.requests_per_second() / fleet.load.rate - 1.0).abs() < 1e-6, "{fleet:?}");
        assert!((fleet.load.turn_interval_s * fleet.load.rate / USERS - 1.0).abs() < 1e-9, "{fleet:?}");
        let kept = fleet.with_job(search.candidates(), &fleet.load, |job| job.keeps_up(fleet.load.rate));
        assert!(kept.is_some_and(|kept| kept.is_ok()), "{fleet:?}");
    }
    assert!(10 * over < found.len(), "{over} of {}", found.len());
    let fewest = |search: &Search| search.fleets().iter().map(Fleet::gpus).min();
    assert!(fewest(&search) <= fewest(&plain));
}

/// With a think time far longer than a request latency, disaggregated fleets are those of a request rate.
#[test]
fn disaggregated_fleets_of_long_think_times_are_those_of_a_rate() {
    let asked = |rest: &str| {
        limited(&format!("&size.users=1000000&size.disaggregated=true&size.one=true&gpu=h100-sxm{rest}"))
    };
    let thinking = searched(&asked("&size.think=60000"));
    let rate = searched(&asked("&size.per_minute=0.001"));
    assert_eq!(thinking.fleets().len(), rate.fleets().len());
    for (thinking, rate) in thinking.fleets().iter().zip(rate.fleets()) {
        assert_eq!(thinking.load.deployment(), rate.load.deployment());
        assert!((thinking.load.rate / rate.load.rate - 1.0).abs() < 1e-3, "{thinking:?} {rate:?}");
    }
}

/// Replicas that the simulation adds shorten the answers, so that users ask more often.
#[test]
fn added_replicas_raise_the_rate() {
    let mut search = searched(&thousand("&size.think=30&size.percentile=p99&size.one=true&gpu=h100-sxm"));
    let before = search.fleets().to_vec();
    search.simulate(0..before.len(), Level::P99, Lengths::Constant, None);
    while search.simulations().is_some_and(|(done, all)| done < all) {
        search.advance_simulations(100_000);
    }
    let mut grown = 0;
    for (before, after) in before.iter().zip(search.fleets()) {
        assert!(after.simulated.is_some());
        jumps(&search, after, 30.0);
        if after.load.workers > before.load.workers {
            grown += 1;
            assert!(after.load.rate > before.load.rate, "{before:?} {after:?}");
        }
    }
    assert!(grown > 0);
}

/// A row opens as the question with its own rate, which gives its service. The sentence has the best fleet's rate.
#[test]
fn rows_open_with_their_rate() {
    let link = thousand("&size.think=30&size.one=true&gpu=h100-sxm");
    let said = replies(&link);
    let answer = answered(&said);
    let opened: Vec<f64> = answer
        .parts
        .iter()
        .filter_map(|part| part.table().filter(|_| part.id() == "fleets"))
        .flat_map(|table| &table.rows)
        .filter_map(|row| Some(asked(row.cells.first()?.link.as_deref()?)))
        .map(|there| {
            let service = there.with_inference(|job| job.service()).expect("an answer");
            let fleet = Fleet { load: there.inference, service, ..Fleet::default() };
            let share = share(&fleet, 30.0);
            assert!(share > 1.0 - 2e-4 && share < 1.2, "{share} {fleet:?}");
            there.inference.rate
        })
        .collect();
    assert!(opened.len() > 2, "{opened:?}");
    let best = format!("1,000 users with a think time of 30.0 s ({:.1} requests/s at the peak)", opened[0]);
    assert!(answer.lead.contains(&best), "{best}: {}", answer.lead);
}

/// A think time takes the place of requests per minute; links and documents keep both.
#[test]
fn a_think_time_replaces_requests_per_minute() {
    let there = asked(&thousand("&size.think=30&size.per_minute=7"));
    assert_eq!((there.sizing.think_s, there.sizing.per_minute), (Some(30.0), 7.0));
    assert_eq!(asked(&link::encode(&there)), there);
    let written = serde_json::to_string(&there).expect("a document");
    assert_eq!(serde_json::from_str::<Scenario>(&written).expect("the scenario"), there);
    let other = asked(&thousand("&size.think=30"));
    assert_eq!(there.sizing.demand(&there.inference), other.sizing.demand(&other.inference));
    for refused in ["0", "-1", "1000000"] {
        let decoded = link::decode(&thousand(&format!("&size.think={refused}"))).scenario;
        assert!(decoded.sizing().is_err(), "{refused}");
    }
}

/// Stated as a rate or as concurrent requests, the load is that of users who wait as long as the levels allow: 1 s + 499 · 30 ms.
#[test]
fn a_think_time_keeps_the_load_when_it_is_stated_otherwise() {
    let users = asked(&thousand("&size.think=30"));
    let before = users.sizing.demand(&users.inference);
    let stated = |load: LoadKind| {
        let mut there = users.clone();
        there.sizing.load = load;
        there.sizing.keep_demand(before, &mut there.inference);
        there.sizing.demand(&there.inference)
    };
    let takes = 1.0 + 499.0 * 0.03;
    let rate = USERS / (30.0 + takes);
    let (by_rate, by_concurrency) = (stated(LoadKind::Rate), stated(LoadKind::Concurrency));
    assert!((by_rate.amount / rate - 1.0).abs() < 0.01 && by_rate.thinking.is_none(), "{by_rate:?}");
    assert!((by_concurrency.amount - rate * takes).abs() <= 1.0, "{by_concurrency:?}");
}
