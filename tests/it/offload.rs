//! Offloading to the host: freed memory, the time of transfers, and refusals.

#![allow(clippy::disallowed_methods)]

use foretoken::plan::{Offload, Plan, Schedule};
use foretoken::scenario::link::decode;
use foretoken::scenario::{Choice, Scenario};
use foretoken::system::AssumptionSet;
use foretoken::training::{Framework, TrainingJob};
use foretoken::units::{Bytes, Seconds};
use foretoken::workload::Recompute;
use proptest::prelude::*;

const NOTHING: Offload = Offload { activations: false, weights: false, optimizer: false };

fn scenario(link: &str) -> Scenario {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.scenario
}

fn with<T>(scenario: &Scenario, offload: Offload, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
    let plan = Plan { offload, ..scenario.parallelism };
    let scenario = Scenario { parallelism: plan, ..scenario.clone() };
    scenario.with_training(answer).expect("a plan that holds every law")
}

fn term(job: &TrainingJob<'_>) -> Seconds {
    let waits = job.estimate().terms;
    waits.iter().find(|term| term.id == "offload").map_or(Seconds::ZERO, |term| term.time)
}

/// The optimizer's state of one H100, over PCIe 5 at the 55.1 GB/s that an H200 measured each way, less what the
/// optimizer takes in DRAM.
#[test]
fn the_optimizer_waits_for_the_link() {
    let base = scenario("model=llama-3.1-8b&gpus=8&tp=8&pp=1&batch=64&seq=8192&zero=0");
    let all = Offload { optimizer: true, ..NOTHING };
    let (wait, parameters) = with(&base, all, |job| {
        let states = job.memory();
        (term(job), states.weights / Bytes::new(2.0))
    });
    let link = parameters * 12.0 / 55.1e9;
    let dram = with(&base, NOTHING, |job| {
        let terms = job.estimate().terms;
        terms.iter().find(|term| term.id == "optimizer").expect("an optimizer").time
    });
    assert!((wait.get() / (link - dram.get()) - 1.0).abs() < 1e-9, "{wait:?} is not {link} less {dram:?}");
    // Without losses the link is as fast as it is specified to be, 63 GB/s.
    let ideal = Scenario { assumptions: AssumptionSet::Ideal, ..base.clone() };
    let wait = with(&ideal, all, term);
    let dram = with(&ideal, NOTHING, |job| {
        let terms = job.estimate().terms;
        terms.iter().find(|term| term.id == "optimizer").expect("an optimizer").time
    });
    assert!((wait.get() / (parameters * 12.0 / 63e9 - dram.get()) - 1.0).abs() < 1e-9);
}

/// Large microbatches hide what small ones wait for: arithmetic grows with tokens, weights do not.
#[test]
fn computation_hides_weights() {
    let at = |microbatch: u32| {
        let link = format!("model=llama-3.1-8b&gpus=8&tp=1&pp=1&zero=0&batch=512&seq=4096&mb={microbatch}");
        let weights = Offload { weights: true, ..NOTHING };
        with(&scenario(&link), weights, |job| term(job) / job.step())
    };
    // 16 GB of weights come over 55 GB/s in 0.29 s; 4,096 tokens take about 0.15 s forward.
    assert!(at(1) > 0.1, "{}", at(1));
    assert!(at(16) <= 0.0, "{}", at(16));
}

#[test]
fn a_device_without_a_known_link_is_refused() {
    let link = "model=llama-3.1-8b&gpu=tpu-v5p&gpus=8&tp=8&pp=1&batch=64&offload.weights=true&offload.optimizer=true";
    let problems = scenario(link).with_training(|_| ()).expect_err("no link");
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["parallelism.offload.weights", "parallelism.offload.optimizer"]);
    assert!(problems[0].message.contains("TPU v5p"), "{}", problems[0].message);
    assert!(scenario(&link.replace("true", "false")).with_training(|_| ()).is_ok());
}

fn jobs() -> impl Strategy<Value = (Scenario, Offload)> {
    let model = proptest::sample::select(&["gpt-3-175b", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3"][..]);
    let device = proptest::sample::select(&["a100-sxm-80gb", "h100-sxm", "gh200", "mi300x"][..]);
    let schedule = proptest::sample::select(&Schedule::ALL[..]);
    let recompute = proptest::sample::select(&[Recompute::None, Recompute::Selective, Recompute::Full][..]);
    let zero = 0u8..4;
    (model, device, schedule, recompute, zero, 1u32..9, any::<[bool; 3]>()).prop_map(
        |(model, device, schedule, recompute, zero, pipeline, [activations, weights, optimizer])| {
            let pipeline = if schedule == Schedule::Dualpipe { 2 * pipeline.div_ceil(2) } else { pipeline };
            let splits = schedule.splits() && recompute == Recompute::Full;
            let recompute = if splits { Recompute::None } else { recompute };
            let link = format!("gpus={}&batch={}&seq=2048&tp=2&pp={pipeline}", 8 * pipeline, 16 * pipeline);
            let mut scenario = scenario(&link);
            scenario.model = Choice::Named(model.to_owned());
            scenario.system.accelerator = Choice::Named(device.to_owned());
            scenario.system.dram_gib = Some(1e5);
            // Memory on the host is counted without a framework's activation overhead.
            scenario.recipe.framework = Framework::None;
            let plan = Plan { schedule, recompute, zero, ..scenario.parallelism };
            (Scenario { parallelism: plan, ..scenario }, Offload { activations, weights, optimizer })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn memory_is_freed_and_time_is_paid((scenario, offload) in jobs()) {
        if scenario.with_training(|_| ()).is_err() {
            return Ok(());
        }
        let (before, step) = with(&scenario, NOTHING, |job| (job.memory(), job.step()));
        let (after, slower, hosted, wait) =
            with(&scenario, offload, |job| (job.memory(), job.step(), job.hosted(), term(job)));
        let slack = Bytes::new(1e-9 * before.total().get());
        prop_assert!(after.total() <= before.total() + slack);
        // Memory that leaves the device is on the host; the host has more, because two layers are on both.
        prop_assert!(before.total() <= after.total() + hosted + slack);
        prop_assert!(slower >= step * (1.0 - 1e-12));
        prop_assert!(slower >= step + wait - Seconds::new(1e-9 * step.get()));
        if offload == NOTHING {
            prop_assert_eq!((before, step, Bytes::ZERO), (after, slower, hosted));
        }
        // A link twice as fast never makes it wait longer.
        let twice = |job: &TrainingJob<'_>| {
            let mut system = job.system.clone();
            system.device.host = system.device.host.map(|link| link * 2.0);
            TrainingJob { system: &system, ..*job }.step()
        };
        prop_assert!(with(&scenario, offload, twice) <= slower * (1.0 + 1e-12));
    }

    #[test]
    fn memory_over_time_still_peaks_at_the_footprint((scenario, offload) in jobs()) {
        let exact = scenario.parallelism.schedule != Schedule::Dualpipe;
        if scenario.with_training(|_| ()).is_err() {
            return Ok(());
        }
        let (closed, peak, even) = with(&scenario, offload, |job| {
            let timeline = job.timeline().expect("few enough stages");
            let (.., footprint) = job.occupancy(&timeline).peak().expect("a stage");
            (job.memory().total(), footprint.total(), job.plan.even(job.architecture.layers))
        });
        let low = if exact && even { 1.0 - 1e-9 } else { 0.7 };
        // Stages that are a layer short run ahead of the others of DualPipe, which keep more microbatches.
        let high = if exact || even { 1.0 + 1e-9 } else { 1.05 };
        prop_assert!((low..high).contains(&(peak / closed)), "{} of {:?}", peak / closed, closed);
    }
}
