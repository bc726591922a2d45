//! A search returns the same results as an exhaustive trial of every plan.

use foretoken::catalog;
use foretoken::plan::{Offload, Plan, Schedule};
use foretoken::search::{AXES, Found, Objective, PlanProblem, Reason, Scope, Search};
use foretoken::system::{AssumptionSet, System};
use foretoken::training::{Framework, Memo, TrainingJob, TrainingRecipe};
use foretoken::units::Bytes;
use foretoken::workload::AttentionKernel;
use proptest::prelude::*;
use proptest::sample::select;

const MODELS: [&str; 5] = ["gpt-3-175b", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b"];
const DEVICES: [&str; 3] = ["a100-sxm-80gb", "b200", "mi300x"];
/// Axes beyond these are fixed so that a space can be tried without a search; each case frees another.
const ALWAYS: [&str; 3] = ["tensor", "pipeline", "zero"];
/// Axes that let passes hide each other's communication.
const JOINED: [&str; 3] = ["expert", "microbatch", "schedule"];

/// A job, how many GPUs, and the memory that makes some of its plans fit.
fn questions() -> impl Strategy<Value = (PlanProblem, u32)> {
    let software = (select(&Framework::ALL[..]), select(&Schedule::ALL[..]), any::<[bool; 3]>());
    let what = (select(&MODELS[..]), select(&DEVICES[..]), any::<bool>(), software);
    let size =
        (select(vec![8u32, 12, 16]), select(vec![8u32, 16, 24]), 0usize..AXES.len(), 0usize..AXES.len());
    let limits = (select(&Objective::ALL[..]), 0.05f64..3.0, any::<[bool; 2]>(), 1u32..20);
    (what, size, limits).prop_map(
        |(what, (gpus, batch, one, other), (by, fullness, [frozen, joined], tensor))| {
            let (model, device, unfused, (framework, schedule, host)) = what;
            let [activations, weights, optimizer] = host;
            let offload = Offload { activations, weights, optimizer };
            let mut architecture = catalog::architecture(model).expect("a model").clone();
            architecture.layers = architecture.layers.min(12);
            let mut system =
                System::new(catalog::accelerator(device).expect("a device"), AssumptionSet::Calibrated);
            system.network.domain = 4;
            let recipe = TrainingRecipe {
                batch,
                sequence: 2048,
                attention: if unfused { AttentionKernel::Unfused } else { AttentionKernel::Flash },
                frozen,
                framework,
                ..TrainingRecipe::default()
            };
            // Around what the model needs when it is cut once over all GPUs.
            let whole = architecture.parameters().total as f64 * 18.0 / f64::from(gpus);
            system.device.capacity = system.assumptions.reserve + Bytes::new(whole * fullness);
            let free = |id: &str| {
                let also = joined && JOINED.contains(&id);
                also || ALWAYS.contains(&id) || AXES[one].id == id || AXES[other].id == id
            };
            let fixed: Vec<&str> = AXES.iter().map(|axis| axis.id).filter(|id| !free(id)).collect();
            let scope = Scope { by, tensor, fixed: fixed.join(" "), ..Scope::default() };
            let plan = Plan { tensor: 1, schedule, offload, ..Plan::default() };
            let overheads = framework.overheads();
            (PlanProblem { architecture, system, recipe, overheads, plan, scope }, gpus)
        },
    )
}

/// Every plan that fits, each computed by itself.
fn all(question: &PlanProblem, gpus: u32) -> Vec<Found> {
    let space = question.space(gpus);
    let mut cursor = space.first(&question.plan);
    let mut found = Vec::new();
    let mut plans = 0;
    while cursor.position < space.size() {
        plans += 1;
        let plan = cursor.plan;
        let job = question.job(&plan, gpus);
        let lawful = plan.check(job.architecture, gpus, job.recipe.batch, job.recipe.sequence).is_ok();
        if lawful && job.memory().total() <= question.limit() {
            found.push(Found { plan, gpus, step: job.step(), memory: job.memory().total(), published: None });
        }
        space.pass(&mut cursor, AXES.len() - 1);
    }
    assert_eq!(plans, space.size());
    found
}

fn key(by: Objective, found: &Found) -> (f64, f64) {
    let (step, memory) = (found.step.get(), found.memory.get());
    if by == Objective::Memory { (memory, step) } else { (step, memory) }
}

fn searched(question: &PlanProblem, gpus: u32) -> Search {
    let mut search = Search::new(question.clone(), gpus, &[]);
    search.run();
    search
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_better_was_passed_over((question, gpus) in questions()) {
        let by = question.scope.by;
        let search = searched(&question, gpus);
        let outcome = search.asked();
        prop_assert_eq!(outcome.tried, outcome.plans);
        prop_assert_eq!(outcome.stopped.total() + outcome.feasible, outcome.plans);
        prop_assert!(outcome.pruned <= outcome.feasible);
        let all = all(&question, gpus);
        prop_assert_eq!(all.is_empty(), outcome.feasible == 0);
        let same = outcome.stopped.iter().find(|(reason, _)| *reason == Reason::Same).map_or(0, |(_, count)| *count);
        prop_assert!((outcome.feasible..=outcome.feasible + same).contains(&(all.len() as u64)));
        // The best, of equal ones the first.
        let best = all.iter().reduce(|best, next| if key(by, next) < key(by, best) { next } else { best });
        prop_assert_eq!(best, outcome.best());
        // Whatever is better than the last that is shown is shown, or is as good as one that is.
        let shown = outcome.best.found();
        prop_assert!(shown.is_sorted_by(|a, b| key(by, a) <= key(by, b)));
        if let Some(last) = shown.last() {
            for found in all.iter().filter(|found| key(by, found) < key(by, last)) {
                prop_assert!(shown.iter().any(|other| key(by, other) <= key(by, found)));
                prop_assert!(shown.iter().any(|other| key(by, other) == key(by, found)) || same > 0);
            }
        }
        // The front is what nothing beats.
        let mut front: Vec<(f64, f64)> = all
            .iter()
            .map(|found| key(Objective::Time, found))
            .filter(|(step, memory)| {
                !all.iter().any(|other| {
                    let (faster, smaller) = key(Objective::Time, other);
                    faster <= *step && smaller <= *memory && (faster, smaller) != (*step, *memory)
                })
            })
            .collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        front.dedup();
        let found: Vec<(f64, f64)> =
            outcome.front.found().iter().map(|found| key(Objective::Time, found)).collect();
        prop_assert_eq!(front, found);
        // All that is shown is exact.
        let kept = shown.iter().chain(outcome.front.found()).chain(outcome.sample.found());
        for found in kept {
            let job = question.job(&found.plan, gpus);
            prop_assert_eq!(job.step(), found.step);
            prop_assert_eq!(job.memory().total(), found.memory);
            prop_assert!(plan_is_lawful(&job));
        }
    }

    #[test]
    fn the_size_of_steps_makes_no_difference((question, gpus) in questions(), step in 1u32..500) {
        let whole = searched(&question, gpus);
        let mut search = Search::new(question, gpus, &[]);
        let mut progress = 0.0;
        while !search.done() {
            search.advance(step);
            prop_assert!(search.progress() >= progress);
            progress = search.progress();
        }
        prop_assert_eq!(search.outcomes(), whole.outcomes());
        let found = |search: &Search| {
            search.nearest().map(|nearest| (nearest.below().copied(), nearest.above().copied()))
        };
        prop_assert_eq!(found(&search), found(&whole));
    }

    #[test]
    fn what_plans_share_is_what_each_computes((question, gpus) in questions(), seed in any::<u64>()) {
        // The result is independent of the order and of earlier questions.
        let space = question.space(gpus);
        let mut memo = Memo::default();
        let mut cursor = space.first(&question.plan);
        let mut state = seed;
        while cursor.position < space.size() {
            let job = question.job(&cursor.plan, gpus);
            if plan_is_lawful(&job) {
                let least = memo.least(&job);
                prop_assert_eq!(memo.step(&job), job.step());
                prop_assert!(least <= job.step(), "{} {}", least.get(), job.step().get());
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            space.pass(&mut cursor, (state >> 33) as usize % AXES.len());
        }
    }

    #[test]
    fn the_nearest_numbers_of_gpus_are_the_nearest((mut question, gpus) in questions()) {
        // A job whose memory fits on few numbers of GPUs, and whose batch divides by few.
        question.recipe.batch = 12;
        question.scope.fixed = question.scope.fixed.replace("microbatch", "");
        let search = searched(&question, gpus + 1);
        let Some(nearest) = search.nearest() else {
            prop_assert!(search.asked().feasible > 0);
            return Ok(());
        };
        prop_assert_eq!(search.asked().feasible, 0);
        let fits = |gpus: u32| !all(&question, gpus).is_empty();
        for gpus in (nearest.below().map_or(0, |found| found.gpus) + 1)..=gpus {
            prop_assert!(!fits(gpus), "{} GPUs fit", gpus);
        }
        let (_, highest) = nearest.range();
        for gpus in gpus + 2..nearest.above().map_or(highest.min(40) + 1, |found| found.gpus) {
            prop_assert!(!fits(gpus), "{} GPUs fit", gpus);
        }
        for found in [nearest.below(), nearest.above()].into_iter().flatten() {
            let job = question.job(&found.plan, found.gpus);
            prop_assert!(plan_is_lawful(&job) && job.memory().total() <= question.limit());
            prop_assert_eq!((job.step(), job.memory().total()), (found.step, found.memory));
        }
    }
}

fn plan_is_lawful(job: &TrainingJob<'_>) -> bool {
    job.plan.check(job.architecture, job.gpus, job.recipe.batch, job.recipe.sequence).is_ok()
}

#[test]
fn strong_scaling_has_the_best_plan_of_each_count() {
    let (architecture, device) = (catalog::architecture("llama-3.1-8b"), catalog::accelerator("h100-sxm"));
    let question = PlanProblem {
        architecture: architecture.unwrap().clone(),
        system: System::new(device.unwrap(), AssumptionSet::Calibrated),
        recipe: TrainingRecipe { batch: 64, ..TrainingRecipe::default() },
        overheads: Framework::None.overheads(),
        plan: Plan::default(),
        scope: Scope::default(),
    };
    let mut search = Search::new(question.clone(), 16, &[8, 16, 32, 64]);
    search.run();
    let counts: Vec<u32> = search.outcomes().iter().map(|outcome| outcome.gpus).collect();
    assert_eq!(counts, [16, 8, 32, 64]);
    for outcome in search.outcomes() {
        let alone = searched(&question, outcome.gpus);
        assert_eq!(alone.asked().best(), outcome.best());
    }
    let steps: Vec<f64> =
        [1, 0, 2, 3].map(|at: usize| search.outcomes()[at].best().unwrap().step.get()).to_vec();
    assert!(steps.is_sorted_by(|a, b| a > b), "{steps:?}");
}

#[test]
fn a_sample_stays_bounded_and_even() {
    let (architecture, device) = (catalog::architecture("llama-3.1-70b"), catalog::accelerator("h100-sxm"));
    let question = PlanProblem {
        architecture: architecture.unwrap().clone(),
        system: System::new(device.unwrap(), AssumptionSet::Calibrated),
        recipe: TrainingRecipe::default(),
        overheads: Framework::None.overheads(),
        plan: Plan::default(),
        scope: Scope::default(),
    };
    let search = searched(&question, 512);
    let outcome = search.asked();
    let (taken, stride) = (outcome.sample.found().len() as u64, outcome.sample.stride());
    assert!(outcome.feasible > 3000 && taken > 700 && taken <= 1500, "{} {taken}", outcome.feasible);
    assert_eq!(taken, outcome.feasible.div_ceil(stride));
}

/// The search of Calculon's own benchmark: 7.1 million plans there, 15 hours.
#[test]
fn on_a_large_space_a_sample_finds_nothing_better() {
    let (architecture, device) = (catalog::architecture("gpt-3-175b"), catalog::accelerator("a100-sxm-80gb"));
    let question = PlanProblem {
        architecture: architecture.unwrap().clone(),
        system: System::new(device.unwrap(), AssumptionSet::Calibrated),
        recipe: TrainingRecipe { batch: 4096, sequence: 2048, ..TrainingRecipe::default() },
        overheads: Framework::None.overheads(),
        plan: Plan::default(),
        scope: Scope { fixed: "context_kind tensor_kind offload".to_owned(), ..Scope::default() },
    };
    let search = searched(&question, 4096);
    let best = search.asked().best().expect("a plan that fits");
    let space = question.space(4096);
    assert_eq!(space.size(), 4 * 8 * 8_456_448);
    // Evenly over the space, in steps that share no factor with any axis.
    let mut fits = 0;
    for index in 0..200_000 {
        let cursor = space.at(&question.plan, index * 1_000_003 % space.size());
        let job = question.job(&cursor.plan, 4096);
        if plan_is_lawful(&job) && job.memory().total() <= question.limit() {
            fits += 1;
            assert!(job.step() >= best.step, "{:?}", cursor.plan);
        }
    }
    assert!(fits > 1000, "{fits}");
}
