//! The second GPU of a serving machine, where that is of another kind than the first.

use super::listed::{accelerators, unlisted};
use super::{NONE, Problem, Scenario, SystemChoice};
use crate::catalog::{self, Accelerator};
use crate::system::{AssumptionSet, System};

impl Scenario {
    /// The system of the second GPU: the catalogue's device under this question's assumption set, with its engine's rates.
    pub(super) fn second_gpu(&self) -> Result<Option<System>, Problem> {
        let second = self.system.second_device()?;
        Ok(second.map(|device| {
            let mut system = System::new(device, self.assumed());
            if self.assumptions == AssumptionSet::Calibrated {
                system.device.scale_halves(self.inference.engine.halves_share(device));
            }
            system
        }))
    }
}

impl SystemChoice {
    /// The catalogue entry of the second GPU; `None` without one.
    pub fn second_device(&self) -> Result<Option<&'static Accelerator>, Problem> {
        if self.second == NONE {
            return Ok(None);
        }
        let problem = || Problem::new("system.second", unlisted(&self.second, accelerators()));
        catalog::accelerator(&self.second).ok_or_else(problem).map(Some)
    }

    /// This machine without GPUs of another kind: a second one, or those of workers that only prefill.
    #[must_use]
    pub fn of_one_kind(&self) -> Self {
        Self { second: NONE.to_owned(), prefill: NONE.to_owned(), ..self.clone() }
    }
}
