//! How fast serving is simulated: tokens per second of one core, tables included and apart.

#![allow(clippy::expect_used)] // A benchmark that lacks its model cannot go on.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foretoken::scenario::link;
use foretoken::serving::simulation::Lengths;
use std::hint::black_box;

/// A replica of four H100 at two thirds of what it serves.
const ASKED: &str = "v=1&view=inference&model=llama-3.1-70b&gpu=h100-sxm&serve.in=3000&serve.out=500&serve.tp=4\
                     &serve.precision=fp8&serve.engine=vllm&serve.rate=2";

fn simulation(c: &mut Criterion) {
    let scenario = link::decode(ASKED).scenario;
    let mut group = c.benchmark_group("Llama 3.1 70B on 4 H100, 2 requests/s");
    for (name, requests, lengths) in [
        ("4,000 requests, all alike", 4_000, Lengths::Constant),
        ("100,000 requests, all alike", 100_000, Lengths::Constant),
        ("4,000 requests, as Azure's conversations", 4_000, Lengths::Conversation),
    ] {
        // A fifth more is the warm-up; prompts are tokens too.
        group.throughput(Throughput::Elements(u64::from(requests) * 3500 * 6 / 5));
        group.sample_size(10);
        group.bench_function(name, |b| {
            b.iter(|| {
                black_box(&scenario)
                    .with_inference(|job| job.simulation(lengths, requests).expect("a stream").run())
                    .expect("a job")
            });
        });
    }
    group.finish();
}

fn sizing(c: &mut Criterion) {
    let asked = "v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30\
                 &serve.engine=vllm";
    let scenario = link::decode(asked).scenario;
    let mut group = c.benchmark_group("sizing");
    group.sample_size(10);
    group.bench_function("500 users on every device", |b| {
        b.iter(|| {
            let mut search = black_box(&scenario).sizing().expect("a question");
            search.run();
            search.fleets().len()
        });
    });
    group.finish();
}

criterion_group!(benches, simulation, sizing);
criterion_main!(benches);
