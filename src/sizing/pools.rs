//! Disaggregated fleets: workers that prefill and workers that decode, each as many as a request rate needs.

use super::search::MOST_REPLICAS;
use crate::inference::InferenceLoad;
use crate::search::serving::DeploymentProblem;
use crate::system::Precision;

/// Attempts to add workers until the service levels are met.
const ATTEMPTS: u32 = 8;

/// Workers that an attempt adds, as a fraction of those present.
const GROWTH: f64 = 0.1;

/// Disaggregated fleets in a number format that carry `rate` requests per second within the service levels: the prefill
/// workers that take the fewest GPUs, with every kind of decode worker. The first value is the number of deployments tried.
pub(super) fn disaggregated(
    problem: &DeploymentProblem,
    precision: Precision,
    rate: f64,
) -> (usize, Vec<InferenceLoad>) {
    let of = |(tensor, data, expert): (u32, u32, u32)| InferenceLoad {
        precision,
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
        ..problem.load.resident()
    };
    let alike: Vec<InferenceLoad> = problem.workers().into_iter().map(of).collect();
    let mut kept: Vec<&InferenceLoad> = alike.iter().collect();
    kept.retain(|load| problem.allows(load) && problem.job(load).has_room());
    let prefill = kept.iter().filter_map(|load| with_prefill_workers(problem, load, rate));
    let gpus = |load: &InferenceLoad| {
        load.prefill_workers.saturating_mul(load.prefill_tensor.saturating_mul(load.prefill_data))
    };
    let Some(prefill) = prefill.min_by_key(|load| (gpus(load), load.prefill_workers)) else {
        return (alike.len(), Vec::new());
    };
    let whole = |load: &&InferenceLoad| {
        let InferenceLoad { tensor, data, expert, .. } = **load;
        let load = InferenceLoad { tensor, data, expert, ..prefill };
        with_decode_workers(problem, &load, rate).and_then(|load| within_levels(problem, load))
    };
    (alike.len() + kept.len(), kept.iter().filter_map(whole).collect())
}

/// A load with the fewest prefill workers of its shape that keep TTFT within its limit.
fn with_prefill_workers(
    problem: &DeploymentProblem,
    load: &InferenceLoad,
    rate: f64,
) -> Option<InferenceLoad> {
    let (job, prefilling) = (problem.job(load), load.prefilling());
    let [ttft, ..] = load.limits();
    let each = job.reader(&prefilling).prefill_rate(ttft, job.transfer())?;
    let workers = count(rate / (each * f64::from(load.prefill_data)))?;
    Some(InferenceLoad { prefill_workers: workers, ..*load })
}

/// A load with the fewest decode workers of its shape that keep TPOT within its limit.
fn with_decode_workers(
    problem: &DeploymentProblem,
    load: &InferenceLoad,
    rate: f64,
) -> Option<InferenceLoad> {
    let [_, tpot, _] = load.limits();
    let workers = count(rate / problem.job(load).decode_rate(tpot)?)?;
    Some(InferenceLoad { workers, ..*load })
}

/// Adds workers until all service levels are met: prefill workers if TTFT is too long, else decode workers. `None` if more
/// workers do not help.
fn within_levels(problem: &DeploymentProblem, mut load: InferenceLoad) -> Option<InferenceLoad> {
    for _ in 0..ATTEMPTS {
        let job = problem.job(&load);
        let service = job.service();
        if job.keeps_up(load.rate).is_ok() && load.keeps(&service) {
            return Some(load);
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
