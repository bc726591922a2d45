//! A training job whose plan is searched for.

use super::stopped::deepest;
use super::{AXES, Cursor, Found, Reason, Scope, Space};
use crate::catalog::architecture::Architecture;
use crate::plan::Plan;
use crate::system::System;
use crate::training::{FrameworkOverheads, Memo, TrainingJob, TrainingRecipe};
use crate::units::{Bytes, Seconds};

/// A training job whose plan is searched for.
#[derive(Clone, Debug)]
pub struct PlanProblem {
    /// The model.
    pub architecture: Architecture,
    /// The accelerator and its network.
    pub system: System,
    /// Batch, sequence length, formats and framework.
    pub recipe: TrainingRecipe,
    /// Overheads of the training framework.
    pub overheads: FrameworkOverheads,
    /// Values of fixed axes and of settings that are no axes.
    pub plan: Plan,
    /// Objective and limits.
    pub scope: Scope,
}

impl PlanProblem {
    /// The question of a job.
    pub fn of(job: &TrainingJob<'_>, scope: Scope) -> Self {
        Self {
            architecture: job.architecture.clone(),
            system: job.system.clone(),
            recipe: *job.recipe,
            overheads: job.overheads,
            plan: *job.plan,
            scope,
        }
    }

    /// The job that a plan makes of it.
    pub fn job<'a>(&'a self, plan: &'a Plan, gpus: u32) -> TrainingJob<'a> {
        TrainingJob {
            architecture: &self.architecture,
            system: &self.system,
            plan,
            recipe: &self.recipe,
            gpus,
            overheads: self.overheads,
        }
    }

    /// Model FLOPs over peak FLOPs of a plan.
    pub fn mfu(&self, found: &Found) -> f64 {
        let forward = self.recipe.forward(&self.architecture);
        let peak = self.system.device.rate(self.recipe.precision) * f64::from(found.gpus);
        self.recipe.model_flops(&forward) * f64::from(self.recipe.batch) / found.step / peak
    }

    /// Time of the whole run with a plan: its steps, without failures and checkpoints.
    pub fn run(&self, found: &Found) -> Seconds {
        found.step * self.recipe.steps()
    }

    /// Memory of a GPU that a plan may use.
    pub fn limit(&self) -> Bytes {
        self.system.device.capacity * self.scope.memory
    }

    /// The space of plans on `gpus` GPUs.
    pub fn space(&self, gpus: u32) -> Space {
        Space::of(&self.job(&self.plan, gpus), &self.scope)
    }

    /// The reason why a plan is infeasible and the axis whose current value excludes all plans behind it; otherwise the
    /// plan's memory.
    pub(super) fn check(
        &self,
        cursor: &Cursor,
        gpus: u32,
        memo: &mut Memo,
    ) -> Result<Bytes, (Reason, usize)> {
        let plan = &cursor.plan;
        let job = self.job(plan, gpus);
        if let Some(axis) = cursor.moot(&job) {
            return Err((Reason::Same, axis));
        }
        plan.check(&self.architecture, gpus, self.recipe.batch, self.recipe.sequence)
            .and_then(|()| plan.check_placement(gpus, self.system.network.domain))
            .map_err(|law| (Reason::Law(law), deepest(&law, plan, gpus)))?;
        let memory = memo.memory(&job);
        if memory > self.limit() {
            return Err((Reason::Memory(memory), AXES.len() - 1));
        }
        Ok(memory)
    }
}
