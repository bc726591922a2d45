//! Disaggregated fleets: workers that prefill and workers that decode, each as many as a request rate needs.

use serde::{Deserialize, Serialize};

use super::Demand;
use super::fleet::MOST_REPLICAS;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::search::NumberFormats;
use crate::search::serving::DeploymentProblem;
use crate::serving::Service;
use crate::system::System;
use crate::units::Seconds;

/// Attempts to add workers until the service levels are met.
const ATTEMPTS: u32 = 8;

/// Workers that an attempt adds, as a fraction of those present.
const GROWTH: f64 = 0.1;

/// Most times that workers are counted for users with a think time: answers take about as long with more workers at a larger rate.
const RECOUNTS: u32 = 4;

/// Relative difference between two rates at which workers are not counted again.
const SETTLED: f64 = 1e-3;

/// Numbers of expert GPUs of a decode worker, beside which half as many, as many and twice as many GPUs of attention are tried.
const EXPERT_GPUS: [u32; 3] = [8, 16, 32];

/// Tensor groups of attention beside expert GPUs.
const ATTENTION_TENSOR: [u32; 2] = [1, 4];

/// Prefill workers of one kind that suffice for a request rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prefill {
    /// Their parallelism and number, with decode workers of the same kind.
    pub(super) load: InferenceLoad,
    /// Requests per second that each of them prefills within the TTFT limit.
    each: f64,
}

/// Decode workers of one kind that suffice for a request rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decode {
    /// Their parallelism and number, beside prefill workers.
    load: InferenceLoad,
    /// Requests per second that each of them decodes within the TPOT limit.
    each: f64,
}

/// Workers of one stage that have room for a request, in number formats: each kind as prefill and as decode workers. The
/// first value is the number of kinds tried.
pub(super) fn kinds(
    problem: &DeploymentProblem,
    formats: NumberFormats,
    demand: Demand,
) -> (usize, Vec<InferenceLoad>) {
    let plain = formats.on(&problem.load.resident());
    let rate = demand.first_rate(&plain);
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
    demand: Demand,
    prefill: &Prefill,
    decode: &[Decode],
) -> Vec<(InferenceLoad, Service)> {
    let pools = Pools { problem, system, demand, prefill };
    decode.iter().filter_map(|decode| pools.within_levels(pools.counted(decode)?)).collect()
}

/// Decode workers beside prefill workers, each kind with the fewest that keep TPOT within its limit: the kinds themselves, and
/// those of wide expert parallelism. The first value is the number of kinds tried.
pub(super) fn decoders(problem: &DeploymentProblem, kinds: &[InferenceLoad]) -> (usize, Vec<Decode>) {
    let wide = kinds.first().map_or_else(Vec::new, |kind| problem.wide_decoders(kind));
    let all = [kinds, &wide].concat();
    (all.len(), decoding(problem, &all))
}

/// The kinds with the fewest decode workers of each that keep TPOT within its limit.
pub(super) fn decoding(problem: &DeploymentProblem, kinds: &[InferenceLoad]) -> Vec<Decode> {
    kinds.iter().filter_map(|load| Decode::of(problem, load)).collect()
}

impl Prefill {
    /// The fewest prefill workers of a job's shape that keep TTFT within its limit.
    pub(super) fn of(job: &InferenceJob<'_>) -> Option<Self> {
        let load = job.load;
        let each = job.prefill_rate()? * f64::from(load.prefill_data);
        let workers = count(load.rate / each)?;
        Some(Self { load: InferenceLoad { prefill_workers: workers, ..*load }, each })
    }

    /// Requests per second that one of their GPUs prefills within the TTFT limit.
    pub(super) fn per_gpu(&self) -> f64 {
        self.each / f64::from(self.load.prefill_worker_gpus())
    }
}

impl Decode {
    /// The fewest decode workers of a load's shape that keep TPOT within its limit.
    fn of(problem: &DeploymentProblem, load: &InferenceLoad) -> Option<Self> {
        let [_, tpot, _] = load.limits();
        let each = problem.job(load).decode_rate(tpot)?;
        let workers = count(load.rate / each)?;
        Some(Self { load: InferenceLoad { workers, ..*load }, each })
    }
}

/// Prefill workers of one kind, beside which decode workers are counted for a load.
struct Pools<'a> {
    problem: &'a DeploymentProblem,
    /// The system of the decode workers, which names the prefill workers' device.
    system: &'a System,
    demand: Demand,
    prefill: &'a Prefill,
}

impl Pools<'_> {
    fn job<'a>(&'a self, load: &'a InferenceLoad) -> InferenceJob<'a> {
        InferenceJob { system: self.system, ..self.problem.job(load) }
    }

    /// As many workers of both kinds as the request rate needs. That of users with a think time follows from the time that these
    /// workers take to answer.
    fn counted(&self, decode: &Decode) -> Option<InferenceLoad> {
        let InferenceLoad { tensor, data, expert, expert_gpus, workers, .. } = decode.load;
        let mut load = InferenceLoad { tensor, data, expert, expert_gpus, workers, ..self.prefill.load };
        if self.demand.thinking.is_none() {
            return Some(load);
        }
        for _ in 0..RECOUNTS {
            let asked = self.demand.asked_at(load.rate, &load, &self.job(&load).service());
            if (asked / load.rate - 1.0).abs() <= SETTLED {
                break;
            }
            let (workers, prefill_workers) = (count(asked / decode.each)?, count(asked / self.prefill.each)?);
            load = InferenceLoad { rate: asked, workers, prefill_workers, ..load };
        }
        Some(load)
    }

    /// Adds workers until all service levels are met: prefill workers if TTFT is too long, else decode workers. `None` if more
    /// workers do not help.
    fn within_levels(&self, mut load: InferenceLoad) -> Option<(InferenceLoad, Service)> {
        for _ in 0..ATTEMPTS {
            let (carried, service) = self.demand.on(&self.job(&load), None, Seconds::new(f64::INFINITY))?;
            if self.job(&carried).keeps_up(carried.rate).is_ok() && carried.keeps(&service) {
                return Some((carried, service));
            }
            load = carried;
            let late = load.limits()[0].is_some_and(|limit| service.ttft > limit);
            let workers = if late { &mut load.prefill_workers } else { &mut load.workers };
            *workers = count(f64::from(*workers) * (1.0 + GROWTH) + 0.5)?;
        }
        None
    }
}

/// A number of workers, rounded up; `None` above the maximum.
fn count(workers: f64) -> Option<u32> {
    let workers = libm::ceil(workers).max(1.0);
    (workers <= MOST_REPLICAS).then_some(workers as u32)
}
