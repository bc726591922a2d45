//! One batch of requests served together: prefill, then one decode step per output token.

use serde::{Deserialize, Serialize};

use super::memory::Footprint;
use super::tally::{Share, Tally};
use super::term::{OperatorRow, Term};
use crate::catalog::architecture::Architecture;
use crate::system::{Cost, Group, Precision, System};
use crate::units::{Bytes, Seconds};
use crate::workload::layer::{Mesh, AttentionKernel, Shard};
use crate::workload::{LayerKind, Operator};

/// How kernels reach the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Launch {
    /// A recorded sequence is replayed (CUDA graph): the host is out of the way.
    #[default]
    Graph,
    /// The host issues each kernel: none takes less time than that. Usual before 2024.
    Stream,
}

/// What is served.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InferenceLoad {
    /// Prompt tokens per request.
    pub input: u32,
    /// Generated tokens per request.
    pub output: u32,
    /// Requests served together.
    pub batch: u32,
    /// GPUs that share each layer's matrices.
    pub tensor: u32,
    /// Format of weights and matrix operands.
    pub precision: Precision,
    /// Format of cached keys and values.
    pub kv_precision: Precision,
    /// How kernels reach the GPU.
    pub launch: Launch,
}

impl Default for InferenceLoad {
    fn default() -> Self {
        Self {
            input: 1024,
            output: 256,
            batch: 1,
            tensor: 8,
            precision: Precision::Bf16,
            kv_precision: Precision::Bf16,
            launch: Launch::Graph,
        }
    }
}

/// An inference question in which everything has been looked up and every law holds.
#[derive(Clone, Copy, Debug)]
pub struct InferenceJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The machine.
    pub system: &'a System,
    /// What is served.
    pub load: &'a InferenceLoad,
}

/// A part of a request's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All prompt tokens at once.
    Prefill,
    /// One token per request.
    Decode,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InferenceEstimate {
    /// Time to first token: one prefill of the batch.
    pub ttft: Seconds,
    /// Time per output token after the first, at the mean context length.
    pub tpot: Seconds,
    /// The whole request.
    pub latency: Seconds,
    /// Output tokens per second of the whole batch.
    pub tokens_per_second: f64,
    /// What TTFT is the sum of.
    pub terms_prefill: Vec<Term>,
    /// What TPOT is the sum of.
    pub terms_decode: Vec<Term>,
    /// Memory of one GPU at the end of the request.
    pub memory: Footprint,
    /// The most requests whose caches fit.
    pub largest_batch: u32,
    /// Every operator of the prefill.
    pub prefill: Vec<OperatorRow>,
    /// Every operator of one decode step.
    pub decode: Vec<OperatorRow>,
    /// Keys and values of one token over all layers and GPUs.
    pub kv_bytes_per_token: Bytes,
}

/// 16-bit activations.
const ACTIVATION: f64 = 2.0;

/// The times of one pass through the model.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PassTimes {
    layers: Tally,
    ends: Seconds,
}

impl InferenceJob<'_> {
    /// One GPU's part of a pass.
    fn shard(&self, phase: Phase) -> Shard<'_> {
        let load = self.load;
        let input = f64::from(load.input);
        // The first output token comes from the prefill; each later one sees one token more than the one before.
        let context = input + f64::from(load.output) / 2.0;
        let (queries, keys) = match phase {
            Phase::Prefill => (input, input),
            Phase::Decode => (1.0, context),
        };
        let group = Group::strided(load.tensor, 1, self.system.network.domain);
        Shard {
            architecture: self.architecture,
            group,
            mesh: Mesh::of_tensor(group),
            sequence_parallel: false,
            batch: f64::from(load.batch),
            queries,
            keys,
            precision: load.precision,
            kv_element: load.kv_precision.element(),
            kernel: AttentionKernel::Flash,
            dropout: false,
            fused: true,
            direct: load.launch == Launch::Graph,
        }
    }

    fn cost(&self, operator: &Operator) -> Cost {
        match self.load.launch {
            Launch::Graph => self.system.cost(&operator.work),
            Launch::Stream => self.system.cost_issued(&operator.work),
        }
    }

    /// Runs one pass, shows each operator to `record`, and returns its times.
    pub(super) fn pass(&self, phase: Phase, record: &mut impl FnMut(&Operator, f64, Cost)) -> PassTimes {
        let shard = self.shard(phase);
        let mut times = PassTimes::default();
        for (kind, layers) in self.architecture.layer_kinds() {
            if layers == 0 {
                continue;
            }
            let count = f64::from(layers);
            shard.forward(kind, &mut |operator| {
                let cost = self.cost(&operator);
                record(&operator, count, cost);
                times.layers.add(Share::of(&operator), cost.time * count);
            });
        }
        let mut end = |operator: Operator| {
            let cost = self.cost(&operator);
            record(&operator, 1.0, cost);
            times.ends += cost.time;
        };
        shard.embedding(&mut end);
        // Only the last position of each sequence is sampled.
        shard.head(shard.batch, &mut end);
        times
    }

    /// Time of one pass alone, for sweeps.
    pub fn time(&self, phase: Phase) -> Seconds {
        let times = self.pass(phase, &mut |_, _, _| {});
        Self::terms(&times).iter().map(|term| term.time).sum()
    }

    /// The whole request from its two phases.
    pub fn latency(&self, ttft: Seconds, tpot: Seconds) -> Seconds {
        ttft + tpot * f64::from(self.load.output.saturating_sub(1))
    }

    fn terms(times: &PassTimes) -> [Term; 5] {
        let term = |id, label, time, why| Term { id, label, time, why };
        let layers = |share| times.layers.get(share);
        [
            term("matmul", "Matrix multiplies", layers(Share::Matmul), "Projections and feed-forward blocks"),
            term(
                "attention",
                "Attention",
                layers(Share::Attention),
                "Queries against all cached keys and values",
            ),
            term(
                "elementwise",
                "Elementwise",
                layers(Share::Elementwise),
                "Norms, activations and residuals",
            ),
            term(
                "tensor_parallel",
                "Tensor-parallel communication",
                layers(Share::TensorParallel),
                "Two all-reduces per layer",
            ),
            term("ends", "Embedding and output head", times.ends, "For the last position of each sequence"),
        ]
    }

    /// The answer with every term.
    pub fn estimate(&self) -> InferenceEstimate {
        let record = |rows: &mut Vec<OperatorRow>, name, operator: &Operator, count, cost| {
            rows.push(OperatorRow::new(name, operator, count, cost));
        };
        let mut prefill = Vec::new();
        let prefill_times = self.pass(Phase::Prefill, &mut |operator, count, cost| {
            record(&mut prefill, "prefill", operator, count, cost);
        });
        let mut decode = Vec::new();
        let decode_times = self.pass(Phase::Decode, &mut |operator, count, cost| {
            record(&mut decode, "decode", operator, count, cost);
        });
        let terms_prefill = present(Self::terms(&prefill_times));
        let terms_decode = present(Self::terms(&decode_times));
        let ttft: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        let tpot: Seconds = terms_decode.iter().map(|term| term.time).sum();
        let latency = self.latency(ttft, tpot);
        let generated = f64::from(self.load.output) * f64::from(self.load.batch);
        InferenceEstimate {
            ttft,
            tpot,
            latency,
            tokens_per_second: generated / latency.get(),
            terms_prefill,
            terms_decode,
            memory: self.memory(self.load.batch),
            largest_batch: self.largest_batch(),
            prefill,
            decode,
            kv_bytes_per_token: self.kv_bytes_per_token(),
        }
    }

    /// Keys and values of one token over all layers, whole: what grouped-query and latent attention shrink.
    pub fn kv_bytes_per_token(&self) -> Bytes {
        let architecture = self.architecture;
        let width = match &architecture.mla {
            Some(mla) => f64::from(mla.kv_lora + mla.qk_rope),
            None => 2.0 * f64::from(architecture.kv_heads) * f64::from(architecture.head_dim),
        };
        self.load.kv_precision.element() * (width * f64::from(architecture.layers))
    }

    /// Memory of one GPU with this many requests at their full length.
    pub fn memory(&self, batch: u32) -> Footprint {
        let load = self.load;
        let tensor = f64::from(load.tensor);
        let parameters = self.architecture.parameters();
        let matrices: f64 = self
            .architecture
            .layer_kinds()
            .into_iter()
            .map(|(kind, layers)| f64::from(layers) * self.architecture.matrix_parameters(kind.experts))
            .sum();
        let rest = parameters.total as f64 - matrices;
        let weights = load.precision.element() * (matrices / tensor) + Bytes::new(2.0) * (rest / tensor);
        Footprint {
            weights,
            kv_cache: self.kv_cache(batch),
            activations: self.activations(batch),
            reserve: self.system.assumptions.reserve,
            capacity: self.system.device.capacity,
            ..Footprint::default()
        }
    }

    /// Keys and values of all requests at their full length on one GPU.
    fn kv_cache(&self, batch: u32) -> Bytes {
        let load = self.load;
        let length = f64::from(load.input) + f64::from(load.output);
        let architecture = self.architecture;
        let shard = self.shard(Phase::Decode);
        let width = match &architecture.mla {
            // The latent is shared by all heads, hence not sharded.
            Some(mla) => f64::from(mla.kv_lora + mla.qk_rope),
            None => 2.0 * shard.kv_heads() * f64::from(architecture.head_dim),
        };
        let tokens: f64 = architecture
            .layer_kinds()
            .into_iter()
            .map(|(LayerKind { windowed, .. }, layers)| {
                let seen = match (&architecture.window, windowed) {
                    (Some(window), true) => length.min(f64::from(window.size)),
                    _ => length,
                };
                f64::from(layers) * seen
            })
            .sum();
        load.kv_precision.element() * (width * tokens * f64::from(batch))
    }

    /// The widest pair of activations that live at once during the prefill: a block's input and its inner width.
    fn activations(&self, batch: u32) -> Bytes {
        let architecture = self.architecture;
        let tensor = f64::from(self.load.tensor);
        let gates = if architecture.gated { 2.0 } else { 1.0 };
        let inner = match &architecture.moe {
            Some(moe) => f64::from(moe.top_k) * f64::from(moe.ffn) + f64::from(moe.shared_ffn),
            None => f64::from(architecture.ffn),
        };
        let width = 2.0 * f64::from(architecture.hidden) + (gates + 1.0) * inner / tensor;
        Bytes::new(f64::from(batch) * f64::from(self.load.input) * width * ACTIVATION)
    }

    /// The most requests that fit; 0 if the weights alone do not.
    fn largest_batch(&self) -> u32 {
        let empty = self.memory(0);
        let one = self.memory(1);
        let free = empty.capacity - empty.total();
        if free <= Bytes::ZERO {
            return 0;
        }
        // Everything that grows with the batch grows in proportion.
        let each = one.total() - empty.total();
        (free / each).floor().min(f64::from(u32::MAX)) as u32
    }
}

fn present(terms: [Term; 5]) -> Vec<Term> {
    terms.into_iter().filter(|term| term.time > Seconds::ZERO).collect()
}
