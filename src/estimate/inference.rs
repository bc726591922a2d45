//! Requests served: one batch from its beginning to its end, or a steady stream of them.

use serde::Serialize;

use super::draft::Draft;
use super::engine::Overheads;
use super::memory::Footprint;
use super::tally::{Share, Tally};
use super::term::{OperatorRow, Term};
use crate::catalog::architecture::Architecture;
use crate::system::{AllReduce, Collective, Cost, Operation, System, Work};
use crate::units::{Bytes, Seconds};
use crate::workload::Operator;
use crate::workload::layer::{AttentionKernel, Mesh, Shard};

pub use super::load::{InferenceLoad, Launch};

/// An inference question in which everything has been looked up and every law holds.
#[derive(Clone, Copy, Debug)]
pub struct InferenceJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The machine.
    pub system: &'a System,
    /// What is served.
    pub load: &'a InferenceLoad,
    /// What the engine adds to the kernels.
    pub overheads: Overheads,
    /// The draft, where it is named.
    pub draft: Option<Draft>,
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
    /// Time to first token: one prefill of the batch, or of a prompt that waits for others.
    pub ttft: Seconds,
    /// Time per output token after the first, at the mean context length.
    pub tpot: Seconds,
    /// The whole request.
    pub latency: Seconds,
    /// Output tokens per second of all requests on all GPUs.
    pub tokens_per_second: f64,
    /// Requests per second of all GPUs.
    pub requests_per_second: f64,
    /// Share of the GPUs' busy time that goes into prompts.
    pub prompt_share: f64,
    /// What TTFT is the sum of.
    pub terms_prefill: Vec<Term>,
    /// What TPOT is the sum of.
    pub terms_decode: Vec<Term>,
    /// Memory of one GPU at the end of the request.
    pub memory: Footprint,
    /// The most requests whose caches fit.
    pub largest_batch: u32,
    /// Requests that one attention replica decodes together.
    pub running: f64,
    /// Every operator of the prefill.
    pub prefill: Vec<OperatorRow>,
    /// Every operator of one decode step.
    pub decode: Vec<OperatorRow>,
    /// Keys and values of one token over all layers and GPUs.
    pub kv_bytes_per_token: Bytes,
}

/// 16-bit activations.
const ACTIVATION: f64 = 2.0;

/// What one step of an attention replica holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// Prompts of which a part is read.
    pub(super) prompts: f64,
    /// Tokens of each that are read.
    pub(super) chunk: f64,
    /// Tokens of each that the last of these sees.
    pub(super) keys: f64,
    /// Requests that get their next token.
    pub(super) running: f64,
    /// How many such steps in a row.
    pub(super) passes: f64,
}

/// The times of one pass through the model.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PassTimes {
    layers: Tally,
    ends: Seconds,
    sends: Seconds,
    draft: Seconds,
    pub(super) host: Seconds,
    transfer: Seconds,
}

impl PassTimes {
    pub(super) fn total(&self) -> Seconds {
        self.layers.total() + self.ends + self.sends + self.draft + self.host + self.transfer
    }
}

impl InferenceJob<'_> {
    /// One GPU's part of a pass of so many sequences, tokens of each, and tokens that the last of them sees.
    pub(super) fn shard(&self, batch: f64, queries: f64, keys: f64) -> Shard<'_> {
        let load = self.load;
        let network = &self.system.network;
        let group = network.strided(load.tensor, 1);
        let mesh = Mesh::of_tensor(group);
        // Whoever shares a prompt decodes requests of its own.
        let context = network.strided(load.context, load.tensor);
        Shard {
            architecture: self.architecture,
            group,
            mesh: if queries > 1.0 { Mesh { context, ..mesh } } else { mesh },
            sequence_parallel: false,
            batch,
            queries,
            keys,
            precision: load.precision,
            projection: load.precision,
            replicas: load.data,
            meeting: network.strided(load.tensor.saturating_mul(load.data), 1),
            expert_parts: load.expert,
            kv_element: load.kv_precision.element(),
            kernel: if queries > 1.0 { self.overheads.prompts } else { AttentionKernel::Flash },
            score: self.overheads.score,
            dropout: false,
            fused: true,
            all_reduce: load.algorithm(),
        }
    }

    /// Tokens that a request's decode step sees on average: the first output token comes from the prefill, each
    /// later one sees one token more than the one before.
    pub(super) fn context(&self) -> f64 {
        f64::from(self.load.input) + f64::from(self.load.output) / 2.0
    }

    /// What an operator costs in a step with or without prompts.
    fn cost(&self, operator: &Operator, prompts: bool) -> Cost {
        let cost = match self.load.launch {
            Launch::Graph => self.system.cost(&operator.work),
            Launch::Stream => self.system.cost_issued(&operator.work),
        };
        let (overheads, device) = (&self.overheads, &self.system.device);
        let precision = match (operator.work, &overheads.masked) {
            (Work::Attention(attention), Some(masked)) if attention.queries <= 1.0 => {
                return masked.cost(&attention, device, cost);
            }
            (Work::Matmul(matmul), _) if !operator.core => matmul.precision,
            (Work::Experts(experts), _) => experts.precision,
            _ => return cost,
        };
        Cost { time: overheads.multiplies.time(precision, prompts, device, &cost), ..cost }
    }

    /// Runs one step, shows each operator to `record`, and returns its times.
    pub(super) fn step(&self, step: Step, record: &mut impl FnMut(&Operator, f64, Cost)) -> PassTimes {
        if step.prompts <= 0.0 {
            let mut times = self.decode_pass(step, record);
            times.draft = self.drafting(step);
            return times;
        }
        // Running requests add their tokens to every multiply, and attend by themselves.
        let checked = 1.0 + f64::from(self.load.draft);
        let added = step.running * checked / step.prompts;
        let queries = step.chunk / f64::from(self.load.context) + added;
        let shard = self.shard(step.prompts, queries, step.keys + added);
        let mut times = self.run(&shard, step, checked, record);
        if step.running > 0.0 {
            let decode = self.shard(step.running * checked, 1.0, self.context());
            for (kind, layers) in self.architecture.layer_kinds() {
                let count = f64::from(layers) * step.passes;
                decode.forward(kind, &mut |operator| {
                    if operator.core && layers > 0 {
                        let operator = together(operator, checked);
                        let cost = self.cost(&operator, true);
                        record(&operator, count, cost);
                        times.layers.add(Share::Attention, cost.time * count);
                    }
                });
            }
            times.draft = self.drafting(step);
        }
        times.draft += self.reading_too(step);
        times
    }

    /// The model's pass of a step without prompts, in which each request checks so many proposed tokens.
    fn decode_pass(&self, step: Step, record: &mut impl FnMut(&Operator, f64, Cost)) -> PassTimes {
        let checked = 1.0 + f64::from(self.load.draft);
        let shard = self.shard(step.running * checked, 1.0, self.context());
        self.run(&shard, step, checked, record)
    }

    /// A pass over all layers, at the end of which one position of each prompt is sampled, and `checked` of each
    /// running request.
    fn run(
        &self,
        shard: &Shard<'_>,
        step: Step,
        checked: f64,
        record: &mut impl FnMut(&Operator, f64, Cost),
    ) -> PassTimes {
        let overheads = &self.overheads;
        let prompts = step.prompts > 0.0;
        let sampled = step.prompts + step.running;
        let layers = f64::from(self.architecture.layers);
        let host = overheads.step + overheads.layer * layers + overheads.request * (sampled * step.passes);
        let mut times = PassTimes { host, ..PassTimes::default() };
        for (kind, layers) in self.architecture.layer_kinds() {
            if layers == 0 {
                continue;
            }
            let count = f64::from(layers) * step.passes;
            shard.forward(kind, &mut |operator| {
                let operator = if prompts { operator } else { together(operator, checked) };
                let cost = self.cost(&operator, prompts);
                record(&operator, count, cost);
                times.layers.add(Share::of(&operator), cost.time * count);
            });
        }
        if self.load.context > 1 {
            // The core works on one part of the keys while the next arrives.
            let parts = f64::from(self.load.context);
            let behind = times.layers.get(Share::Attention) * ((parts - 1.0) / parts);
            let ring = times.layers.get(Share::ContextParallel);
            times.layers.set(Share::ContextParallel, (ring - behind).max(Seconds::ZERO));
        }
        let mut end = |operator: Operator| {
            let cost = self.cost(&operator, prompts);
            record(&operator, step.passes, cost);
            times.ends += cost.time * step.passes;
        };
        shard.embedding(&mut end);
        shard.head(step.prompts + step.running * checked, &mut end);
        times.sends = self.sends(shard, step.passes, record);
        times
    }

    /// Activations go from each pipeline stage to the next.
    fn sends(
        &self,
        shard: &Shard<'_>,
        passes: f64,
        record: &mut impl FnMut(&Operator, f64, Cost),
    ) -> Seconds {
        let load = self.load;
        if load.pipeline <= 1 {
            return Seconds::ZERO;
        }
        let bytes = Bytes::new(shard.tokens() * f64::from(self.architecture.hidden) * ACTIVATION);
        let group = self.system.network.strided(2, load.tensor.saturating_mul(load.data));
        let work = Work::Collective(Collective {
            operation: Operation::SendReceive,
            bytes,
            group,
            algorithm: AllReduce::Library,
        });
        let operator = Operator { name: "Pipeline send", work, core: false };
        let cost = self.cost(&operator, true);
        let count = f64::from(load.pipeline - 1) * passes;
        record(&operator, count, cost);
        cost.time * count
    }

    /// The step that a phase of one batch consists of.
    ///
    /// Several stages work on as many parts of the batch at once where it has them. A prompt that is longer than the
    /// engine's slice is read slice by slice, which stages work on at once too: m parts, p at a time, take
    /// (m + p - 1) / p passes.
    pub(super) fn phase(&self, phase: Phase) -> Step {
        let batch = self.load.dealt(self.load.batch);
        let input = f64::from(self.load.input);
        let fresh = self.load.fresh();
        let stages = f64::from(self.load.pipeline);
        let groups = batch.min(stages);
        if batch > self.overheads.pass {
            let passes = libm::ceil(batch / self.overheads.pass);
            let few = Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: batch / passes, passes };
            return match phase {
                Phase::Prefill => {
                    Step { prompts: few.running, chunk: fresh, keys: input, running: 0.0, ..few }
                }
                Phase::Decode => few,
            };
        }
        if phase == Phase::Decode {
            let running = (batch / groups / f64::from(self.load.context)).max(1.0);
            return Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running, passes: 1.0 };
        }
        let slices = libm::ceil(fresh * batch / groups / self.overheads.slice).clamp(1.0, fresh);
        let chunk = fresh / slices;
        let keys = self.seen(chunk);
        let abreast = stages.min(self.overheads.in_flight);
        let passes = (groups * slices + abreast - 1.0) / abreast;
        Step { prompts: batch / groups, chunk, keys, running: 0.0, passes }
    }

    /// Tokens that the last one of a part of a prompt sees: the more, the later the part, so that on average half of
    /// what is not cached and half of the part itself are still to come.
    pub(super) fn seen(&self, chunk: f64) -> f64 {
        f64::from(self.load.input) - 0.5 * (self.load.fresh() - chunk)
    }

    /// Runs one pass of one batch, whose prompts are read by workers of their own where there are some.
    pub(super) fn pass(&self, phase: Phase, record: &mut impl FnMut(&Operator, f64, Cost)) -> PassTimes {
        if phase == Phase::Decode || self.load.prefill_workers == 0 {
            return self.step(self.phase(phase), record);
        }
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        PassTimes { transfer: self.transfers(), ..reader.step(reader.phase(phase), record) }
    }

    /// The keys and values of one batch on their way to workers that decode.
    fn transfers(&self) -> Seconds {
        match self.load.prefill_workers {
            0 => Seconds::ZERO,
            _ => self.transfer() * self.load.prefilling().dealt(self.load.batch),
        }
    }

    /// TTFT or TPOT of one batch alone, for sweeps.
    pub fn time(&self, phase: Phase) -> Seconds {
        self.per_token(phase, self.pass(phase, &mut |_, _, _| {}).total())
    }

    /// TTFT or TPOT of a pass that takes so long: decoding, its tokens share it.
    pub(super) fn per_token(&self, phase: Phase, pass: Seconds) -> Seconds {
        match phase {
            Phase::Prefill => pass,
            Phase::Decode => pass / self.load.yielded(),
        }
    }

    /// The whole request from its two phases.
    pub fn latency(&self, ttft: Seconds, tpot: Seconds) -> Seconds {
        ttft + tpot * f64::from(self.load.output.saturating_sub(1))
    }

    /// The answer with every term.
    pub fn estimate(&self) -> InferenceEstimate {
        let served = self.load.is_stream().then(|| self.served());
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let (first_step, later) = match &served {
            Some(served) => (served.prefill, served.decode),
            None => (reader.phase(Phase::Prefill), self.phase(Phase::Decode)),
        };
        let (prefill, mut prefill_times) = reader.rows("prefill", first_step);
        let (decode, decode_times) = self.rows("decode", later);
        if served.is_none() {
            prefill_times.transfer = self.transfers();
        }
        let mut terms_prefill = terms(&prefill_times);
        let mut terms_decode = terms(&decode_times);
        if let Some(served) = &served {
            served.explain(&mut terms_prefill, &mut terms_decode);
        }
        terms_prefill.retain(|term| term.time > Seconds::ZERO);
        terms_decode.retain(|term| term.time > Seconds::ZERO);
        for term in &mut terms_decode {
            // A step's time is shared among the tokens that it yields.
            term.time = term.time / self.load.yielded();
        }
        let tpot: Seconds = terms_decode.iter().map(|term| term.time).sum();
        let first: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        let residence = self.latency(first, tpot);
        if let Some(served) = &served {
            // Who finds no place waits until one of the running requests ends.
            let time = served.queue(residence);
            let why = "All places are taken, by memory or by the engine's limit";
            let queue = Term { id: "queue", label: "Queue", time, why };
            terms_prefill.extend((time > Seconds::ZERO).then_some(queue));
        }
        let ttft: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        let latency = self.latency(ttft, tpot);
        let batch = f64::from(self.load.batch);
        let each = f64::from(self.load.output);
        let (rate, running) = match &served {
            Some(served) => (served.rate(residence), served.running),
            None => (batch / residence.get(), self.load.batched()),
        };
        InferenceEstimate {
            ttft,
            tpot,
            latency,
            tokens_per_second: each * rate,
            requests_per_second: rate,
            prompt_share: self.prompt_share(first_step, later, prefill_times.total(), decode_times.total()),
            terms_prefill,
            terms_decode,
            memory: if served.is_some() {
                self.memory_running(running)
            } else {
                self.memory(self.load.batch)
            },
            largest_batch: self.largest_batch(),
            running,
            prefill,
            decode,
            kv_bytes_per_token: self.kv_bytes_per_token(),
        }
    }

    /// Share of the GPUs' busy time that goes into prompts, or of the GPUs where some do nothing else.
    fn prompt_share(&self, first: Step, later: Step, reading: Seconds, decoding: Seconds) -> f64 {
        let load = self.load;
        if load.prefill_workers > 0 {
            let decoders = f64::from(load.worker_gpus()) * f64::from(load.workers);
            return 1.0 - decoders / f64::from(load.gpus());
        }
        let decoding = decoding * load.passes();
        if !load.is_stream() {
            return reading / (reading + decoding);
        }
        let prompt = self.prompt_time(first, reading);
        prompt / (prompt + decoding / later.running)
    }

    fn rows(&self, name: &'static str, step: Step) -> (Vec<OperatorRow>, PassTimes) {
        let mut rows = Vec::new();
        let times = self.step(step, &mut |operator, count, cost| {
            rows.push(OperatorRow::new(name, operator, count, cost));
        });
        (rows, times)
    }
}

/// Tokens of one request that one pass checks read its cache once, as further heads of one query (grouped queries of
/// flash decoding): a batch of single tokens becomes one of so many fewer requests.
fn together(mut operator: Operator, tokens: f64) -> Operator {
    if let Work::Attention(attention) = &mut operator.work
        && attention.queries <= 1.0
    {
        attention.batch /= tokens;
        attention.heads *= tokens;
    }
    operator
}

/// What one pass is the sum of.
fn terms(times: &PassTimes) -> Vec<Term> {
    let term = |id, label, time, why| Term { id, label, time, why };
    let layers = |share| times.layers.get(share);
    vec![
        term("matmul", "Matrix multiplies", layers(Share::Matmul), "Projections and feed-forward blocks"),
        term(
            "attention",
            "Attention",
            layers(Share::Attention),
            "Queries against all cached keys and values",
        ),
        term("elementwise", "Elementwise", layers(Share::Elementwise), "Norms, activations and residuals"),
        term(
            "tensor_parallel",
            "Tensor-parallel communication",
            layers(Share::TensorParallel),
            "Sums over the tensor group, and tokens on their way to experts",
        ),
        term(
            "context_parallel",
            "Context-parallel communication",
            layers(Share::ContextParallel),
            "Keys and values on their way around the group that shares a prompt, beyond what attention hides",
        ),
        term("pipeline", "Pipeline sends", times.sends, "Activations from stage to stage"),
        term("ends", "Embedding and output head", times.ends, "For the last position of each sequence"),
        term(
            "draft",
            "Draft",
            times.draft,
            "Reading prompts and proposing tokens that the model then checks together",
        ),
        term(
            "transfer",
            "KV transfer",
            times.transfer,
            "Keys and values on their way to the worker that decodes",
        ),
        term("host", "Host", times.host, "Scheduling, inputs and sampling that no kernel hides"),
    ]
}
