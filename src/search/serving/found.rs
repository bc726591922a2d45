//! A deployment that is found, at its largest load.

use super::problem::DeploymentProblem;
use crate::inference::InferenceLoad;
use crate::serving::capacity::LoadAxis;
use crate::serving::{LoadPoint, Service};

/// A deployment that meets the levels, at its largest load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The deployment with its load.
    pub load: InferenceLoad,
    /// TTFT, TPOT and throughput at that load.
    pub service: Service,
}

impl Found {
    /// Output tokens per second per GPU.
    pub fn per_gpu(&self) -> f64 {
        self.service.tokens_per_second / f64::from(self.load.gpus())
    }

    /// Output tokens per second that each request gets.
    pub fn per_user(&self) -> f64 {
        1.0 / self.service.tpot.get()
    }

    /// The deployment in a line, without what it does not use.
    pub fn name(&self) -> String {
        self.load.deployment()
    }
}

/// Why a deployment meets the levels at no load.
pub(super) enum Unfit {
    /// Its weights leave no memory for a request.
    TooLarge,
    /// It misses the levels under every load.
    TooSlow,
}

impl DeploymentProblem {
    /// A deployment at the largest load that meets the levels.
    pub(super) fn load(&self, load: &InferenceLoad) -> Result<Found, Unfit> {
        let job = self.job(load);
        if !job.has_room() {
            return Err(Unfit::TooLarge);
        }
        let LoadPoint { load: most, service } = job.largest_load().ok_or(Unfit::TooSlow)?;
        let axis = load.axis();
        Ok(Found {
            load: load.at(axis, if axis == LoadAxis::Rate { most } else { libm::round(most) }),
            service,
        })
    }
}
