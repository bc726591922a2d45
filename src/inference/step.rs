//! One step of a served model: its prompts and running requests, the cost of each operator, and the terms of its time.

use super::engine::Engine;
use super::job::InferenceJob;
use super::known_costs::KnownCosts;
use super::pass_times::PassTimes;
use crate::estimate::tally::{Share, Tally};
use crate::system::{AllReduce, Collective, Cost, Operation, Precision, Work};
use crate::units::{Bytes, Seconds};
use crate::workload::{ACTIVATION, AttentionKernel, Mesh, SelectedPrompts, Shard};
use crate::workload::{Operator, Role};

/// Contents of one step of an attention replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Prompts of which a part is prefilled.
    pub(crate) prompts: f64,
    /// Prefilled tokens of each of these prompts.
    pub(crate) chunk: f64,
    /// Keys of each prompt to which the last prefilled token attends.
    pub(crate) keys: f64,
    /// Requests that get their next token.
    pub(crate) running: f64,
    /// Number of equal steps in sequence.
    pub(crate) passes: f64,
}

/// Rounding of a step's slices that is not taken for one more pass.
const ROUNDING: f64 = 1e-9;

impl Step {
    /// One of `slices` equal parts of the step. Keys are the mean over the parts.
    pub(super) fn divided(self, slices: f64) -> Self {
        let chunk = self.chunk / slices;
        let keys = self.keys - 0.5 * (self.chunk - chunk);
        Self { chunk, keys, running: self.running / slices, ..self }
    }
}

impl InferenceJob<'_> {
    /// One GPU's part of a pass over `batch` sequences of `queries` tokens, the last of which attends to `keys` tokens.
    pub(crate) fn shard(&self, batch: f64, queries: f64, keys: f64) -> Shard<'_> {
        let load = self.load;
        let network = &self.system.network;
        let group = network.strided(load.tensor, 1);
        let mesh = Mesh::of_tensor(group);
        // GPUs that share prompts each decode their own requests.
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
            dense: self.dense_precision(),
            replicas: load.data,
            meeting: network.strided(load.tensor.saturating_mul(load.data), 1),
            expert_parts: load.expert,
            exchange: load.engine.exchange(queries > 1.0),
            kv_element: load.kv_precision.element(),
            kept_input: Bytes::ZERO,
            kernel: if queries > 1.0 { self.overheads.prompts } else { AttentionKernel::Flash },
            score: self.overheads.score,
            selected: if load.engine.is_local() { SelectedPrompts::Whole } else { SelectedPrompts::Gathered },
            scans: load.engine.scans(),
            dropout: false,
            fused: true,
            all_reduce: load.algorithm(),
        }
    }

    /// Format of the matrices outside of the routed experts. It determines that of the embedding and of the output head. Files with
    /// experts in MXFP4 have these in Q8_0 as GGUF (ggml-org/llama.cpp, `src/llama-quant.cpp`: `LLAMA_FTYPE_MOSTLY_MXFP4_MOE`), and in
    /// 4 bits as MLX's `MXFP4-Q4`.
    pub(super) fn dense_precision(&self) -> Precision {
        let precision = self.load.precision;
        match self.load.engine.product() {
            _ if self.architecture.moe.is_none() => precision,
            Engine::Llamacpp if precision == Precision::Mxfp4 => Precision::Q8_0,
            Engine::Mlx => precision,
            _ => precision.beside_experts(),
        }
    }

    /// Mean number of tokens that a request's decode steps attend to: the first output token comes from the prefill,
    /// and each later one attends to one more token than the one before.
    pub(crate) fn context(&self) -> f64 {
        self.prompt() + f64::from(self.load.output) / 2.0
    }

    /// Runs one step, shows each operator to `record`, and returns its times.
    pub(crate) fn step(&self, step: Step, record: &mut dyn FnMut(&Operator, f64, Cost)) -> PassTimes {
        if step.prompts <= 0.0 {
            let mut times = self.decode_pass(step, record);
            times.draft = self.drafting(step);
            return times;
        }
        let step = self.sliced(step);
        // Running requests add their tokens to every multiply, and attend by themselves.
        let checked = 1.0 + f64::from(self.load.draft);
        let added = step.running * checked / step.prompts;
        let queries = step.chunk / f64::from(self.load.context) + added;
        let shard = self.shard(step.prompts, queries, step.keys + added);
        let mut times = self.run(&shard, step, checked, record);
        if step.running > 0.0 {
            let decode = self.shard(step.running * checked, 1.0, self.context());
            let mut offloaded = self.offloaded_pass(&step, shard.tokens());
            let mut costs = KnownCosts::default();
            for layer in self.architecture.layer_kinds() {
                costs.begin();
                let counts = self.offloaded_counts(&layer);
                decode.forward(&layer, &mut |operator| {
                    if operator.is_core() {
                        let operator = together(operator, checked);
                        let count =
                            self.divide(&operator, (layer.count, true), counts, &mut offloaded) * step.passes;
                        let cost = costs.cost(&operator, |operator| self.cost(operator, true));
                        record(&operator, count, cost);
                        times.layers.add(Share::Attention, cost.time * count);
                    }
                });
            }
            offloaded.record(self.system, record, &mut times);
            times.draft = self.drafting(step);
        }
        times.draft += self.reading_too(step);
        times.vision = self.seeing_time(step, record);
        times.audio = self.hearing_time(step, record);
        times
    }

    /// The step in passes of an engine's slice of tokens. The numbers of prompts and of running requests are means, so that the
    /// last slice, which is shorter, counts by its share of a whole one. No slice is longer than the engine's, by which its
    /// multiplies would take one more tile.
    fn sliced(&self, step: Step) -> Step {
        let tokens = step.prompts * step.chunk + step.running;
        let slices = (tokens / self.overheads.slice * (1.0 + ROUNDING)).max(1.0);
        Step { passes: step.passes * self.passes_of(slices), ..step.divided(slices) }
    }

    /// Number of an engine's slices that hold these tokens.
    pub(super) fn slices(&self, tokens: f64) -> f64 {
        libm::ceil(tokens / self.overheads.slice - ROUNDING).max(1.0)
    }

    /// Passes that slices of prompts take in a pipeline, whose stages work on several at once: m slices, p at a time, take
    /// (m + p - 1) / p passes.
    pub(super) fn passes_of(&self, slices: f64) -> f64 {
        let abreast = f64::from(self.load.pipeline).min(self.overheads.in_flight);
        (slices + abreast - 1.0) / abreast
    }

    /// The model's pass of a decode-only step, in which each request verifies its proposed tokens.
    fn decode_pass(&self, step: Step, record: &mut dyn FnMut(&Operator, f64, Cost)) -> PassTimes {
        if self.load.expert_gpus > 0 {
            return self.alternating(step, record);
        }
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
        record: &mut dyn FnMut(&Operator, f64, Cost),
    ) -> PassTimes {
        let prompts = step.prompts > 0.0;
        let mut times = self.beside_operators(&step);
        let mut offloaded = self.offloaded_pass(&step, shard.tokens());
        let mut again = Seconds::ZERO;
        let mut costs = KnownCosts::default();
        for layer in self.architecture.layer_kinds() {
            costs.begin();
            let counts = self.offloaded_counts(&layer);
            self.copy_cache(&layer, counts, &step, &mut offloaded);
            shard.forward(&layer, &mut |operator| {
                let operator = if prompts { operator } else { together(operator, checked) };
                let count =
                    self.divide(&operator, (layer.count, prompts), counts, &mut offloaded) * step.passes;
                let cost = costs.cost(&operator, |operator| self.cost(operator, prompts));
                record(&operator, count, cost);
                times.layers.add(Share::of(&operator), cost.time * count);
                again += reread(&operator, &cost) * count;
            });
        }
        if self.load.context > 1 {
            // The attention core works on one part of the keys while the next part arrives.
            let parts = f64::from(self.load.context);
            let behind = times.layers.get(Share::Attention) * ((parts - 1.0) / parts);
            let ring = times.layers.get(Share::ContextParallel);
            times.layers.set(Share::ContextParallel, (ring - behind).max(Seconds::ZERO));
        }
        self.overlap_exchange(&mut times.layers, again);
        times.ends = self.run_ends(shard, step, checked, record);
        times.sends = self.sends(shard, step.passes, record);
        offloaded.record(self.system, record, &mut times);
        times
    }

    /// The times of a pass in addition to those of its operators.
    pub(super) fn beside_operators(&self, step: &Step) -> PassTimes {
        let unfused = self.overheads.unfused * (self.unfused_layers() * step.passes);
        PassTimes { host: self.host_time(step), unfused, ..PassTimes::default() }
    }

    /// Time of the host in a step that no kernel hides.
    fn host_time(&self, step: &Step) -> Seconds {
        let overheads = &self.overheads;
        let sampled = step.prompts + step.running;
        let layers = f64::from(self.architecture.layers);
        overheads.step + overheads.layer * layers + overheads.request * (sampled * step.passes)
    }

    /// Runs the embedding and the output head, and returns their time.
    pub(super) fn run_ends(
        &self,
        shard: &Shard<'_>,
        step: Step,
        checked: f64,
        record: &mut dyn FnMut(&Operator, f64, Cost),
    ) -> Seconds {
        let (head, prompts) = (self.offloaded_layers().head, step.prompts > 0.0);
        let mut ends = Seconds::ZERO;
        let mut end = |operator: Operator| {
            let offloaded = head && matches!(operator.work, Work::Matmul(_));
            let cost = if offloaded {
                self.cost_offloaded(&operator, prompts)
            } else {
                self.cost(&operator, prompts)
            };
            record(&operator, step.passes, cost);
            ends += cost.time * step.passes;
        };
        shard.embedding(&mut end);
        shard.head(step.prompts + step.running * checked, &mut end);
        ends
    }

    /// Hides the exchange of tokens with experts behind kernels where experts span several domains: engines can run the
    /// halves of a batch alternately, so that one exchanges while the other computes (SGLang's
    /// `--enable-two-batch-overlap`, vLLM's `--enable-dbo`). Each half reads all weights, which takes `again` more. Where that
    /// is longer than what it hides, and within a domain, nothing is hidden.
    pub(super) fn overlap_exchange(&self, layers: &mut Tally, again: Seconds) {
        if self.load.expert <= self.system.network.domain {
            return;
        }
        let computing = [Share::Matmul, Share::Attention, Share::Elementwise].map(|share| layers.get(share));
        let exchange = layers.get(Share::ExpertParallel);
        let behind = computing.into_iter().sum::<Seconds>() + again;
        let in_halves = again + (exchange - behind).max(Seconds::ZERO);
        layers.set(Share::ExpertParallel, exchange.min(in_halves));
    }

    /// Activations go from each pipeline stage to the next.
    fn sends(&self, shard: &Shard<'_>, passes: f64, record: &mut dyn FnMut(&Operator, f64, Cost)) -> Seconds {
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
        let operator = Operator { name: "Pipeline send", work, role: Role::Plain };
        let cost = self.cost(&operator, true);
        let count = f64::from(load.pipeline - 1) * passes;
        record(&operator, count, cost);
        cost.time * count
    }
}

/// Time by which a multiply takes longer if each half of its tokens reads the weights.
pub(super) fn reread(operator: &Operator, cost: &Cost) -> Seconds {
    match operator.work {
        Work::Matmul(_) | Work::Experts(_) => (cost.dram * 2.0 - cost.time).max(Seconds::ZERO),
        _ => Seconds::ZERO,
    }
}

/// Combines the tokens of one request that one pass checks. They read the request's cache once, as additional heads of
/// one query (grouped queries of flash decoding): `batch` single tokens become `batch / tokens` requests with `tokens`
/// times as many heads.
pub(super) fn together(mut operator: Operator, tokens: f64) -> Operator {
    if let Work::Attention(attention) = &mut operator.work
        && attention.queries <= 1.0
    {
        attention.batch /= tokens;
        attention.heads *= tokens;
    }
    if let Work::Scan(scan) = &mut operator.work
        && scan.decode
    {
        // Tokens of one request update its state in sequence, in one kernel.
        scan.states = scan.states / tokens;
    }
    operator
}
