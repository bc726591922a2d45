//! The device of workers that only prefill, where it is another one than the question's.

use super::listed::{accelerators, unlisted};
use super::{Choice, NONE, Problem, Scenario, SystemChoice, View};
use crate::catalog::{self, Accelerator};
use crate::economics::TokenBill;
use crate::inference::InferenceLoad;
use crate::serving::InferenceEstimate;
use crate::system::{AssumptionSet, System};

impl Scenario {
    /// The device of a load's prefill workers; `None` without prefill workers, or if they run on the question's own device.
    pub fn prefill_device(&self, load: &InferenceLoad) -> Option<&'static Accelerator> {
        self.named_prefill_device().ok().flatten().filter(|_| load.prefill_workers > 0)
    }

    fn named_prefill_device(&self) -> Result<Option<&'static Accelerator>, Problem> {
        let named = &self.system.prefill;
        if named == NONE || self.view != View::Inference {
            return Ok(None);
        }
        let problem = || Problem::new("system.prefill", unlisted(named, accelerators()));
        catalog::accelerator(named).ok_or_else(problem).map(Some)
    }

    /// Cost and energy of tokens at the served load; `None` if a device is unknown.
    pub fn token_bill(&self, estimate: &InferenceEstimate) -> Option<TokenBill> {
        let (own, load) = (self.system.accelerator().ok()?, &self.inference);
        Some(self.economics.tokens(&own, self.prefill_device(load), load, estimate))
    }

    /// Returns true if the question's device, its fabric and its price are those of the catalogue, so that `system.prefill` can
    /// name it.
    pub(super) fn is_listed(&self) -> bool {
        let named = SystemChoice {
            accelerator: self.system.accelerator.clone(),
            gpus: self.system.gpus,
            ..SystemChoice::default()
        };
        let catalogued = matches!(self.system.accelerator, Choice::Named(_)) && self.system == named;
        catalogued && self.economics == self.economics.listed()
    }

    /// The system of the prefill workers' device in this question's fabric, with its engine's rates.
    pub(super) fn prefill_system(&self) -> Result<Option<System>, Vec<Problem>> {
        let named = self.named_prefill_device().map_err(|problem| vec![problem])?;
        let Some(device) = named else { return Ok(None) };
        let mut system = self.system_of(device)?;
        if self.assumptions == AssumptionSet::Calibrated {
            system.device.scale_halves(self.inference.engine.halves_share(device));
        }
        Ok(Some(system))
    }
}
