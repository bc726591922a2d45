//! A serving load: requests, parallelism, formats, engine.

use serde::{Deserialize, Serialize};

use super::engine::Engine;
use super::launch::Launch;
use crate::catalog::skip::is_default;
use crate::system::{AllReduce, Precision};
use crate::units::Seconds;

/// Requests, and the deployment that serves them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InferenceLoad {
    /// Prompt tokens per request, without those of images and audio.
    pub input: u32,
    /// Generated tokens per request.
    pub output: u32,
    /// Images per request, whose tokens are in the prompt beside [`Self::input`]; 0 for text alone.
    pub images: u32,
    /// Width of each image, pixels.
    pub image_width: u32,
    /// Height of each image, pixels.
    pub image_height: u32,
    /// Audio per request, s, whose tokens are in the prompt beside [`Self::input`]; 0 for none.
    pub audio: f64,
    /// Number of requests on all GPUs that start and end together. Ignored if `concurrency` or `rate` is set.
    pub batch: u32,
    /// GPUs that share each layer's matrices.
    pub tensor: u32,
    /// Format of weights and matrix operands.
    pub precision: Precision,
    /// Format of cached keys and values.
    pub kv_precision: Precision,
    /// All-reduce algorithm of a tensor group.
    pub all_reduce: AllReduce,
    /// Launch mode of kernels.
    pub launch: Launch,
    /// The software that serves: its host's time per step.
    pub engine: Engine,
    /// Concurrent requests on all GPUs, each replaced by a new one when it ends (continuous batching); 0 serves one
    /// batch from start to end. Ignored if `rate` is set.
    pub concurrency: u32,
    /// Number of requests that each client of a closed loop sends in sequence; the first requests of all clients arrive
    /// at once. 0 is an endless stream, whose start has no influence.
    pub rounds: u32,
    /// Request rate of all GPUs, 1/s, with random arrivals (Poisson) that do not depend on completions; 0 if
    /// `concurrency` or `batch` gives the load.
    pub rate: f64,
    /// Requests that come at that rate, the first to an idle machine; 0 is an endless stream.
    pub requests: u32,
    /// Longest time to the first token that is allowed, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_limit_ms: Option<f64>,
    /// Longest time per output token that is allowed, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_limit_ms: Option<f64>,
    /// Longest request latency that is allowed, from arrival to the last token, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_limit_s: Option<f64>,
    /// Maximum number of requests in one step of one attention replica; `None` for the engine's own limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sequences: Option<u32>,
    /// Maximum number of tokens in one step of one attention replica; `None` for the engine's own limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u32>,
    /// Decode steps between two admissions of new requests: SGLang's `--scheduler-recv-interval`, TensorRT-LLM's
    /// `batch_wait_timeout_iters`. A step with prompts, or an idle replica, admits at once.
    pub admission: u32,
    /// True if prompts share steps with running requests in SGLang (`--enable-mixed-chunk`). vLLM and TensorRT-LLM always do
    /// so, llama.cpp and MLX never.
    pub mixed: bool,
    /// Fraction of a GPU's memory that the server uses (vLLM's `gpu_memory_utilization`, SGLang's `mem_fraction_static`); for
    /// TensorRT-LLM the fraction of the memory left free by the weights that the KV cache gets. `None` for the engine's own
    /// value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_share: Option<f64>,
    /// Share of each prompt whose keys and values the GPU has cached already (prefix caching).
    pub cached: f64,
    /// Share of each prompt whose keys and values host memory has, from which they are loaded.
    pub cached_host: f64,
    /// Share of each prompt whose keys and values an SSD has, from which they are loaded.
    pub cached_ssd: f64,
    /// Requests (turns) of a session: the prompt of each repeats the prompt and the answer of the one before. 1 for requests
    /// without a history.
    pub turns: u32,
    /// Leading prompt tokens that all requests share, such as a system prompt.
    pub shared_prefix: u32,
    /// Mean time between the arrivals of two turns of a session, s.
    pub turn_interval_s: f64,
    /// Host memory for keys and values of past requests, GiB per GPU.
    pub host_cache_gib: f64,
    /// Space on SSDs for keys and values of past requests, GiB per GPU.
    pub ssd_cache_gib: f64,
    /// Bandwidth at which SSDs are read, GB/s per GPU.
    pub ssd_gb_s: f64,
    /// Tokens that a draft proposes for each pass of the model (speculative decoding); 0 for none.
    pub draft: u32,
    /// Probability that a proposed token is accepted, each independent of the others.
    pub acceptance: f64,
    /// Time in which the draft proposes one token, over that of a decode step of the model.
    pub draft_cost: f64,
    /// GPUs, each a tensor group of its own, that share every prompt (context parallelism).
    pub context: u32,
    /// True if all answers have the same length, so that requests which began together end together: it matters in a
    /// closed loop whose workers read prompts and decode.
    pub uniform: bool,
    /// Slots that llama.cpp puts on the GPU (`-ngl`): the output head, then repeating layers from the last one on. The other
    /// layers are on the CPU. All of them where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_layers: Option<u32>,
    /// Leading layers whose routed experts llama.cpp keeps in host memory (`--n-cpu-moe`).
    pub cpu_experts: u32,
    /// Number of layers, from the last one, that llama.cpp puts on a second GPU of another kind with the output head. If absent,
    /// the number follows from that GPU's share of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_layers: Option<u32>,
    /// Pipeline stages.
    pub pipeline: u32,
    /// Replicas of the attention blocks inside a worker, each with its own requests; they share all experts.
    pub data: u32,
    /// Parts into which a layer's experts are divided over a worker's GPUs; inside a part, each expert is sharded.
    pub expert: u32,
    /// GPUs of a worker that decodes which hold the feed-forward blocks of all layers, and nothing else; the worker's other
    /// GPUs hold the rest (attention-expert disaggregation). 0 where all GPUs of a worker hold both.
    #[serde(skip_serializing_if = "is_default")]
    pub expert_gpus: u32,
    /// Workers among which requests are divided; they decode where others prefill.
    pub workers: u32,
    /// Workers that only prefill; 0 where every worker does both.
    pub prefill_workers: u32,
    /// GPUs that share each layer's matrices on a worker that only prefills.
    pub prefill_tensor: u32,
    /// Replicas of the attention blocks on a worker that only prefills.
    pub prefill_data: u32,
    /// Parts into which experts are divided on a prefill worker.
    pub prefill_expert: u32,
}

impl Default for InferenceLoad {
    fn default() -> Self {
        Self {
            input: 1024,
            output: 256,
            images: 0,
            image_width: 1024,
            image_height: 1024,
            audio: 0.0,
            batch: 1,
            tensor: 8,
            precision: Precision::Bf16,
            kv_precision: Precision::Bf16,
            all_reduce: AllReduce::Automatic,
            launch: Launch::Graph,
            engine: Engine::None,
            concurrency: 0,
            rounds: 0,
            rate: 0.0,
            requests: 0,
            ttft_limit_ms: None,
            tpot_limit_ms: None,
            latency_limit_s: None,
            max_sequences: None,
            token_budget: None,
            admission: 1,
            mixed: false,
            memory_share: None,
            cached: 0.0,
            cached_host: 0.0,
            cached_ssd: 0.0,
            turns: 1,
            shared_prefix: 0,
            // A request per user and minute, as the Sizing view has it.
            turn_interval_s: 60.0,
            host_cache_gib: 0.0,
            ssd_cache_gib: 0.0,
            // One NVMe SSD on PCIe 4.0 x4 per GPU (Samsung 980 PRO, data sheet: 7,000 MB/s sequential read).
            ssd_gb_s: 7.0,
            draft: 0,
            // A small model of the same family on chat (Leviathan et al. 2023, arXiv 2211.17192, table 3: 0.5 to 0.75
            // at temperature 0 to 1).
            acceptance: 0.7,
            draft_cost: 0.05,
            context: 1,
            uniform: false,
            gpu_layers: None,
            cpu_experts: 0,
            second_layers: None,
            pipeline: 1,
            data: 1,
            expert: 1,
            expert_gpus: 0,
            workers: 1,
            prefill_workers: 0,
            prefill_tensor: 1,
            prefill_data: 1,
            prefill_expert: 1,
        }
    }
}

impl InferenceLoad {
    /// The longest TTFT, TPOT and request latency that are allowed.
    pub fn limits(&self) -> [Option<Seconds>; 3] {
        let ms = |limit: Option<f64>| limit.map(|ms| Seconds::new(ms * 1e-3));
        [ms(self.ttft_limit_ms), ms(self.tpot_limit_ms), self.latency_limit_s.map(Seconds::new)]
    }

    /// Time from arrival to the last token: TTFT + (O - 1) · TPOT for O output tokens.
    pub fn request_latency(&self, ttft: Seconds, tpot: Seconds) -> Seconds {
        ttft + tpot * f64::from(self.output.saturating_sub(1))
    }

    /// Returns true if requests arrive and end individually instead of as one batch.
    pub const fn is_stream(&self) -> bool {
        self.concurrency > 0 || self.rate > 0.0
    }

    /// Requests of a run that has an end; 0 for an endless stream.
    pub const fn run_requests(&self) -> u32 {
        if self.rate > 0.0 { self.requests } else { self.concurrency.saturating_mul(self.rounds) }
    }

    /// Tokens of a prompt of this length whose keys and values are not cached yet: at least one, whose output is sampled.
    pub fn fresh_of(&self, prompt: f64) -> f64 {
        (prompt - libm::floor(prompt * self.reused())).max(1.0)
    }

    /// Share of each prompt whose keys and values are cached on the GPU, in host memory or on an SSD.
    pub fn reused(&self) -> f64 {
        self.cached + self.cached_host + self.cached_ssd
    }

    /// Tokens that one pass of a decode step yields per request: the model's own, and of the draft's tokens those up
    /// to the first that is refused, (1 − αᵞ⁺¹) / (1 − α) (Leviathan et al. 2023, arXiv 2211.17192, equation 1).
    pub fn yielded(&self) -> f64 {
        let draft = f64::from(self.draft);
        if self.draft == 0 {
            1.0
        } else if self.acceptance >= 1.0 {
            draft + 1.0
        } else {
            (1.0 - libm::pow(self.acceptance, draft + 1.0)) / (1.0 - self.acceptance)
        }
    }

    /// Passes of the model that yield the tokens after the first.
    pub fn passes(&self) -> f64 {
        f64::from(self.output.saturating_sub(1)) / self.yielded()
    }

    /// All-reduce algorithm of the tensor-parallel group. Engines that launch kernels from the host have no all-reduce
    /// of their own.
    pub fn algorithm(&self) -> AllReduce {
        match (self.all_reduce, self.launch) {
            (AllReduce::Automatic, Launch::Stream) => AllReduce::Library,
            (chosen, _) => chosen,
        }
    }

    /// This load with prompts of this many text tokens, without images or audio.
    #[must_use]
    pub const fn of_text(&self, input: u32) -> Self {
        Self { input, images: 0, audio: 0.0, ..*self }
    }

    /// Decode steps between two admissions of new requests, at least 1.
    pub fn admission_steps(&self) -> f64 {
        f64::from(self.admission.max(1))
    }
}
