//! Tokens per second per GPU against tokens per second per user: the best deployments of each device generation.

use super::serving::{DeploymentProblem, Found};
use crate::catalog::Accelerator;
use crate::inference::InferenceLoad;
use crate::order;
use crate::serving::capacity::LoadAxis;
use crate::system::{Assumed, System};

/// Best deployments of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Offers {
    /// Catalogue id of the device.
    pub id: String,
    /// Name of the device.
    pub device: String,
    /// Deployments than which no other serves more per GPU and more per user, the fastest per user first.
    pub front: Vec<Found>,
}

/// Concurrent requests per worker that are tried.
const CONCURRENCIES: u32 = 11;

impl DeploymentProblem {
    /// Deployments of a device over tensor-parallel degrees of up to a domain and over numbers of concurrent requests.
    pub fn offers(&self, accelerator: &Accelerator, assumed: impl Into<Assumed>) -> Offers {
        let question = Self { system: System::new(accelerator, assumed), ..self.clone() };
        let mut all = Vec::new();
        for (tensor, data, expert) in question.workers() {
            let (workers, prefill_workers, context, pipeline) = (1, 0, 1, 1);
            let worker = InferenceLoad {
                tensor,
                context,
                pipeline,
                data,
                expert,
                workers,
                prefill_workers,
                ..question.load.resident()
            };
            if !question.allows(&worker) {
                continue;
            }
            all.extend(question.over_loads(&worker));
        }
        Offers { id: accelerator.id.clone(), device: accelerator.name.clone(), front: front(all) }
    }

    /// A deployment at 1, 2, 4 … concurrent requests, up to what fits in memory.
    pub fn over_loads(&self, worker: &InferenceLoad) -> impl Iterator<Item = Found> {
        (0..CONCURRENCIES).map_while(|power| {
            let load = worker.at(LoadAxis::Concurrency, f64::from(1_u32 << power));
            let job = self.job(&load);
            let room = job.room() >= f64::from(load.concurrency);
            room.then(|| Found { load, service: job.service() })
        })
    }
}

/// The Pareto front of deployments in speed per user and throughput per GPU, fastest per user first.
pub fn front(mut all: Vec<Found>) -> Vec<Found> {
    order::sort(&mut all, |a, b| {
        b.per_user().total_cmp(&a.per_user()).then(b.per_gpu().total_cmp(&a.per_gpu()))
    });
    let mut best = 0.0;
    all.retain(|found| {
        let more = found.per_gpu() > best;
        if more {
            best = found.per_gpu();
        }
        more
    });
    all
}
