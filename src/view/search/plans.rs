//! The plans that a search has found so far.

use crate::catalog::Accelerator;
use crate::figure::Scaled;
use crate::order;
use crate::scenario::Scenario;
use crate::search::{Found, Nearest, Outcome, PlanProblem};

/// A question and the results of its search so far.
pub(super) struct Plans<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) question: &'a PlanProblem,
    /// The number of GPUs that was asked about, then others; never empty.
    pub(super) outcomes: &'a [Outcome],
    /// If no plan fits, the nearest numbers of GPUs with one that does, if they were searched.
    pub(super) nearest: Option<&'a Nearest>,
}

impl Plans<'_> {
    /// The number of GPUs that was asked about.
    pub(super) fn asked(&self) -> &Outcome {
        &self.outcomes[0]
    }

    /// A plan with its MFU and costs.
    pub(super) fn costed(&self, found: &Found, device: &Accelerator) -> Scaled {
        Scaled {
            found: *found,
            mfu: self.question.mfu(found),
            bill: self.scenario.bill(device, found.gpus, found.step),
        }
    }

    /// Days of the whole run with a plan.
    pub(super) fn days(&self, found: &Found) -> f64 {
        self.question.run(found).to_days()
    }

    /// The best plan of each number of GPUs on which one fits, fewest first.
    pub(super) fn scaled(&self, device: &Accelerator) -> Vec<Scaled> {
        let mut outcomes: Vec<&Outcome> = self.outcomes.iter().collect();
        order::sort(&mut outcomes, |a, b| a.gpus.cmp(&b.gpus));
        outcomes.iter().filter_map(|outcome| outcome.best()).map(|found| self.costed(found, device)).collect()
    }
}
