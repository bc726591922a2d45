//! One training job on several accelerators: with the given plan, and with the best plan, format and batch of each.

use serde::Serialize;

use super::task::Task;
use crate::catalog::Accelerator;
use crate::estimate::Shares;
use crate::plan::Plan;
use crate::search::{Found, PlanProblem, Scope, Search};
use crate::system::{Assumed, Precision, System};
use crate::training::{TrainingJob, TrainingRecipe};
use crate::units::{Bytes, Seconds};
use crate::workload::Recompute;

/// The result of one accelerator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Generation {
    /// The catalogue id.
    pub accelerator: String,
    /// Name on the page.
    pub name: String,
    /// Year of release.
    pub year: u16,
    /// The job with the given plan on this accelerator; `None` if it does not fit.
    pub same: Option<Outcome>,
    /// Tokens per second of `same` relative to the first machine's `same`, or to the first machine's best if it cannot
    /// run the given plan.
    pub same_speedup: Option<f64>,
    /// The fastest of the plans, formats and batches that fit.
    pub best: Option<Outcome>,
    /// Tokens per second of `best` over those of the first machine at its best.
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
    /// Activations that are recomputed.
    pub recompute: Recompute,
    /// Sequences per step.
    pub batch: u32,
    /// The whole plan.
    pub plan: Plan,
    /// Step time.
    pub step: Seconds,
    /// Tokens per second per GPU.
    pub tokens_per_second_per_gpu: f64,
    /// Memory of the fullest GPU.
    pub memory: Bytes,
}

impl Outcome {
    /// The plan in a line.
    pub fn name(&self, gpus: u32) -> String {
        Found { plan: self.plan, gpus, step: self.step, memory: self.memory, published: None }.name()
    }
}

/// Number formats with established training practice, and FP4: 4-bit training is published but not yet common, and the
/// estimate names it if it is the fastest.
const TRAINING_PRECISIONS: [Precision; 3] = [Precision::Bf16, Precision::Fp8, Precision::Fp4];

/// The largest tensor-parallel degree that is tried.
const WIDEST_TENSOR: u32 = 64;

/// Sequences from which on context parallelism is tried too: on shorter ones it is hardly ever the best, and it makes
/// the space ten times as large.
const LONG_SEQUENCE: u32 = 32_768;

/// Axes that keep the plan's values, because they are properties of the software and not of a machine.
const FIXED: &str = "context_kind tensor_kind tensor_overlap recompute_layers data_overlap offload";

/// The job on each of several machines, of which the best plans are searched for one format after another.
#[derive(Clone, Debug)]
pub struct Machines {
    /// The job, on any machine.
    problem: PlanProblem,
    gpus: u32,
    assumed: Assumed,
    rows: Vec<Generation>,
    /// Searches to be done, last first: a machine's place and device, and how it trains.
    searches: Vec<(usize, Accelerator, TrainingRecipe)>,
    size: usize,
}

impl Machines {
    /// Runs the job with its plan on each machine. The searches also try `larger` times the batch, unless `larger` is
    /// 1.
    pub fn of(job: &TrainingJob<'_>, assumed: Assumed, accelerators: &[&Accelerator], larger: u32) -> Self {
        let rows: Vec<Generation> =
            accelerators.iter().map(|accelerator| on(job, assumed, accelerator)).collect();
        let mut batches = vec![job.recipe.batch, job.recipe.batch.saturating_mul(larger.max(1))];
        batches.dedup();
        let mut searches = Vec::new();
        for (place, accelerator) in accelerators.iter().enumerate() {
            let device = System::new(accelerator, assumed).device;
            if job.plan.offload.any() && device.host.is_none() {
                continue;
            }
            for precision in TRAINING_PRECISIONS.into_iter().filter(|format| device.peak(*format).is_some()) {
                for batch in &batches {
                    let recipe = TrainingRecipe { precision, batch: *batch, ..*job.recipe };
                    searches.push((place, (*accelerator).clone(), recipe));
                }
            }
        }
        searches.reverse();
        let plan = Plan { recompute_layers: None, ..*job.plan };
        let context = if job.recipe.sequence < LONG_SEQUENCE { "context " } else { "" };
        let fixed = format!("{context}{FIXED}");
        let scope = Scope { tensor: WIDEST_TENSOR, fixed, ..Scope::default() };
        let problem = PlanProblem { plan, ..PlanProblem::of(job, scope) };
        let size = searches.len();
        Self { problem, gpus: job.gpus, assumed, rows, searches, size }
    }

    /// Searches done, and searches in all.
    pub const fn progress(&self) -> (usize, usize) {
        (self.size - self.searches.len(), self.size)
    }

    /// Runs the next search: for the best plan of one machine, number format and batch.
    pub fn advance(&mut self) {
        let Some((place, accelerator, recipe)) = self.searches.pop() else { return };
        let system = System::new(&accelerator, self.assumed);
        let overheads = recipe.framework.overheads_on(&self.assumed, &accelerator);
        let problem = PlanProblem { system, recipe, overheads, ..self.problem.clone() };
        let Some(found) = Search::best(problem, self.gpus) else { return };
        let outcome = Outcome::of(&found, &recipe);
        let Some(row) = self.rows.get_mut(place) else { return };
        if row.best.is_none_or(|best| outcome.tokens_per_second_per_gpu > best.tokens_per_second_per_gpu) {
            row.best = Some(outcome);
        }
    }

    /// Results so far. Speed-ups compare plans of the same kind: the given plan with the first machine's given plan,
    /// the best with its best.
    pub fn generations(&self) -> Vec<Generation> {
        let mut rows = self.rows.clone();
        let rate = |outcome: Outcome| outcome.tokens_per_second_per_gpu;
        let (same, best) = rows.first().map_or((None, None), |first| (first.same, first.best));
        let over = |outcome: Option<Outcome>, of: Option<Outcome>| Some(rate(outcome?) / rate(of?));
        for row in &mut rows {
            row.same_speedup = over(row.same, same.or(best));
            row.best_speedup = over(row.best, best.or(same));
        }
        rows
    }

    /// Runs all searches in one call, for callers that show no progress.
    pub fn run(mut self) -> Vec<Generation> {
        while !self.searches.is_empty() {
            self.advance();
        }
        self.generations()
    }
}

/// Shares of a task's time by limiting resource on each accelerator that it fits, by the accelerator's name.
pub fn bindings(
    task: &Task<'_>,
    assumed: impl Into<Assumed>,
    accelerators: &[&Accelerator],
) -> Vec<(String, Shares)> {
    let assumed = assumed.into();
    let on = |accelerator: &&Accelerator| {
        let system = System::new(accelerator, assumed);
        task.time(&system).map(|_| (accelerator.name.clone(), task.binding(&system)))
    };
    accelerators.iter().filter_map(on).collect()
}

/// The job as given on a machine, which is also the best that is known at first.
fn on(job: &TrainingJob<'_>, assumed: Assumed, accelerator: &Accelerator) -> Generation {
    let system = System::new(accelerator, assumed);
    let overheads = job.recipe.framework.overheads_on(&assumed, accelerator);
    let same = outcome(&TrainingJob { system: &system, overheads, ..*job });
    let why_not = same.as_ref().err().cloned();
    let same = same.ok();
    Generation {
        accelerator: accelerator.id.clone(),
        name: accelerator.name.clone(),
        year: accelerator.year,
        same,
        same_speedup: None,
        best: same,
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
    if let Some(shortage) = memory.shortage() {
        return Err(shortage);
    }
    let found =
        Found { plan: *job.plan, gpus: job.gpus, step: job.step(), memory: memory.total(), published: None };
    Ok(Outcome::of(&found, job.recipe))
}

impl Outcome {
    fn of(found: &Found, recipe: &TrainingRecipe) -> Self {
        let tokens = f64::from(recipe.batch) * f64::from(recipe.sequence);
        Self {
            precision: recipe.precision,
            microbatch: found.plan.microbatch,
            recompute: found.plan.recompute,
            batch: recipe.batch,
            plan: found.plan,
            step: found.step,
            tokens_per_second_per_gpu: tokens / found.step.get() / f64::from(found.gpus),
            memory: found.memory,
        }
    }
}
