//! Training runs before a deadline: how many GPUs of which device, in which plan, and what they cost.
//!
//! A [`Search`] walks, on each device, through numbers of GPUs in powers of two, with the fastest plan at each, until the
//! smallest number is known that ends the run in time. Runs on it and on more GPUs are [`Run`]s; a device without one is
//! a [`Miss`].

mod search;
mod walk;

pub use search::Search;

use crate::catalog::Accelerator;
use crate::economics::{Bill, Economics};
use crate::plan::{Plan, Schedule};
use crate::search::{Found, Objective, PlanProblem, Scope};
use crate::training::TrainingRecipe;
use crate::units::{Bytes, Seconds};
use crate::workload::flops::ForwardFlops;

/// The largest number of GPUs that is tried.
pub const MOST_GPUS: u32 = 16_384;

/// The longest sequence whose plans have no context parallelism.
const LONG: u32 = 32_768;

/// A device, and the problem of the fastest plan on it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The device.
    pub accelerator: Accelerator,
    /// Model, system and recipe on the device, in the space of plans of [`scope`].
    pub problem: PlanProblem,
    /// Prices, energy and failures.
    pub economics: Economics,
    /// True if the time of a run includes failures and checkpoints.
    pub failures: bool,
}

/// A training run that ends before the deadline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Index of its device among the search's candidates.
    pub device: usize,
    /// The fastest plan on so many GPUs.
    pub found: Found,
    /// Time with what failures and checkpoints take, cost and energy of the whole run.
    pub bill: Bill,
    /// Model FLOPs over peak FLOPs of a step.
    pub mfu: f64,
}

/// A device on which no number of GPUs ends the run in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// Index of the device among the search's candidates.
    pub device: usize,
    /// Why it has no run.
    pub shortfall: Shortfall,
}

/// Why a device has no run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortfall {
    /// Its matrix units do not have the recipe's format.
    Format,
    /// No plan fits into memory.
    Memory {
        /// Memory per GPU of the plan that needs least.
        needs: Bytes,
        /// Memory of a GPU.
        has: Bytes,
    },
    /// No plan divides the batch, the layers and the model over so many GPUs.
    Plan,
    /// The run takes longer than the deadline on every number of GPUs.
    Deadline {
        /// GPUs of the fastest run.
        gpus: u32,
        /// Its time.
        time: Seconds,
    },
}

impl Candidate {
    /// The run with a plan.
    fn run(&self, device: usize, found: Found) -> Run {
        let time = self.problem.run(&found);
        let bill = self.economics.bill_if(self.failures, &self.accelerator, found.gpus, time);
        Run { device, found, bill, mfu: self.problem.mfu(&found) }
    }

    /// Returns true if the device multiplies the recipe's format.
    fn multiplies(&self) -> bool {
        self.problem.system.device.peak(self.problem.recipe.precision).is_some()
    }

    /// The number of GPUs, a power of two, that ends the run in time at a usual MFU.
    fn guess(&self, deadline: Seconds) -> u32 {
        const MFU: f64 = 0.4;
        let PlanProblem { architecture, recipe, system, .. } = &self.problem;
        let forward = ForwardFlops::of(architecture, f64::from(recipe.sequence));
        let sequences = recipe.tokens / f64::from(recipe.sequence);
        let alone: Seconds = forward.model() * sequences / system.device.rate(recipe.precision);
        let gpus = (alone / deadline / MFU).clamp(1.0, f64::from(MOST_GPUS));
        (libm::ceil(gpus) as u32).next_power_of_two()
    }
}

/// The space of plans that is searched at every number of GPUs: degrees of tensor, pipeline, data and expert parallelism,
/// microbatch, interleaving, recomputation and `ZeRO`, and context parallelism for long sequences. What it leaves out of
/// the Training view's space takes ten times as long to search, and makes steps of dense models up to a tenth faster.
pub fn scope(recipe: &TrainingRecipe) -> Scope {
    let context = if recipe.sequence > LONG { "" } else { " context" };
    let fixed = "context_kind tensor_kind sequence_parallel tensor_overlap recompute_layers schedule data_overlap offload";
    Scope { by: Objective::Time, fixed: format!("{fixed}{context}"), ..Scope::default() }
}

/// What plans of [`scope`] have in common.
pub fn plan() -> Plan {
    Plan { context: 1, sequence_parallel: true, schedule: Schedule::Alternating, ..Plan::usual() }
}
