//! How long searches take, against the budgets that the README states.

#![allow(clippy::expect_used)] // A benchmark that lacks its model cannot go on.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foretoken::catalog;
use foretoken::plan::Plan;
use foretoken::published::subramanian::{Machine, Method, Space, Study, Transformer};
use foretoken::search::{PlanProblem, Scope, Search};
use foretoken::system::{AssumptionSet, System};
use foretoken::training::{Framework, Memo, TrainingRecipe};
use std::hint::black_box;
use std::time::Duration;

/// GPT-3 175B with a batch of 4,096 sequences on A100: what Calculon's own benchmark searches, with 1F1B alone as there.
fn gpt3(fixed: &str) -> PlanProblem {
    let device = catalog::accelerator("a100-sxm-80gb").expect("a device");
    let recipe = TrainingRecipe { batch: 4096, sequence: 2048, ..TrainingRecipe::default() };
    PlanProblem {
        architecture: catalog::architecture("gpt-3-175b").expect("a model").clone(),
        system: System::new(device, AssumptionSet::Calibrated),
        recipe,
        overheads: Framework::None.overheads(),
        plan: Plan::default(),
        scope: Scope { fixed: fixed.to_owned(), ..Scope::default() },
    }
}

fn searches(c: &mut Criterion) {
    let question = gpt3("context_kind tensor_kind recompute_layers schedule offload");
    let space = question.space(4096).size();
    let mut group = c.benchmark_group("GPT-3 175B on 4,096 A100");
    group.sample_size(10).measurement_time(Duration::from_secs(15)).throughput(Throughput::Elements(space));
    group.bench_function("whole space", |b| {
        b.iter(|| {
            let mut search = Search::new(black_box(&question).clone(), 4096, &[]);
            search.run();
            search.asked().feasible
        });
    });
    let every = gpt3("context_kind tensor_kind offload");
    group.throughput(Throughput::Elements(every.space(4096).size()));
    group.bench_function("whole space with all schedules and chosen layers", |b| {
        b.iter(|| {
            let mut search = Search::new(black_box(&every).clone(), 4096, &[]);
            search.run();
            search.asked().feasible
        });
    });
    group.finish();
    let mut search = Search::new(question.clone(), 4096, &[]);
    search.run();
    let outcome = search.asked();
    println!("plans {}, feasible {}, pruned {}", outcome.plans, outcome.feasible, outcome.pruned);
    for (reason, count) in outcome.stopped.iter() {
        println!("{count:>12} {reason:?}");
    }
    println!("{:?}", outcome.best());

    let mut group = c.benchmark_group("plans that fit");
    let plans: Vec<Plan> = outcome.sample.found().iter().map(|found| found.plan).collect();
    group.throughput(Throughput::Elements(plans.len() as u64));
    group.bench_function("one by one", |b| {
        b.iter(|| plans.iter().map(|plan| question.job(plan, 4096).step().get()).sum::<f64>());
    });
    group.bench_function("memory", |b| {
        b.iter(|| plans.iter().map(|plan| question.job(plan, 4096).memory().total().get()).sum::<f64>());
    });
    // Neighbours share a layer, as in a search.
    let near: Vec<Plan> =
        plans.iter().flat_map(|plan| [0, 1, 2, 3].map(|zero| Plan { zero, ..*plan })).collect();
    group.throughput(Throughput::Elements(near.len() as u64));
    group.bench_function("four with each layer", |b| {
        b.iter(|| {
            let mut memo = Memo::default();
            near.iter().map(|plan| memo.step(&question.job(plan, 4096)).get()).sum::<f64>()
        });
    });
    group.finish();
}

/// GPT3-1T on 16,384 B200 in domains of 8 under all three strategies of arXiv 2410.00273, and its whole study.
fn subramanian(c: &mut Criterion) {
    let machine = Machine::named("B200").expect("a machine");
    let model = Transformer::named("gpt3_1T").expect("a model");
    let spaces = Method::ALL.map(|method| Space::of(method, 16384, 4096));
    let candidates: u64 = spaces.iter().map(|space| machine.search(&model, space).counts.candidates).sum();
    let mut group = c.benchmark_group("arXiv 2410.00273");
    group.throughput(Throughput::Elements(candidates));
    group.bench_function("three strategies of GPT3-1T on 16,384 B200", |b| {
        b.iter(|| spaces.map(|space| machine.search(black_box(&model), &space)));
    });
    group.sample_size(10).throughput(Throughput::Elements(9_183_444));
    group.bench_function("the whole study", |b| {
        b.iter(|| {
            let mut study = Study::whole();
            study.run();
            study.progress()
        });
    });
    group.finish();
    println!("candidates {candidates}");
}

criterion_group!(benches, searches, subramanian);
criterion_main!(benches);
