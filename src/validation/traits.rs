//! Traits of a scenario by which published rows are grouped and compared. They depend on the view: training or serving.

use super::Family;
use crate::generations::TaskKind;
use crate::scenario::{Scenario, Trait, View};
use crate::sizing::SizingJob;
use crate::system::Precision;
use crate::words::Word;

impl Scenario {
    /// Returns true if the question is about serving, false if it is about training.
    pub(crate) fn serves(&self) -> bool {
        match self.view {
            View::Inference => true,
            View::Sizing => self.sizing.job == SizingJob::Serve,
            View::Technology => self.technology.task != TaskKind::Training,
            View::Training | View::Search | View::Generations | View::Papers | View::Validation => false,
        }
    }

    /// Name of the serving or training software, without its version.
    pub fn software(&self) -> &'static str {
        if self.serves() { self.inference.engine.product().name() } else { self.recipe.framework.name() }
    }

    /// The software's word in links and documents.
    pub(crate) fn software_word(&self) -> &'static str {
        if self.serves() { self.inference.engine.product().word() } else { self.recipe.framework.word() }
    }

    /// Number format of the served weights, or of the training recipe.
    pub(crate) const fn precision(&self) -> Precision {
        if matches!(self.view, View::Inference) { self.inference.precision } else { self.recipe.precision }
    }

    /// Returns true if a trait of published rows has this value for the scenario. A scenario has neither a source nor the name that a
    /// publication gives to its number format.
    pub(crate) fn has_trait(&self, by: Trait, value: &str) -> bool {
        let device = self.system.accelerator().ok();
        match by {
            Trait::Source | Trait::Precision => false,
            Trait::Device => device.is_some_and(|device| device.id == value),
            Trait::Generation => device.is_some_and(|device| device.architecture == value),
            Trait::Family => self.architecture().is_ok_and(|model| Family::of(model).name() == value),
            Trait::Software => self.software() == value,
            Trait::Bits => self.precision().operand_bits().to_string() == value,
        }
    }

    /// Number of GPUs that serve or train.
    pub(crate) const fn gpus(&self) -> u32 {
        if matches!(self.view, View::Inference) { self.inference.gpus() } else { self.system.gpus }
    }
}
