//! One dimension of the space of plans.

use super::scope::Scope;
use crate::plan::Plan;
use crate::training::TrainingJob;

/// One dimension of the space of plans. Values are numbers: degrees themselves, and indices of choices.
#[derive(Clone, Copy, Debug)]
pub struct PlanAxis {
    /// The name of the plan's field.
    pub id: &'static str,
    /// Label on the page.
    pub name: &'static str,
    /// The value that a plan has.
    pub get: fn(&Plan) -> u32,
    /// Gives a plan a value.
    pub set: fn(&mut Plan, u32),
    /// Formats a value for display.
    pub show: fn(u32) -> String,
    /// Values to try, in their order.
    pub(super) candidates: fn(&TrainingJob<'_>, &Scope) -> Vec<u32>,
    /// True if every value gives a plan that is, in time and memory, no better than the first one does. It may depend
    /// on axes before this one.
    pub(super) moot: fn(&TrainingJob<'_>) -> bool,
    /// True if the first value needs no more memory than any other, and breaks no law that others keep.
    pub(super) lean: bool,
}

impl PlanAxis {
    /// Values to try: those of the job's plan alone where the scope fixes this axis.
    pub(super) fn values(&self, job: &TrainingJob<'_>, scope: &Scope) -> Vec<u32> {
        if scope.fixes(self.id) { vec![(self.get)(job.plan)] } else { (self.candidates)(job, scope) }
    }

    /// Returns true if a value other than the first makes no plan better.
    pub(super) fn is_moot(&self, job: &TrainingJob<'_>) -> bool {
        (self.moot)(job)
    }
}
