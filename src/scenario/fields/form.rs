//! The forms of the page, each of which has some of the fields.

use crate::scenario::{Scenario, View};
use crate::sizing::SizingJob;

/// The form of a view and, in the Sizing view, of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The view.
    pub view: View,
    /// Job of the Sizing view.
    pub job: SizingJob,
}

impl Form {
    /// The form of a question.
    pub const fn of(scenario: &Scenario) -> Self {
        Self { view: scenario.view, job: scenario.sizing.job }
    }
}
