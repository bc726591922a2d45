//! Traits of a scenario by which published rows are grouped and compared. They depend on the view: training or serving.

use crate::scenario::{Scenario, View};
use crate::system::Precision;

impl Scenario {
    /// Name of the serving or training software, without its version.
    pub fn software(&self) -> &'static str {
        match self.view {
            View::Inference => self.inference.engine.product().name(),
            _ => self.recipe.framework.name(),
        }
    }

    /// Number format of the served weights, or of the training recipe.
    pub(crate) const fn precision(&self) -> Precision {
        match self.view {
            View::Inference => self.inference.precision,
            _ => self.recipe.precision,
        }
    }

    /// Number of GPUs that serve or train.
    pub(crate) const fn gpus(&self) -> u32 {
        match self.view {
            View::Inference => self.inference.gpus(),
            _ => self.system.gpus,
        }
    }
}
