//! Published measurements that the model is held against, and what it predicts for them.

use foretoken::catalog;
use foretoken::inference::{InferenceJob, InferenceLoad, Launch};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, Precision, System};
use foretoken::training::{FrameworkOverheads, TrainingJob, TrainingRecipe};
use foretoken::workload::{AttentionKernel, Recompute};

/// One measurement beside its prediction.
#[derive(Clone)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// Seconds.
    pub(crate) measured: f64,
    /// Seconds.
    pub(crate) predicted: f64,
}

impl Row {
    /// Relative error; negative where the prediction is too fast.
    pub(crate) fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

/// The mean of the absolute relative errors.
pub(crate) fn mean_error(rows: &[Row]) -> f64 {
    rows.iter().map(|row| row.error().abs()).sum::<f64>() / rows.len() as f64
}

/// A model of the paper: plan, and what the paper prints.
pub(crate) struct Case {
    /// Catalogue id.
    pub(crate) id: &'static str,
    /// How it was cut.
    pub(crate) plan: Plan,
    pub(crate) gpus: u32,
    pub(crate) batch: u32,
    /// Weights, gradients and optimizer state of the layers' matrices, GiB.
    pub(crate) state_gib: f64,
    /// Activations with tensor parallelism alone, GiB.
    pub(crate) tensor_gib: f64,
    /// Activations with sequence parallelism and selective recomputation, GiB.
    pub(crate) selective_gib: f64,
    /// Step with full recomputation, then with sequence parallelism and selective recomputation, s.
    pub(crate) seconds: [f64; 2],
}

fn plan(pipeline: u32, interleave: u32, microbatch: u32) -> Plan {
    Plan { tensor: 8, pipeline, interleave, microbatch, zero: 0, ..Plan::default() }
}

/// The paper's four models.
pub(crate) fn cases() -> [Case; 4] {
    let case = |id, plan: Plan, batch, memory: [f64; 3], seconds| Case {
        id,
        plan,
        gpus: 8 * plan.pipeline,
        batch,
        state_gib: memory[0],
        tensor_gib: memory[1],
        selective_gib: memory[2],
        seconds,
    };
    [
        case("megatron-22b", plan(1, 1, 4), 4, [45.5625, 59.25, 9.5625], [1.42, 1.10]),
        case("megatron-175b", plan(8, 3, 1), 64, [45.5625, 66.84375, 12.3516], [18.13, 13.75]),
        case("megatron-530b", plan(35, 3, 1), 280, [31.6406, 114.0234, 23.0762], [49.05, 37.83]),
        case("megatron-1t", plan(64, 1, 1), 512, [32.9590, 131.25, 26.5625], [94.42, 71.49]),
    ]
}

fn recipe(batch: u32) -> TrainingRecipe {
    TrainingRecipe {
        batch,
        sequence: 2048,
        attention: AttentionKernel::Unfused,
        dropout: true,
        ..TrainingRecipe::default()
    }
}

/// Calls `check` with the case's job under another plan.
pub(crate) fn with_job<T>(case: &Case, plan: Plan, check: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
    with_job_under(AssumptionSet::Calibrated, case, plan, check)
}

fn with_job_under<T>(
    set: AssumptionSet,
    case: &Case,
    plan: Plan,
    check: impl FnOnce(&TrainingJob<'_>) -> T,
) -> T {
    let architecture = catalog::architecture(case.id).expect("a catalogue model");
    let accelerator = catalog::accelerator("a100-sxm-80gb").expect("a catalogue device");
    let system = System::new(accelerator, set);
    let recipe = recipe(case.batch);
    plan.check(architecture, case.gpus, case.batch, recipe.sequence)
        .expect("the paper's plan obeys the laws");
    check(&TrainingJob {
        architecture,
        system: &system,
        plan: &plan,
        recipe: &recipe,
        gpus: case.gpus,
        overheads: FrameworkOverheads::NONE,
    })
}

/// The eight steps of Korthikanti et al. 2022 (arXiv 2205.05198), Table 5.
pub(crate) fn steps() -> Vec<Row> {
    steps_under(AssumptionSet::Calibrated)
}

/// The three largest runs of Narayanan et al. 2021 (arXiv 2104.04473), Table 1, which arXiv 2407.14645 predicts too: full
/// recomputation. The table does not say how many chunks a stage has: one.
pub(crate) fn replicated_under(set: AssumptionSet) -> Vec<Row> {
    let case = |id, gpus, pipeline, batch, measured| {
        let plan = Plan { sequence_parallel: false, recompute: Recompute::Full, ..plan(pipeline, 1, 1) };
        let (memory, seconds) = (0.0, [measured, measured]);
        let case = Case {
            id,
            plan,
            gpus,
            batch,
            state_gib: memory,
            tensor_gib: memory,
            selective_gib: memory,
            seconds,
        };
        let predicted = with_job_under(set, &case, plan, |job| job.step().get());
        let size = id.trim_start_matches("narayanan-").to_uppercase();
        Row { what: format!("Narayanan et al. {size}, {gpus} A100, full recomputation"), measured, predicted }
    };
    vec![
        case("narayanan-310.1b", 1920, 16, 2160, 37.6),
        case("narayanan-529.6b", 2520, 35, 2520, 54.1),
        case("narayanan-1008.0b", 3072, 64, 3072, 102.6),
    ]
}

/// The eight steps under a set of assumptions.
pub(crate) fn steps_under(set: AssumptionSet) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in cases() {
        let full = Plan { sequence_parallel: false, recompute: Recompute::Full, ..case.plan };
        for (plan, measured) in [full, case.plan].into_iter().zip(case.seconds) {
            let predicted = with_job_under(set, &case, plan, |job| job.step().get());
            let kind = if plan.recompute == Recompute::Full { "full" } else { "selective" };
            let size = case.id.trim_start_matches("megatron-").to_uppercase();
            let what = format!("Megatron {size}, {} A100, {kind} recomputation", case.gpus);
            rows.push(Row { what, measured, predicted });
        }
    }
    rows
}

/// Model, device, and seconds at tensor parallelism 1, 2, 4 and 8; 0 where nothing was measured.
const LATENCIES: [(&str, &str, [f64; 4]); 6] = [
    ("llama-2-7b", "a100-sxm-80gb", [2.19, 1.544, 1.28, 1.187]),
    ("llama-2-7b", "h100-sxm", [1.44, 1.143, 0.924, 0.828]),
    ("llama-2-13b", "a100-sxm-80gb", [3.884, 2.499, 1.894, 1.693]),
    ("llama-2-13b", "h100-sxm", [2.396, 1.717, 1.431, 1.201]),
    ("llama-2-70b", "a100-sxm-80gb", [0.0, 10.5, 6.403, 4.735]),
    ("llama-2-70b", "h100-sxm", [0.0, 6.267, 4.1226, 3.202]),
];

/// The 22 Llama-2 requests: batch 1, 200 tokens in and out, 16 bits, kernels issued by the host as in 2023.
pub(crate) fn requests() -> Vec<Row> {
    requests_under(AssumptionSet::Calibrated)
}

/// The 22 requests under a set of assumptions.
pub(crate) fn requests_under(set: AssumptionSet) -> Vec<Row> {
    let mut rows = Vec::new();
    for (model, device, seconds) in LATENCIES {
        let architecture = catalog::architecture(model).expect("a catalogue model");
        let accelerator = catalog::accelerator(device).expect("a catalogue device");
        let system = System::new(accelerator, set);
        for (tensor, measured) in [1, 2, 4, 8].into_iter().zip(seconds) {
            if measured == 0.0 {
                continue;
            }
            let load = InferenceLoad {
                input: 200,
                output: 200,
                batch: 1,
                tensor,
                precision: Precision::Fp16,
                kv_precision: Precision::Fp16,
                launch: Launch::Stream,
                ..InferenceLoad::default()
            };
            let overheads = load.engine.overheads();
            let estimate =
                InferenceJob { architecture, system: &system, load: &load, overheads, draft: None }
                    .estimate();
            let what = format!("{}, {tensor} × {}", architecture.name, accelerator.name);
            rows.push(Row { what, measured, predicted: estimate.latency.get() });
        }
    }
    rows
}
