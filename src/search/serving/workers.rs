//! Workers that prefill and decode: their parallelism.

use super::problem::DeploymentProblem;
use crate::inference::InferenceLoad;

/// Maximum number of GPUs of a worker, if the scale-up domain has as many.
pub(crate) const LARGEST_WORKER: u32 = 16;

/// Sizes of workers with wide expert parallelism, in GPUs. Each GPU has one attention replica and a part of the experts.
pub(crate) const WIDE: [u32; 4] = [16, 32, 64, 72];

/// Maximum number of scale-up domains that the expert parts of a worker span.
const MOST_DOMAINS: u32 = 8;

/// Minimum fraction of a GPU's memory that the weights of half of a worker fill, for workers that span several domains.
/// Below a quarter, doubling the GPUs leaves each at most a sixth more memory for requests (7/8 instead of 3/4), and
/// communication between domains is slower than inside one.
const FILLED: f64 = 0.25;

/// Pipeline stages that are tried.
pub(crate) const STAGES: [u32; 3] = [1, 2, 4];

/// Parallelism of a worker of one stage: tensor group, attention replicas, expert parts.
pub(super) type Worker = (u32, u32, u32);

impl DeploymentProblem {
    /// Deployments of one worker that obey the laws, in each number format. Workers that span several scale-up domains are
    /// left out if half of their GPUs would serve almost as many requests ([`FILLED`]).
    pub(crate) fn whole_workers(&self) -> Vec<InferenceLoad> {
        let mut all = Vec::new();
        for formats in self.number_formats() {
            let plain = formats.on(&self.plain());
            for (tensor, data, expert) in self.workers() {
                for pipeline in STAGES {
                    all.push(InferenceLoad { tensor, pipeline, data, expert, ..plain });
                }
            }
        }
        let largest = self.largest_worker();
        all.retain(|load| load.worker_gpus() <= largest && self.allows(load));
        for formats in self.number_formats() {
            let plain = formats.on(&self.plain());
            let larger = self.wide_workers(&plain).into_iter().chain(self.piped_workers(&plain));
            all.extend(larger.filter(|load| self.allows(load) && self.fills(load)));
        }
        all
    }

    /// Decode workers with wide expert parallelism, for mixtures of experts, beside the prefill workers of `plain`.
    pub(crate) fn wide_decoders(&self, plain: &InferenceLoad) -> Vec<InferenceLoad> {
        let mut wide = self.wide_workers(&InferenceLoad { workers: 1, expert_gpus: 0, ..*plain });
        wide.retain(|load| self.allows(load) && self.fills(load) && self.job(load).has_room());
        wide
    }

    /// The load on one worker without a deployment.
    pub(super) const fn plain(&self) -> InferenceLoad {
        InferenceLoad { workers: 1, prefill_workers: 0, context: 1, ..self.load.resident() }
    }

    /// Maximum number of GPUs of a worker within a scale-up domain.
    pub(super) fn largest_worker(&self) -> u32 {
        self.system.network.domain.clamp(1, LARGEST_WORKER)
    }

    /// Workers with wide expert parallelism, for mixtures of experts: one attention replica per GPU, and the experts divided
    /// among all GPUs of one wide domain or of several whole domains.
    fn wide_workers(&self, plain: &InferenceLoad) -> Vec<InferenceLoad> {
        let (domain, within) = (self.system.network.domain, self.largest_worker());
        let sizes = WIDE.into_iter().filter(|gpus| {
            let spans =
                gpus.is_power_of_two() && gpus.is_multiple_of(domain) && gpus / domain <= MOST_DOMAINS;
            self.architecture.moe.is_some() && *gpus > within && (*gpus <= domain || spans)
        });
        sizes
            .map(|gpus| InferenceLoad { tensor: 1, pipeline: 1, data: gpus, expert: gpus, ..*plain })
            .collect()
    }

    /// Workers that span several domains by pipeline stages, each of which is a tensor group over a whole domain.
    fn piped_workers(&self, plain: &InferenceLoad) -> impl Iterator<Item = InferenceLoad> {
        let tensor = self.system.network.domain;
        let stages = STAGES.into_iter().filter(move |stages| *stages > 1 && tensor <= LARGEST_WORKER);
        stages.map(move |pipeline| InferenceLoad { tensor, pipeline, data: 1, expert: 1, ..*plain })
    }

    /// Returns true if a worker is within one domain, or if the weights of half of it fill at least [`FILLED`] of a GPU's
    /// memory.
    fn fills(&self, load: &InferenceLoad) -> bool {
        if load.worker_gpus() <= self.system.network.domain {
            return true;
        }
        let half = if load.pipeline > 1 {
            InferenceLoad { pipeline: load.pipeline / 2, ..*load }
        } else {
            InferenceLoad { data: load.data / 2, expert: load.expert / 2, ..*load }
        };
        let memory = self.job(&half).memory(0);
        memory.weights >= memory.capacity * FILLED
    }

    /// Parallelism of a worker of one stage: tensor group, attention replicas, expert parts.
    pub(crate) fn workers(&self) -> Vec<Worker> {
        let largest = self.largest_worker();
        let powers = || (0..=4).map(|power| 1_u32 << power).take_while(|size| *size <= largest);
        let sparse = self.architecture.moe.is_some();
        let mut workers = Vec::new();
        for tensor in powers() {
            for data in powers().filter(|data| tensor * data <= largest && (sparse || *data == 1)) {
                workers.push((tensor, data, 1));
                if sparse && tensor * data > 1 {
                    workers.push((tensor, data, tensor * data));
                }
            }
        }
        workers
    }
}
