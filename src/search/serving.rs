//! Search for the deployments of a model that meet given service levels, ranked by throughput per GPU.
//!
//! A deployment is how a worker is cut (tensor, pipeline, attention replicas, experts), its number format, and whether
//! prompts are read by workers of their own and by how many. Each has the largest load that meets the levels
//! ([`InferenceJob::largest_load`]). The walk tries one deployment after another in a fixed order.

use super::NumberFormats;
use crate::catalog::architecture::Architecture;
use crate::economics::ServedWork;
use crate::inference::{Draft, EngineOverheads, InferenceJob, InferenceLoad};
use crate::serving::capacity::LoadAxis;
use crate::serving::{LoadPoint, Service};
use crate::system::{Precision, System};
use crate::units::Seconds;

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
    /// Overheads of the serving engine.
    pub overheads: EngineOverheads,
    /// The draft model of speculative decoding, if one is named.
    pub draft: Option<Draft>,
}

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

/// Counts of the deployments tried so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Deployments that break no law.
    pub tried: usize,
    /// Number of deployments whose weights leave no memory for a request.
    pub too_large: usize,
    /// Number of deployments that fit but miss the service levels under every load.
    pub too_slow: usize,
}

/// A walk through all deployments.
#[derive(Clone, Debug)]
pub struct Search {
    question: DeploymentProblem,
    candidates: Vec<InferenceLoad>,
    tally: Tally,
    found: Vec<Found>,
    /// The work of each of `found`, which determines its power.
    work: Vec<ServedWork>,
}

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

/// Format of weights that are quantized after training.
const CONVERTED: Precision = Precision::Awq;

/// Format of a quantized KV cache.
const CACHED: Precision = Precision::Fp8;

/// Parallelism of a worker of one stage: tensor group, attention replicas, expert parts.
type Worker = (u32, u32, u32);

/// Workers that prefill for workers that decode.
const RATIOS: [(u32, u32); 7] = [(1, 4), (1, 2), (2, 3), (1, 1), (3, 2), (2, 1), (4, 1)];

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
            overheads: job.overheads,
            draft: job.draft,
        }
    }

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

    const fn plain(&self) -> InferenceLoad {
        InferenceLoad { workers: 1, prefill_workers: 0, context: 1, ..self.load.resident() }
    }

    /// All deployments that break no law, those without workers of their own for prompts first.
    fn candidates(&self) -> Vec<InferenceLoad> {
        let mut all = self.whole_workers();
        all.extend(self.separate(|formats, workers| self.readers(formats, workers)));
        all
    }

    /// Disaggregated deployments. `readers` selects the prefill workers for number formats.
    fn separate(&self, readers: impl Fn(NumberFormats, &[Worker]) -> Vec<Worker>) -> Vec<InferenceLoad> {
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
    fn readers(&self, formats: NumberFormats, workers: &[Worker]) -> Vec<Worker> {
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

    fn largest_worker(&self) -> u32 {
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

    /// The question's format and, with [`Self::narrower`], the narrower ones that the device multiplies. For a model that is
    /// published in fewer than 8 bits, the published format replaces these. Devices without BF16 take FP16. With
    /// [`Self::quantized`], other models also take the integers of 4 bits to which they are converted after training.
    pub(crate) fn formats(&self) -> Vec<Precision> {
        let multiplies = |format: Precision| self.system.device.peak(format).is_some();
        let asked = match self.load.precision {
            Precision::Bf16 if !multiplies(Precision::Bf16) && multiplies(Precision::Fp16) => Precision::Fp16,
            asked => asked,
        };
        let eight = if self.architecture.moe.is_some() { Precision::Fp8Block } else { Precision::Fp8 };
        let published = self.native.element() < eight.element();
        let others = if published { [Some(self.native), None] } else { [Some(eight), Some(Precision::Fp4)] };
        let narrower = others
            .into_iter()
            .flatten()
            .filter(|_| self.narrower)
            .filter(|format| (published || multiplies(*format)) && format.element() < asked.element());
        let converted = Some(CONVERTED)
            .filter(|format| self.converts() && !published && format.element() < asked.element());
        std::iter::once(asked).chain(narrower).chain(converted).collect()
    }

    /// The format of the question's KV cache and, with [`Self::quantized`], FP8 if that is narrower and the device multiplies it.
    fn caches(&self) -> impl Iterator<Item = Precision> {
        let asked = self.load.kv_precision;
        let multiplies = self.system.device.peak(CACHED).is_some();
        let narrower = self.converts() && multiplies && CACHED.element() < asked.element();
        std::iter::once(asked).chain(narrower.then_some(CACHED))
    }

    const fn converts(&self) -> bool {
        self.quantized && self.load.engine.quantizes()
    }

    /// Every format of weights with every format of the KV cache; the question's caches first.
    pub(crate) fn number_formats(&self) -> Vec<NumberFormats> {
        let weights = self.formats();
        let of = |cache| weights.iter().map(move |weights| NumberFormats { weights: *weights, cache });
        self.caches().flat_map(of).collect()
    }

    /// A deployment at the largest load that meets the levels.
    fn load(&self, load: &InferenceLoad) -> Result<Found, Unfit> {
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

enum Unfit {
    TooLarge,
    TooSlow,
}

impl Search {
    /// A search that has not begun.
    pub fn new(question: DeploymentProblem) -> Self {
        let mut candidates = question.candidates();
        candidates.reverse();
        Self { question, candidates, tally: Tally::default(), found: Vec::new(), work: Vec::new() }
    }

    /// The problem that is searched.
    pub const fn question(&self) -> &DeploymentProblem {
        &self.question
    }

    /// Deployments that meet the service levels so far, highest throughput per GPU first.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The work of each deployment of [`Self::found`].
    pub fn work(&self) -> &[ServedWork] {
        &self.work
    }

    /// Counts of the deployments that are not kept.
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Deployments in all.
    pub const fn size(&self) -> usize {
        self.candidates.len() + self.tally.tried
    }

    /// Returns true if the search is complete.
    pub const fn done(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Tries up to the given number of further deployments.
    pub fn advance(&mut self, deployments: usize) {
        for _ in 0..deployments {
            let Some(candidate) = self.candidates.pop() else { return };
            self.tally.tried += 1;
            match self.question.load(&candidate) {
                Ok(found) => {
                    // Deployments of equal throughput keep the order of the search.
                    let place = self.found.partition_point(|other| other.per_gpu() >= found.per_gpu());
                    self.found.insert(place, found);
                    self.work.insert(place, ServedWork::of(&self.question.job(&found.load).estimate()));
                }
                Err(Unfit::TooLarge) => self.tally.too_large += 1,
                Err(Unfit::TooSlow) => self.tally.too_slow += 1,
            }
        }
    }

    /// Runs the search to its end in one call, for callers that show no progress.
    pub fn run(&mut self) {
        self.advance(usize::MAX);
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
