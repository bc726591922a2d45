//! The software that a scenario runs in, by which published rows are grouped.

use crate::scenario::{Scenario, View};

impl Scenario {
    /// Name of the serving or training software, without its version.
    pub fn software(&self) -> &'static str {
        match self.view {
            View::Inference => self.inference.engine.product().name(),
            _ => self.recipe.framework.name(),
        }
    }
}
