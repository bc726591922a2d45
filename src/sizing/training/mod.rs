//! Sizing of a training run: for each device, the number of GPUs and the parallelism plan that meet a deadline, and the
//! cost.
//!
//! For each device, a [`Search`] tries powers of two of GPUs, with the fastest plan at each, until it knows the
//! smallest number that meets the deadline. Runs on this number and on more GPUs are [`Run`]s; a device without a run
//! is a [`Miss`].

mod search;
mod walk;

pub use search::Search;

use crate::catalog::Accelerator;
use crate::economics::{Bill, Economics};
use crate::plan::{Plan, Schedule};
use crate::search::{Found, Objective, PlanProblem, Scope};
use crate::training::TrainingRecipe;
use crate::units::{Bytes, Seconds};
use crate::workload::Recompute;

/// The largest number of GPUs that is tried.
pub const MOST_GPUS: u32 = 16_384;

/// Sequence length, tokens, above which plans with context parallelism are searched.
const LONG: u32 = 32_768;

/// A device, with the search problem of the fastest plan on it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The device.
    pub accelerator: Accelerator,
    /// Model, system and recipe on the device, in the space of plans of [`scope`].
    pub problem: PlanProblem,
    /// Assumptions about prices, energy and failures.
    pub economics: Economics,
    /// True if the time of a run includes failures and checkpoints.
    pub failures: bool,
}

/// A training run that ends before the deadline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Index of its device among the search's candidates.
    pub device: usize,
    /// The number of GPUs and the fastest plan on them.
    pub found: Found,
    /// Duration (including failures and checkpoints if they are modelled), cost and energy of the whole run.
    pub bill: Bill,
    /// Model FLOPs utilisation (MFU) of a step, as a fraction.
    pub mfu: f64,
}

/// A device on which no number of GPUs ends the run in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// Index of the device among the search's candidates.
    pub device: usize,
    /// Reason why the device has no run.
    pub shortfall: Shortfall,
}

/// Reasons why a device has no run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortfall {
    /// The device's matrix units do not support the recipe's number format.
    Format,
    /// No plan fits into memory.
    Memory {
        /// Memory per GPU of the plan with the smallest need.
        needs: Bytes,
        /// Usable memory of a GPU.
        has: Bytes,
    },
    /// No number of GPUs divides the batch, the layers and the groups.
    Plan,
    /// The run misses the deadline on every number of GPUs.
    Deadline {
        /// Number of GPUs of the fastest run.
        gpus: u32,
        /// Duration of the fastest run.
        time: Seconds,
    },
}

impl Candidate {
    /// The run with a given plan, with its duration, cost and MFU.
    fn run(&self, device: usize, found: Found) -> Run {
        let time = self.problem.run(&found);
        let checkpoint = self.failures.then(|| self.problem.recipe.checkpoint(&self.problem.architecture));
        let bill = self.economics.bill(&self.accelerator, found.gpus, time, checkpoint);
        Run { device, found, bill, mfu: self.problem.mfu(&found) }
    }

    /// Search problem of the plans near a found one, which differ in tensor, context and pipeline degrees, interleaving,
    /// schedule and recomputed layers. `None` if the plan divides and recomputes nothing.
    fn around(&self, found: &Found) -> Option<PlanProblem> {
        let Plan { tensor, pipeline, context, recompute, .. } = found.plan;
        let divides = tensor > 1 || pipeline > 1 || context > 1 || recompute == Recompute::Full;
        divides.then(|| {
            let scope = Scope { fixed: KEPT.to_owned(), ..self.problem.scope.clone() };
            PlanProblem { plan: found.plan, scope, ..self.problem.clone() }
        })
    }

    /// Returns true if the device's matrix units support the recipe's number format.
    fn multiplies(&self) -> bool {
        self.problem.system.device.peak(self.problem.recipe.precision).is_some()
    }

    /// First number of GPUs to try: the power of two that meets the deadline at an MFU of 40 %.
    fn guess(&self, deadline: Seconds) -> u32 {
        const MFU: f64 = 0.4;
        let PlanProblem { architecture, recipe, system, .. } = &self.problem;
        let forward = recipe.forward(architecture);
        let sequences = recipe.tokens / f64::from(recipe.sequence);
        let alone: Seconds = recipe.model_flops(&forward) * sequences / system.device.rate(recipe.precision);
        let gpus = (alone / deadline / MFU).clamp(1.0, f64::from(MOST_GPUS));
        (libm::ceil(gpus) as u32).next_power_of_two()
    }
}

/// Axes that [`Candidate::around`] fixes.
const KEPT: &str = "context_kind tensor_kind expert expert_tensor microbatch sequence_parallel tensor_overlap recompute zero \
                    data_overlap offload";

/// The plans that are searched first at every number of GPUs: degrees of tensor, pipeline, data and expert parallelism,
/// microbatch, interleaving, recomputation and `ZeRO`, and context parallelism for long sequences. Then the search goes on
/// around the fastest of these. The full space of the Training view would take ten times as long.
pub fn scope(recipe: &TrainingRecipe) -> Scope {
    let context = if recipe.sequence > LONG { "" } else { " context" };
    let fixed = "context_kind tensor_kind sequence_parallel tensor_overlap recompute_layers schedule data_overlap offload";
    Scope { by: Objective::Time, fixed: format!("{fixed}{context}"), ..Scope::default() }
}

/// Values of the plan settings that [`scope`] fixes.
pub fn plan() -> Plan {
    Plan { context: 1, sequence_parallel: true, schedule: Schedule::Alternating, ..Plan::usual() }
}
