//! How long answers take, against the budgets that the README states.

// A method path is not general enough over the job's lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

use criterion::{Criterion, criterion_group, criterion_main};
use foretoken::calibration::{Row, fit, rows_of};
use foretoken::scenario::Scenario;
use foretoken::scenario::link;
use foretoken::search::serving::Search;
use std::hint::black_box;

fn scenario(link: &str) -> Scenario {
    link::decode(link).scenario
}

fn training(c: &mut Criterion) {
    let megatron = scenario(
        "v=1&model=megatron-175b&gpu=a100-sxm-80gb&gpus=64&tp=8&pp=8&interleave=3&batch=64&seq=2048",
    );
    c.bench_function("training estimate with every term", |b| b.iter(|| black_box(&megatron).training()));
    c.bench_function("training step alone", |b| {
        b.iter(|| black_box(&megatron).with_training(|job| job.step()));
    });
    c.bench_function("generations", |b| b.iter(|| black_box(&megatron).generations()));
}

fn inference(c: &mut Criterion) {
    let llama = scenario("v=1&view=inference&model=llama-2-70b&gpu=a100-sxm-80gb");
    c.bench_function("inference estimate with every term", |b| b.iter(|| black_box(&llama).inference()));
    c.bench_function("DRAM sweep of 200 points and 3 phases", |b| {
        b.iter(|| black_box(&llama).with_inference(|job| job.dram_sweep(0.3, 30.0, 200)));
    });
    let open = scenario("v=1&view=inference&serve.engine=vllm&serve.rate=4&serve.ttft=500&serve.tpot=30");
    let levels = scenario("v=1&view=inference&serve.engine=vllm&serve.ttft=1000&serve.tpot=25");
    c.bench_function("search over deployments", |b| {
        b.iter(|| {
            let mut search = black_box(&levels).deployments().map(Search::new);
            if let Ok(search) = &mut search {
                search.run();
            }
            search
        });
    });
    c.bench_function("service at a rate", |b| {
        b.iter(|| black_box(&open).with_inference(|job| job.service()));
    });
    c.bench_function("service against load, and the largest load", |b| {
        b.iter(|| black_box(&open).load_curve());
    });
}

fn calibration(c: &mut Criterion) {
    let row = |load: u32| {
        let link = format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.engine=vllm&serve.concurrency={load}&serve.in=1000\
             &serve.out=200&measured.tpot={}&measured.ttft=80",
            7.0 + f64::from(load) * 0.15,
        );
        rows_of(&scenario(&link), "row")
    };
    let rows: Vec<Row> = (1..=5).flat_map(row).collect();
    c.bench_function("calibration on 10 values, with leave-one-out errors", |b| {
        b.iter(|| fit(black_box(&rows)));
    });
}

fn links(c: &mut Criterion) {
    let link = "v=1&view=training&model=llama-3.1-405b&gpu=b200&gpus=4096&tp=8&pp=8&batch=2048&seq=8192";
    c.bench_function("link decoded and encoded", |b| {
        b.iter(|| link::encode(&link::decode(black_box(link)).scenario));
    });
}

criterion_group!(benches, training, inference, calibration, links);
criterion_main!(benches);
