//! A side of a comparison, and the end of the waterfall to which it leads.

use serde::Serialize;

use crate::catalog::Accelerator;
use crate::plan::Plan;
use crate::training::TrainingRecipe;
use crate::units::Seconds;

/// A device, and how a job is run on it.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The device and its network.
    pub accelerator: &'a Accelerator,
    /// The given parallelism plan.
    pub plan: Plan,
    /// Training recipe.
    pub recipe: TrainingRecipe,
    /// GPUs.
    pub gpus: u32,
}

/// One end of a waterfall.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// Name of the device.
    pub name: String,
    /// The parallelism plan.
    pub plan: Plan,
    /// Step time.
    pub step: Seconds,
    /// Tokens per second per GPU.
    pub tokens_per_second_per_gpu: f64,
}
