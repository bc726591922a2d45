//! A device among those that a search compares.

use std::borrow::Cow;

use crate::catalog::Accelerator;
use crate::economics::{Economics, ServedUse};
use crate::inference::InferenceJob;
use crate::search::serving::DeploymentProblem;
use crate::system::{Fabric, System};

/// A device, with the search problem of the deployments on it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The device.
    pub accelerator: Accelerator,
    /// Model, system and load on the device.
    pub problem: DeploymentProblem,
    /// The fabric of its question.
    pub fabric: Fabric,
    /// Prices of the device, and their terms.
    pub economics: Economics,
    /// True if the device is as the catalogue has it, so that prefill workers on it can be named beside decode workers on
    /// another.
    pub listed: bool,
}

impl Candidate {
    /// Utilisation of this device by a job on it.
    pub(super) fn used(&self, job: &InferenceJob<'_>) -> ServedUse {
        ServedUse::of(&self.accelerator, &job.estimate())
    }

    /// The system of decode workers on this device, with prefill workers on the other if there is one.
    pub fn system(&self, prefill: Option<&Self>) -> Cow<'_, System> {
        let own = &self.problem.system;
        let Some(prefill) = prefill else { return Cow::Borrowed(own) };
        let mut there = prefill.problem.system.clone();
        there.network = there.network.in_fabric(&self.fabric);
        Cow::Owned(System { prefill: Some(Box::new(there)), ..own.clone() })
    }
}
