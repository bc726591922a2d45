//! The GPU of another kind in a machine that serves.

use super::resolve::{accelerators, unlisted};
use super::{NONE, Problem, Scenario, SystemChoice};
use crate::catalog::{self, Accelerator};
use crate::system::{Assumptions, System};

impl Scenario {
    /// The GPU of another kind in the machine, with the catalogue's figures and this question's set of assumptions.
    pub(super) fn second_gpu(&self) -> Result<Option<System>, Problem> {
        let second = self.system.second_device()?;
        Ok(second.map(|device| {
            let assumptions = Assumptions::of(self.assumptions, device);
            System::with(device, assumptions.corrected(self.assumed().applied()))
        }))
    }
}

impl SystemChoice {
    /// The GPU of another kind in the machine.
    pub fn second_device(&self) -> Result<Option<&'static Accelerator>, Problem> {
        if self.second == NONE {
            return Ok(None);
        }
        let problem = || Problem::new("system.second", unlisted(&self.second, accelerators()));
        catalog::accelerator(&self.second).ok_or_else(problem).map(Some)
    }

    /// This machine without a GPU of another kind.
    #[must_use]
    pub fn of_one_kind(&self) -> Self {
        Self { second: NONE.to_owned(), ..self.clone() }
    }
}
