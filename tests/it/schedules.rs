//! Pipeline schedules: the order is possible, nothing is done twice, and what the closed forms say is what happens.

#![allow(clippy::disallowed_methods)]

use foretoken::plan::{Passes, Pipeline, Plan, Schedule, Slot, StageTask};
use foretoken::scenario::{Choice, Scenario, SystemChoice};
use foretoken::training::timeline::{Pace, Timeline};
use foretoken::training::{Framework, TrainingEstimate, TrainingRecipe};
use foretoken::units::Seconds;
use foretoken::workload::{ContextKind, Recompute};
use proptest::prelude::*;

/// Pipelines that the laws allow.
fn pipelines() -> impl Strategy<Value = Pipeline> {
    let schedule = proptest::sample::select(&Schedule::ALL[..]);
    (schedule, 1u32..7, 1u32..4, 0u32..14).prop_map(|(schedule, half, interleave, more)| {
        let stages = if schedule == Schedule::Dualpipe { 2 * half } else { half };
        let interleave = if schedule == Schedule::Alternating && stages > 1 { interleave } else { 1 };
        let microbatches = match schedule {
            Schedule::Dualpipe => 2 * stages + 2 * more,
            Schedule::ZeroBubble => stages + more,
            Schedule::Alternating if interleave > 1 => stages * (1 + more % 4),
            _ => 1 + more,
        };
        Pipeline { schedule, stages, interleave, microbatches }
    })
}

fn passes() -> impl Strategy<Value = Passes> {
    let time = || 0.1f64..3.0;
    (time(), time(), time()).prop_map(|(forward, input, weight)| Passes {
        forward: Seconds::new(forward),
        input: Seconds::new(input),
        weight: Seconds::new(weight),
    })
}

fn scaled(passes: Passes, factor: f64) -> Passes {
    let Passes { forward, input, weight } = passes;
    Passes { forward: forward * factor, input: input * factor, weight: weight * factor }
}

/// All positions alike.
fn even(pipeline: &Pipeline, passes: Passes, hidden: Seconds) -> Pace {
    let position = scaled(passes, 1.0 / f64::from(pipeline.interleave));
    let positions = vec![position; pipeline.positions() as usize];
    Pace { positions, again: 0.0, hidden, send: Seconds::ZERO, overlaps_sends: false }
}

/// The step's passes by the closed form.
fn closed(pipeline: &Pipeline, passes: Passes, hidden: Seconds) -> Seconds {
    let whole = passes.total();
    let others = whole * f64::from(pipeline.stages - 1);
    whole * f64::from(pipeline.microbatches) + pipeline.bubble(others, passes) - hidden * pipeline.pairs()
}

/// Passes of a task: slots forward, backward without and with weights, and weights alone.
fn parts(task: StageTask) -> Vec<(&'static str, Slot)> {
    match task {
        StageTask::Forward(slot) => vec![("forward", slot)],
        StageTask::Backward(slot) => vec![("input", slot), ("weight", slot)],
        StageTask::Input(slot) => vec![("input", slot)],
        StageTask::Weight(slot) => vec![("weight", slot)],
        StageTask::Both { forward, backward } => {
            vec![("forward", forward), ("input", backward), ("weight", backward)]
        }
    }
}

fn close(one: Seconds, other: Seconds) -> bool {
    (one - other).get().abs() <= 1e-9 * one.get().abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn each_pass_is_done_once_where_it_belongs(pipeline in pipelines(), passes in passes()) {
        let timeline = Timeline::new(pipeline, even(&pipeline, passes, Seconds::ZERO));
        let mut seen = std::collections::HashMap::new();
        for (stage, spans) in timeline.stages.iter().enumerate() {
            for span in spans {
                for (pass, slot) in parts(span.task) {
                    prop_assert_eq!(pipeline.stage(slot) as usize, stage);
                    prop_assert!(slot.position < pipeline.positions());
                    prop_assert!(slot.microbatch < pipeline.microbatches);
                    prop_assert!(seen.insert((pass, slot), *span).is_none(), "{:?} twice", slot);
                }
            }
            // One thing at a time.
            for pair in spans.windows(2) {
                prop_assert!(pair[0].sent <= pair[1].start && pair[0].start <= pair[0].end);
            }
        }
        let all = 3 * pipeline.positions() * pipeline.microbatches;
        prop_assert_eq!(seen.len(), all as usize, "{:?} stands still", pipeline);
        // Every dependency ended before its task began.
        for ((pass, slot), span) in &seen {
            let needs = match *pass {
                "forward" if slot.position > 0 => {
                    vec![("forward", Slot { position: slot.position - 1, ..*slot })]
                }
                "input" if slot.position + 1 < pipeline.positions() => {
                    vec![("forward", *slot), ("input", Slot { position: slot.position + 1, ..*slot })]
                }
                "input" => vec![("forward", *slot)],
                _ => vec![],
            };
            for need in needs {
                prop_assert!(seen[&need].sent <= span.start, "{need:?} after {pass} of {slot:?}");
            }
            let inputs = seen[&("input", *slot)];
            prop_assert!(*pass != "weight" || inputs.start <= span.start);
        }
    }

    #[test]
    fn the_closed_form_is_exact_for_even_stages(
        pipeline in pipelines(),
        passes in passes(),
        saved in 0.0f64..1.0,
    ) {
        let least = passes.forward.min(passes.input + passes.weight);
        let hidden = if pipeline.schedule == Schedule::Dualpipe { least * saved } else { Seconds::ZERO };
        let timeline = Timeline::new(pipeline, even(&pipeline, passes, hidden));
        let expected = closed(&pipeline, passes, hidden);
        prop_assert!(
            close(timeline.end(), expected),
            "{pipeline:?} {passes:?} {hidden:?}: {:?} is not {expected:?}", timeline.end()
        );
    }
}

proptest! {
    /// Sends beside passes: those that fill and drain the pipeline add to the step, and so does what outlasts a pass. At its
    /// ends the pipeline has a little slack that the closed form leaves out.
    #[test]
    fn sends_beside_passes_cost_what_the_closed_form_says(
        pipeline in pipelines(),
        passes in passes(),
        share in 0.0f64..0.2,
    ) {
        // Sends overlap between chunks.
        if pipeline.interleave == 1 {
            return Ok(());
        }
        let chunk = scaled(passes, 1.0 / f64::from(pipeline.interleave));
        let send = chunk.forward.min(chunk.input + chunk.weight) * share;
        let pace = |overlaps_sends, send| Pace { overlaps_sends, send, ..even(&pipeline, passes, Seconds::ZERO) };
        let without = closed(&pipeline, passes, Seconds::ZERO);
        let alone = f64::from(pipeline.warm_up(0));
        let timeline = Timeline::new(pipeline, pace(true, send));
        let ratio = timeline.end() / (without + send * (2.0 * alone));
        prop_assert!((0.97..1.0 + 1e-9).contains(&ratio), "{pipeline:?} {passes:?} {send:?}: {ratio}");
        prop_assert!(timeline.end() >= without * (1.0 - 1e-9));
        let blocking = Timeline::new(pipeline, pace(false, send));
        prop_assert!(timeline.end() <= blocking.end() * (1.0 + 1e-9));
        for spans in &timeline.stages {
            for pair in spans.windows(2) {
                prop_assert!(pair[0].end <= pair[0].free && pair[0].free <= pair[0].sent);
                prop_assert!(pair[0].free <= pair[1].start && pair[0].sent <= pair[1].sent);
            }
        }
        let waits = (0..timeline.stages.len()).map(|stage| timeline.idle(stage));
        prop_assert!(waits.into_iter().all(|wait| wait.get() >= -1e-9));
    }
}

/// Microbatches whose activations a stage keeps at once: from the beginning of a forward pass to the end of the backward
/// pass, or of the gradient of weights where that comes later.
fn kept(timeline: &Timeline, stage: usize) -> f64 {
    let (mut now, mut most) = (0u32, 0u32);
    for span in &timeline.stages[stage] {
        match span.task {
            StageTask::Forward(_) => now += 1,
            // The forward pass begins before the backward pass ends.
            StageTask::Both { .. } => most = most.max(now + 1),
            StageTask::Backward(_) | StageTask::Weight(_) => now -= 1,
            StageTask::Input(_) => {}
        }
        most = most.max(now);
    }
    f64::from(most) / f64::from(timeline.pipeline.interleave)
}

proptest! {
    #[test]
    fn as_many_microbatches_are_kept_as_the_closed_form_says(pipeline in pipelines(), passes in passes()) {
        let timeline = Timeline::new(pipeline, even(&pipeline, passes, Seconds::ZERO));
        let most = (0..timeline.stages.len()).map(|stage| kept(&timeline, stage)).fold(0.0, f64::max);
        let expected = pipeline.in_flight();
        if pipeline.interleave > 1 && pipeline.microbatches == pipeline.stages {
            // Korthikanti's formula has one round of microbatches fill the pipeline; there is no second one here.
            prop_assert!(most <= expected);
        } else {
            prop_assert!((most - expected).abs() < 1e-9, "{pipeline:?}: {most} is not {expected}");
        }
    }
}

/// A pipeline and the bubble that a paper gives for it, F, B without weights and W being 1, or as named.
#[test]
fn published_bubbles_come_out() {
    let passes = |forward, input, weight| Passes {
        forward: Seconds::new(forward),
        input: Seconds::new(input),
        weight: Seconds::new(weight),
    };
    let bubble = |schedule, stages, interleave, microbatches, passes: Passes| {
        let pipeline = Pipeline { schedule, stages, interleave, microbatches };
        let timeline = Timeline::new(pipeline, even(&pipeline, passes, Seconds::ZERO));
        (timeline.end() - passes.total() * f64::from(microbatches)).get()
    };
    let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} is not {other}");
    let one = passes(1.0, 1.0, 1.0);
    // Narayanan et al. 2021, section 2.2: (p - 1)/m of the work, divided by v with v chunks.
    near(bubble(Schedule::Gpipe, 8, 1, 32, one) / 96.0, 7.0 / 32.0);
    near(bubble(Schedule::Alternating, 8, 1, 32, one) / 96.0, 7.0 / 32.0);
    near(bubble(Schedule::Alternating, 8, 4, 32, one) / 96.0, 7.0 / 32.0 / 4.0);
    // Qi et al. 2023, table 2: (p - 1)(F + B - W), a third of 1F1B's where all are equal.
    near(bubble(Schedule::ZeroBubble, 8, 1, 32, one), 7.0);
    near(bubble(Schedule::ZeroBubble, 8, 1, 32, passes(1.1, 1.2, 0.8)), 7.0 * (1.1 + 1.2 - 0.8));
    // DeepSeek-V3 report, table 2: (p/2 - 1)(F&B + B - 3W), B with its weights.
    near(bubble(Schedule::Dualpipe, 8, 1, 20, one), 3.0 * (3.0 + 2.0 - 3.0));
    near(bubble(Schedule::Dualpipe, 8, 1, 20, passes(1.0, 1.0, 0.6)), 3.0 * (2.6 + 1.6 - 1.8));
    // Microbatches kept: all, p, p + (p - 1)/v, p, and p + 1 in the same table of the report.
    let kept =
        |schedule, interleave| Pipeline { schedule, stages: 8, interleave, microbatches: 32 }.in_flight();
    near(kept(Schedule::Gpipe, 1), 32.0);
    near(kept(Schedule::Alternating, 1), 8.0);
    near(kept(Schedule::Alternating, 2), 8.0 * (1.0 + 7.0 / 16.0));
    near(kept(Schedule::ZeroBubble, 1), 8.0);
    near(kept(Schedule::Dualpipe, 1), 9.0);
}

const MODELS: [&str; 5] = ["gpt-3-175b", "llama-3.1-405b", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3"];

fn scenarios() -> impl Strategy<Value = Scenario> {
    let model = proptest::sample::select(&MODELS[..]);
    let schedule = proptest::sample::select(&Schedule::ALL[..]);
    let recompute = proptest::sample::select(&[Recompute::None, Recompute::Selective][..]);
    (model, schedule, 2u32..17, 1u32..3, 0u32..3, 1u32..5, recompute).prop_map(
        |(model, schedule, pipeline, interleave, tensor, rounds, recompute)| {
            let pipeline =
                if schedule == Schedule::Dualpipe { pipeline.next_multiple_of(2) } else { pipeline };
            let interleave = if schedule == Schedule::Alternating { interleave } else { 1 };
            let tensor = 1 << tensor;
            Scenario {
                model: Choice::Named(model.to_owned()),
                system: SystemChoice {
                    gpus: tensor * pipeline * 2,
                    dram_gib: Some(1e5),
                    ..SystemChoice::default()
                },
                parallelism: Plan { tensor, pipeline, interleave, schedule, recompute, ..Plan::default() },
                recipe: TrainingRecipe {
                    batch: 4 * pipeline * rounds,
                    sequence: 4096,
                    ..TrainingRecipe::default()
                },
                ..Scenario::default()
            }
        },
    )
}

/// Part of a step between its first and its last pass.
fn pipelined(estimate: &TrainingEstimate) -> Seconds {
    let outside = ["data_parallel", "optimizer", "framework"];
    estimate.terms.iter().filter(|term| !outside.contains(&term.id)).map(|term| term.time).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The embedding, the head, missing layers and sends are not even: the closed form paces every stage by the slowest,
    /// and leaves out what fills the pipeline with sends.
    #[test]
    fn whole_jobs_are_near_their_closed_form(scenario in scenarios()) {
        let checked = scenario.with_training(|job| {
            let timeline = job.timeline().expect("few enough stages");
            let ratio = timeline.end() / pipelined(&job.estimate());
            let even = job.plan.even(job.architecture.layers);
            let (low, high) = match job.plan.schedule {
                Schedule::Gpipe | Schedule::Alternating if even => (0.98, 1.001),
                // Others than the slowest stage wait for less.
                Schedule::Gpipe | Schedule::Alternating if job.plan.interleave == 1 => (0.94, 1.02),
                // Chunks of unlike stages take turns.
                Schedule::Gpipe | Schedule::Alternating => (0.92, 1.12),
                Schedule::ZeroBubble => (0.92, 1.05),
                // The ends have time for their embedding and head while they wait for the middle.
                Schedule::Dualpipe => (0.88, 1.001),
            };
            assert!((low..=high).contains(&ratio), "{ratio} with {:?}", job.plan);
        });
        // Some random plans break a law.
        prop_assert!(checked.is_ok() || scenario.parallelism.schedule != Schedule::Gpipe);
    }

    /// A framework that overlaps sends, on even stages: the drawn timeline ends when the step's pipelined part does.
    #[test]
    fn timelines_have_the_sends_that_a_framework_overlaps(scenario in scenarios(), interleave in 2u32..4) {
        let mut scenario = scenario;
        scenario.recipe.framework = Framework::Nemo;
        scenario.parallelism.schedule = Schedule::Alternating;
        scenario.parallelism.interleave = interleave;
        let _ = scenario.with_training(|job| {
            let timeline = job.timeline().expect("few enough stages");
            assert!(timeline.pace.overlaps_sends && timeline.pace.send > Seconds::ZERO);
            // Chunks of unlike stages take turns, with or without sends.
            if !job.plan.even(job.architecture.layers) {
                return;
            }
            let estimate = job.estimate();
            let ratio = timeline.end() / pipelined(&estimate);
            assert!((0.97..=1.001).contains(&ratio), "{ratio} with {:?}", job.plan);
            let silent = Pace { send: Seconds::ZERO, ..timeline.pace.clone() };
            let silent = Timeline { skipped: timeline.skipped, ..Timeline::new(timeline.pipeline, silent) };
            let sends = estimate.terms.iter().find(|term| term.id == "pipeline").expect("sends").time;
            let drawn = (timeline.end() - silent.end()) / sends;
            assert!((0.5..1.1).contains(&drawn), "{drawn} of the sends with {:?}", job.plan);
        });
    }

    /// The steady state repeats itself: microbatches beyond those worked on add the slowest stage's work each.
    #[test]
    fn skipped_microbatches_only_prolong_the_steady_state(
        pipeline in pipelines(),
        passes in passes(),
        slow in 0usize..6,
        factor in 1.0f64..2.0,
    ) {
        let unit = 2 * pipeline.stages;
        let at = |microbatches| {
            let longer = Pipeline { microbatches, ..pipeline };
            let mut pace = even(&longer, passes, Seconds::ZERO);
            if pipeline.schedule != Schedule::Dualpipe && pipeline.interleave == 1 {
                let place = slow % pace.positions.len();
                pace.positions[place] = scaled(pace.positions[place], factor);
            }
            Timeline::new(longer, pace)
        };
        let (short, long) = (at(12 * unit), at(20 * unit));
        let expected = short.end() + short.period * f64::from(8 * unit);
        // With uneven stages, work may still queue before the slower ones.
        let uneven = if pipeline.interleave == 1 { 0.005 } else { 1e-9 };
        let ratio = long.end() / expected;
        prop_assert!((ratio - 1.0).abs() <= uneven, "{pipeline:?}: {ratio}");
    }
}

proptest! {
    /// A pipeline that breaks a law stands still at worst.
    #[test]
    fn impossible_pipelines_do_no_harm(stages in 0u32..9, interleave in 0u32..4, microbatches in 0u32..20) {
        for schedule in Schedule::ALL {
            let pipeline = Pipeline { schedule, stages, interleave, microbatches };
            let pace = Pace {
                positions: vec![Passes::default(); 3],
                again: 0.0,
                hidden: Seconds::ZERO,
                send: Seconds::ZERO,
                overlaps_sends: true,
            };
            let timeline = Timeline::new(pipeline, pace);
            prop_assert_eq!(timeline.stages.len(), stages as usize);
        }
    }
}

/// Breaks a law, and says which field to change.
#[test]
fn schedules_have_laws() {
    let refused = |link: &str| {
        let decoded = foretoken::scenario::link::decode(link);
        assert_eq!(decoded.problems, [], "{link}");
        let problems = decoded.scenario.with_training(|_| ()).expect_err("a law");
        assert_eq!(problems.len(), 1, "{link}");
        (problems[0].field.clone(), problems[0].message.clone())
    };
    let base = "model=gpt-3-175b&tp=4";
    for (more, field, word) in [
        (
            "gpus=64&batch=32&pp=8&schedule=gpipe&interleave=2",
            "parallelism.interleave",
            "GPipe has one chunk",
        ),
        ("gpus=64&batch=32&pp=8&schedule=zbh1&interleave=2", "parallelism.interleave", "ZB-H1"),
        ("gpus=64&batch=32&pp=16&schedule=zbh1&mb=4", "parallelism.schedule", "at least 16"),
        ("gpus=64&batch=32&pp=16&schedule=dualpipe&mb=2", "parallelism.schedule", "at least 32"),
        ("gpus=64&batch=32&pp=1&schedule=dualpipe", "parallelism.schedule", "even number"),
        ("pp=10&gpus=80&batch=40&schedule=dualpipe", "parallelism.schedule", "do not divide 96"),
        (
            "gpus=64&batch=32&pp=8&schedule=zbh1&recompute=full",
            "parallelism.recompute",
            "keeps the activations",
        ),
        ("gpus=64&batch=32&pp=8&recompute_layers=3", "parallelism.recompute_layers", "recompute every layer"),
        (
            "gpus=64&batch=32&pp=8&recompute=full&recompute_layers=13",
            "parallelism.recompute_layers",
            "the 12 layers of a stage",
        ),
    ] {
        let (named, message) = refused(&format!("{base}&{more}"));
        assert_eq!(named, field, "{more}: {message}");
        assert!(message.contains(word), "{more}: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The fullest GPU of the closed form is where the memory of all stages over time peaks.
    #[test]
    fn memory_over_time_peaks_at_the_footprint(scenario in scenarios(), full in any::<bool>(), chosen in 0u32..4, context in 1u32..3) {
        let mut scenario = scenario;
        scenario.parallelism.context = context;
        scenario.parallelism.context_kind = ContextKind::ALL[chosen as usize % ContextKind::ALL.len()];
        scenario.system.gpus *= context;
        if full && !scenario.parallelism.schedule.splits() {
            scenario.parallelism.recompute = Recompute::Full;
            scenario.parallelism.recompute_layers = (chosen < 3).then_some(chosen);
        }
        let _ = scenario.with_training(|job| {
            let timeline = job.timeline().expect("few enough stages");
            let occupancy = job.occupancy(&timeline);
            let (_, moment, footprint) = occupancy.peak().expect("a stage");
            let closed = job.memory();
            let ratio = footprint.total() / closed.total();
            let plan = job.plan;
            let even = plan.even(job.architecture.layers);
            // A first stage with fewer layers keeps less, and so do chunks whose microbatches are all in flight; the
            // ends of DualPipe have their logits when fewer microbatches are in flight than at most.
            let exact = even && plan.interleave == 1 && plan.schedule != Schedule::Dualpipe;
            let low = if exact { 1.0 - 1e-9 } else { 0.7 };
            assert!((low..1.0 + 1e-9).contains(&ratio), "{ratio} with {plan:?}");
            assert!(moment.at <= timeline.shown());
            // Temporary memory is freed at the end.
            for stage in &occupancy.stages {
                let left = stage.moments.last().expect("a moment").total();
                assert!(left.get().abs() <= 1e-6 * closed.activations.get(), "{left:?}");
                assert!(stage.moments.iter().all(|moment| moment.total().get() >= -1.0));
                assert!(stage.moments.windows(2).all(|pair| pair[0].at <= pair[1].at));
            }
        });
    }

    /// More layers recomputed cost more time and less memory, between nothing and everything.
    #[test]
    fn chosen_layers_lie_between_none_and_all(scenario in scenarios()) {
        let mut scenario = scenario;
        scenario.parallelism.schedule = Schedule::Alternating;
        let stage = 4;
        let mut answers = Vec::new();
        let mut at = |recompute, recompute_layers| {
            let plan = Plan { recompute, recompute_layers, ..scenario.parallelism };
            let scenario = Scenario { parallelism: plan, ..scenario.clone() };
            answers.extend(scenario.with_training(|job| {
                let estimate = job.estimate();
                (estimate.step, job.activations(), estimate.hfu)
            }));
        };
        at(Recompute::None, None);
        for chosen in 0..=stage {
            at(Recompute::Full, Some(chosen));
        }
        at(Recompute::Full, None);
        for pair in answers.windows(2) {
            prop_assert!(pair[0].0 <= pair[1].0 * (1.0 + 1e-12), "time {:?}", answers);
            prop_assert!(pair[0].1 * (1.0 + 1e-12) >= pair[1].1, "memory {:?}", answers);
        }
        if let [none, zero, ..] = answers[..] {
            prop_assert!(close(none.0, zero.0) && (none.1 / zero.1 - 1.0).abs() < 1e-12);
        }
    }
}
