//! Published measurements that the model is held against, and what it predicts for them.

use foretoken::catalog;
use foretoken::inference::{InferenceJob, InferenceLoad, Launch};
use foretoken::plan::Plan;
use foretoken::published::runs::{self, LATENCIES, Megatron, TrainingRun, WIDTHS};
use foretoken::system::{AssumptionSet, Precision, System};
use foretoken::training::{FrameworkOverheads, TrainingJob};

/// One measurement beside its prediction.
#[derive(Clone)]
pub(crate) struct Row {
    /// Measured quantity.
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

/// Calls `check` with the case's job under another plan.
pub(crate) fn with_job<T>(case: &Megatron, plan: Plan, check: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
    let Megatron { id: model, gpus, batch, .. } = *case;
    let run = TrainingRun { name: String::new(), model, plan, gpus, batch, seconds: 0.0 };
    with_job_under(AssumptionSet::Calibrated, &run, check)
}

fn with_job_under<T>(set: AssumptionSet, run: &TrainingRun, check: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
    let architecture = catalog::architecture(run.model).expect("a catalogue model");
    let accelerator = catalog::accelerator("a100-sxm-80gb").expect("a catalogue device");
    let system = System::new(accelerator, set);
    let recipe = run.recipe();
    run.plan
        .check(architecture, run.gpus, run.batch, recipe.sequence)
        .expect("the paper's plan obeys the laws");
    check(&TrainingJob {
        architecture,
        system: &system,
        plan: &run.plan,
        recipe: &recipe,
        gpus: run.gpus,
        overheads: FrameworkOverheads::NONE,
    })
}

/// The eight steps of Korthikanti et al. 2022 (arXiv 2205.05198), Table 5.
pub(crate) fn steps() -> Vec<Row> {
    steps_under(AssumptionSet::Calibrated)
}

/// The three runs with several replicas under a set of assumptions.
pub(crate) fn replicated_under(set: AssumptionSet) -> Vec<Row> {
    runs::replicated().iter().map(|run| row(set, run)).collect()
}

/// The eight steps under a set of assumptions.
pub(crate) fn steps_under(set: AssumptionSet) -> Vec<Row> {
    runs::steps().iter().map(|run| row(set, run)).collect()
}

fn row(set: AssumptionSet, run: &TrainingRun) -> Row {
    let predicted = with_job_under(set, run, |job| job.step().get());
    Row { what: run.name.clone(), measured: run.seconds, predicted }
}

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
        for (tensor, measured) in WIDTHS.into_iter().zip(seconds) {
            let Some(measured) = measured else { continue };
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
