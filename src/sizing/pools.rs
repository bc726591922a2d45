//! Disaggregated fleets: workers that prefill and workers that decode, each as many as a request rate needs.

use serde::{Deserialize, Serialize};

use super::fleet::MOST_REPLICAS;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::search::NumberFormats;
use crate::search::serving::DeploymentProblem;
use crate::serving::Service;
use crate::system::System;

/// Attempts to add workers until the service levels are met.
const ATTEMPTS: u32 = 8;

/// Workers that an attempt adds, as a fraction of those present.
const GROWTH: f64 = 0.1;

/// Numbers of expert GPUs of a decode worker, beside which half as many, as many and twice as many GPUs of attention are tried.
const EXPERT_GPUS: [u32; 3] = [8, 16, 32];

/// Tensor groups of attention beside expert GPUs.
const ATTENTION_TENSOR: [u32; 2] = [1, 4];

/// Prefill workers of one kind that suffice for a request rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prefill {
    /// Their parallelism and number, with decode workers of the same kind.
    pub(super) load: InferenceLoad,
    /// Requests per second that one of their GPUs prefills within the TTFT limit.
    pub(super) per_gpu: f64,
}

/// Workers of one stage that have room for a request, in number formats: each kind as prefill and as decode workers. The
/// first value is the number of kinds tried.
pub(super) fn kinds(
    problem: &DeploymentProblem,
    formats: NumberFormats,
    rate: f64,
) -> (usize, Vec<InferenceLoad>) {
    let plain = formats.on(&problem.load.resident());
    let of = |(tensor, data, expert): (u32, u32, u32)| InferenceLoad {
        tensor,
        data,
        expert,
        workers: 1,
        prefill_workers: 1,
        prefill_tensor: tensor,
        prefill_data: data,
        prefill_expert: expert,
        context: 1,
        pipeline: 1,
        rate,
        concurrency: 0,
        requests: 0,
        ..plain
    };
    let mut kinds: Vec<InferenceLoad> = problem.workers().into_iter().map(of).collect();
    let tried = kinds.len();
    kinds.retain(|load| problem.allows(load) && problem.job(load).has_room());
    (tried, kinds)
}

/// Decode workers with GPUs for attention and others for experts that have room for a request, for mixtures of experts, beside
/// prefill workers as given.
pub(super) fn alternating(problem: &DeploymentProblem, prefill: &InferenceLoad) -> Vec<InferenceLoad> {
    let mut kinds = Vec::new();
    for expert_gpus in EXPERT_GPUS {
        for attention in [expert_gpus / 2, expert_gpus, 2 * expert_gpus] {
            for tensor in ATTENTION_TENSOR.into_iter().filter(|tensor| *tensor <= attention) {
                let data = attention / tensor;
                kinds.push(InferenceLoad { tensor, data, expert: 1, expert_gpus, workers: 1, ..*prefill });
            }
        }
    }
    kinds.retain(|load| problem.allows(load) && problem.job(load).has_room());
    kinds
}

/// The kinds with the fewest prefill workers of each that keep TTFT within its limit.
pub(super) fn prefilling(problem: &DeploymentProblem, kinds: &[InferenceLoad]) -> Vec<Prefill> {
    kinds.iter().filter_map(|load| Prefill::of(&problem.job(load))).collect()
}

/// Disaggregated fleets that carry the load within the service levels: prefill workers of one kind, with each kind of decode
/// worker, and their service. `system` is that of the decode workers, which names the prefill workers' device.
pub(super) fn fleets(
    problem: &DeploymentProblem,
    system: &System,
    prefill: &Prefill,
    decode: &[InferenceLoad],
) -> Vec<(InferenceLoad, Service)> {
    let whole = |kind: &InferenceLoad| {
        let InferenceLoad { tensor, data, expert, expert_gpus, workers, .. } = *kind;
        let load = InferenceLoad { tensor, data, expert, expert_gpus, workers, ..prefill.load };
        within_levels(problem, system, load)
    };
    decode.iter().filter_map(whole).collect()
}

/// Decode workers beside prefill workers, each kind with the fewest that keep TPOT within its limit: the kinds themselves, and
/// those of wide expert parallelism. The first value is the number of kinds tried.
pub(super) fn decoders(problem: &DeploymentProblem, kinds: &[InferenceLoad]) -> (usize, Vec<InferenceLoad>) {
    let wide = kinds.first().map_or_else(Vec::new, |kind| problem.wide_decoders(kind));
    let all = [kinds, &wide].concat();
    (all.len(), decoding(problem, &all))
}

/// The kinds with the fewest decode workers of each that keep TPOT within its limit.
pub(super) fn decoding(problem: &DeploymentProblem, kinds: &[InferenceLoad]) -> Vec<InferenceLoad> {
    kinds.iter().filter_map(|load| with_decode_workers(problem, load)).collect()
}

impl Prefill {
    /// The fewest prefill workers of a job's shape that keep TTFT within its limit.
    pub(super) fn of(job: &InferenceJob<'_>) -> Option<Self> {
        let load = job.load;
        let each = job.prefill_rate()? * f64::from(load.prefill_data);
        let workers = count(load.rate / each)?;
        let per_gpu = each / f64::from(load.prefill_worker_gpus());
        Some(Self { load: InferenceLoad { prefill_workers: workers, ..*load }, per_gpu })
    }
}

/// A load with the fewest decode workers of its shape that keep TPOT within its limit.
fn with_decode_workers(problem: &DeploymentProblem, load: &InferenceLoad) -> Option<InferenceLoad> {
    let [_, tpot, _] = load.limits();
    let workers = count(load.rate / problem.job(load).decode_rate(tpot)?)?;
    Some(InferenceLoad { workers, ..*load })
}

/// Adds workers until all service levels are met: prefill workers if TTFT is too long, else decode workers. `None` if more
/// workers do not help.
fn within_levels(
    problem: &DeploymentProblem,
    system: &System,
    mut load: InferenceLoad,
) -> Option<(InferenceLoad, Service)> {
    for _ in 0..ATTEMPTS {
        let job = InferenceJob { system, ..problem.job(&load) };
        let service = job.service();
        if job.keeps_up(load.rate).is_ok() && load.keeps(&service) {
            return Some((load, service));
        }
        let late = load.limits()[0].is_some_and(|limit| service.ttft > limit);
        let workers = if late { &mut load.prefill_workers } else { &mut load.workers };
        *workers = count(f64::from(*workers) * (1.0 + GROWTH) + 0.5)?;
    }
    None
}

/// A number of workers, rounded up; `None` above the maximum.
fn count(workers: f64) -> Option<u32> {
    let workers = libm::ceil(workers).max(1.0);
    (workers <= MOST_REPLICAS).then_some(workers as u32)
}
