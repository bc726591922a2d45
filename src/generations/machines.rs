//! One training job on several accelerators: with the given plan, and with the best precision, microbatch and
//! recomputation of each.

use serde::Serialize;

use super::task::Task;
use crate::catalog::Accelerator;
use crate::estimate::Shares;
use crate::plan::Plan;
use crate::system::{AssumptionSet, Precision, System};
use crate::training::{TrainingJob, TrainingRecipe};
use crate::units::{Bytes, Seconds};
use crate::workload::Recompute;

/// The result of one accelerator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Generation {
    /// The catalogue id.
    pub accelerator: String,
    /// As it is shown.
    pub name: String,
    /// Year of release.
    pub year: u16,
    /// The job with the given plan on this accelerator; absent where it does not fit.
    pub same: Option<Outcome>,
    /// Tokens per second relative to the reference; its inability to run the job leaves this absent.
    pub same_speedup: Option<f64>,
    /// The fastest of the precisions, microbatches and recomputations that fit.
    pub best: Option<Outcome>,
    /// Tokens per second of `best` relative to the reference with the given plan.
    pub best_speedup: Option<f64>,
    /// Why the job with the given plan does not run.
    pub why_not: Option<String>,
}

/// A training job on one accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Matrix format.
    pub precision: Precision,
    /// Sequences per microbatch.
    pub microbatch: u32,
    /// What is recomputed.
    pub recompute: Recompute,
    /// One step.
    pub step: Seconds,
    /// Tokens per second and GPU.
    pub tokens_per_second_per_gpu: f64,
    /// Memory of the fullest GPU.
    pub memory: Bytes,
}

/// Formats in which training is established practice: 4-bit training is published but not yet common, and the
/// estimate says so by name where it is the fastest.
const TRAINING_PRECISIONS: [Precision; 3] = [Precision::Bf16, Precision::Fp8, Precision::Fp4];

/// Runs the job on each accelerator. Speed-ups are relative to the first: with the given plan, or at its best where that
/// does not fit.
pub fn generations(
    job: &TrainingJob<'_>,
    set: AssumptionSet,
    accelerators: &[&Accelerator],
) -> Vec<Generation> {
    let mut rows: Vec<Generation> =
        accelerators.iter().map(|accelerator| on(job, set, accelerator)).collect();
    let reference = rows
        .first()
        .and_then(|first| first.same.or(first.best))
        .map(|outcome| outcome.tokens_per_second_per_gpu);
    if let Some(reference) = reference {
        let relative = |outcome: Outcome| outcome.tokens_per_second_per_gpu / reference;
        for row in &mut rows {
            row.same_speedup = row.same.map(relative);
            row.best_speedup = row.best.map(relative);
        }
    }
    rows
}

/// Shares of a task's time by limiting resource on each accelerator that it fits, by the accelerator's name.
pub fn bindings(task: &Task<'_>, set: AssumptionSet, accelerators: &[&Accelerator]) -> Vec<(String, Shares)> {
    let on = |accelerator: &&Accelerator| {
        let system = System::new(accelerator, set);
        task.time(&system).map(|_| (accelerator.name.clone(), task.binding(&system)))
    };
    accelerators.iter().filter_map(on).collect()
}

fn on(job: &TrainingJob<'_>, set: AssumptionSet, accelerator: &Accelerator) -> Generation {
    let system = System::new(accelerator, set);
    let same = outcome(&TrainingJob { system: &system, ..*job });
    let why_not = match &same {
        Err(reason) => Some(reason.clone()),
        Ok(_) => None,
    };
    let best = best(job, &system, same.as_ref().ok().copied());
    Generation {
        accelerator: accelerator.id.clone(),
        name: accelerator.name.clone(),
        year: accelerator.year,
        same: same.ok(),
        same_speedup: None,
        best,
        best_speedup: None,
        why_not,
    }
}

fn outcome(job: &TrainingJob<'_>) -> Result<Outcome, String> {
    let precision = job.recipe.precision;
    if job.system.device.peak(precision).is_none() {
        return Err(format!("has no {} matrix units", precision.name()));
    }
    if job.plan.offload.any() && job.system.device.host.is_none() {
        return Err("has no known link to its host".to_owned());
    }
    let memory = job.memory();
    if !memory.fits() {
        return Err(format!(
            "needs {:.0} GiB of {:.0} GiB",
            memory.total().to_gib(),
            memory.capacity.to_gib()
        ));
    }
    let step = job.step();
    let tokens = f64::from(job.recipe.batch) * f64::from(job.recipe.sequence);
    Ok(Outcome {
        precision,
        microbatch: job.plan.microbatch,
        recompute: job.plan.recompute,
        step,
        tokens_per_second_per_gpu: tokens / step.get() / f64::from(job.gpus),
        memory: memory.total(),
    })
}

/// Tries each precision with each power-of-two microbatch and recomputation; batch, GPUs and degrees stay.
fn best(job: &TrainingJob<'_>, system: &System, same: Option<Outcome>) -> Option<Outcome> {
    let replica_batch = job.recipe.batch / job.data_parallel();
    let mut best = same;
    for precision in TRAINING_PRECISIONS {
        let recipe = TrainingRecipe { precision, ..*job.recipe };
        for microbatch in (0..12).map(|power| 1 << power).take_while(|&size| size <= replica_batch) {
            if !replica_batch.is_multiple_of(microbatch) {
                break;
            }
            for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
                let recompute_layers = job.plan.recompute_layers.filter(|_| recompute == Recompute::Full);
                let plan = Plan { microbatch, recompute, recompute_layers, ..*job.plan };
                if plan.check(job.architecture, job.gpus, recipe.batch, recipe.sequence).is_err() {
                    continue;
                }
                let candidate = TrainingJob { system, plan: &plan, recipe: &recipe, ..*job };
                if let Ok(outcome) = outcome(&candidate)
                    && best.is_none_or(|best| outcome.step < best.step)
                {
                    best = Some(outcome);
                }
            }
        }
    }
    best
}
