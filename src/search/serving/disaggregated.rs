//! Disaggregated deployments, whose prompts are prefilled on workers of their own.

use super::problem::DeploymentProblem;
use super::workers::Worker;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::search::NumberFormats;
use crate::units::Seconds;

/// Workers that prefill for workers that decode.
const RATIOS: [(u32, u32); 7] = [(1, 4), (1, 2), (2, 3), (1, 1), (3, 2), (2, 1), (4, 1)];

impl DeploymentProblem {
    /// Disaggregated deployments. `readers` selects the prefill workers for number formats.
    pub(super) fn separate(
        &self,
        readers: impl Fn(NumberFormats, &[Worker]) -> Vec<Worker>,
    ) -> Vec<InferenceLoad> {
        let workers = self.workers();
        let mut apart = Vec::new();
        for formats in self.number_formats() {
            let plain = formats.on(&self.plain());
            let readers = readers(formats, &workers);
            for &(tensor, data, expert) in &workers {
                for &(prefill_tensor, prefill_data, prefill_expert) in &readers {
                    for (prefill_workers, workers) in RATIOS {
                        apart.push(InferenceLoad {
                            tensor,
                            data,
                            expert,
                            pipeline: 1,
                            workers,
                            prefill_workers,
                            prefill_tensor,
                            prefill_data,
                            prefill_expert,
                            ..plain
                        });
                    }
                }
            }
        }
        let largest = self.largest_worker();
        apart.retain(|load| load.worker_gpus() <= largest && self.allows(load));
        apart
    }

    /// Prefill workers that a best deployment may have. A worker is left out if another one with as many GPUs has no longer times
    /// per prompt, alone and at its largest rate, and no fewer links to send the KV cache over. Decode workers depend on nothing
    /// else of a prefill worker.
    pub(super) fn readers(&self, formats: NumberFormats, workers: &[Worker]) -> Vec<Worker> {
        let plain = formats.on(&self.plain());
        let known = workers.iter().filter_map(|&(tensor, data, expert)| {
            let load = InferenceLoad { tensor, data, expert, pipeline: 1, ..plain };
            let system = self.system.prefill.as_deref().unwrap_or(&self.system);
            let job = InferenceJob { system, ..self.job(&load) };
            let reads =
                load.worker_gpus() <= self.largest_worker() && self.allows(&load) && job.memory(1).fits();
            reads.then(|| ((tensor, data, expert), job.prompt_times()))
        });
        let known: Vec<(Worker, [Seconds; 2])> = known.collect();
        let gpus = |worker: &Worker| worker.0 * worker.1;
        let excels = |(one, times): &(Worker, [Seconds; 2]), (other, slower): &(Worker, [Seconds; 2])| {
            let faster = times[0] <= slower[0] && times[1] <= slower[1];
            gpus(one) == gpus(other) && one.0 >= other.0 && faster && (one.0 > other.0 || times != slower)
        };
        known
            .iter()
            .filter(|other| !known.iter().any(|one| excels(one, other)))
            .map(|(worker, _)| *worker)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn prefill_workers_left_out_serve_no_more() {
        for model in ["gpt-oss-20b", "qwen3-30b-a3b"] {
            let levels = "serve.engine=vllm&serve.concurrency=64&serve.ttft=1000&serve.tpot=20";
            let link = format!("v=1&view=inference&model={model}&gpu=h100-sxm&{levels}");
            let question = link::decode(&link).scenario;
            let problem = question.deployments().expect("a job");
            let (all, kept) = (
                problem.separate(|_, workers| workers.to_vec()),
                problem.separate(|format, all| problem.readers(format, all)),
            );
            assert!(3 * kept.len() < 2 * all.len(), "{} of {}", kept.len(), all.len());
            let best = |loads: &[InferenceLoad], gpus: u32| {
                let rates =
                    loads.iter().filter(|load| load.worker_gpus() == gpus && load.prefill_workers == 1);
                let found = rates.filter_map(|load| problem.load(load).ok().map(|found| found.per_gpu()));
                found.fold(0.0, f64::max)
            };
            for gpus in [1, 8] {
                let [all, kept] = [&all, &kept].map(|loads| best(loads, gpus));
                assert!(kept > 0.0 && kept >= all * 0.999, "{model}, {gpus} GPUs: {kept} of {all}");
            }
        }
    }
}
