//! The question whose deployments are searched for.

use crate::catalog::architecture::Architecture;
use crate::inference::{Draft, EngineOverheads, InferenceJob, InferenceLoad};
use crate::system::{Precision, System};

/// A serving load whose deployment is searched for.
#[derive(Clone, Debug)]
pub struct DeploymentProblem {
    /// The model.
    pub architecture: Architecture,
    /// The accelerator and its network.
    pub system: System,
    /// Requests and service levels, and the settings that are not part of a deployment.
    pub load: InferenceLoad,
    /// The format in which the model's weights are published.
    pub native: Precision,
    /// True if formats narrower than the load's are tried too.
    pub narrower: bool,
    /// True if 4-bit integer weights and an FP8 KV cache are tried too.
    pub quantized: bool,
    /// Formats of weights for which the engine has no kernels on the device: none of them is tried.
    pub unread: Vec<Precision>,
    /// Overheads of the serving engine.
    pub overheads: EngineOverheads,
    /// The draft model of speculative decoding, if one is named.
    pub draft: Option<Draft>,
}

impl DeploymentProblem {
    /// The question of a job.
    pub fn of(job: &InferenceJob<'_>) -> Self {
        Self {
            architecture: job.architecture.clone(),
            system: job.system.clone(),
            load: *job.load,
            native: job.load.precision,
            narrower: true,
            quantized: false,
            unread: Vec::new(),
            overheads: job.overheads,
            draft: job.draft,
        }
    }

    /// Returns true if a deployment breaks no law.
    pub(crate) fn allows(&self, load: &InferenceLoad) -> bool {
        let draft = self.draft.is_none_or(|draft| draft.check(load, &self.architecture).is_ok());
        draft && load.check(&self.architecture).is_ok()
    }

    /// The job of a deployment.
    pub(crate) fn job<'a>(&'a self, load: &'a InferenceLoad) -> InferenceJob<'a> {
        let Self { architecture, system, overheads, draft, .. } = self;
        InferenceJob { architecture, system, load, overheads: *overheads, draft: *draft }
    }
}
