//! One training step: forward, backward, communication, bubble, optimizer.

mod balance;
mod communication;
mod framework;
mod memo;
mod memory;
pub mod occupancy;
mod offload;
mod passes;
mod stages;
mod terms;
pub mod timeline;
mod volume;

use serde::{Deserialize, Serialize};

use super::memory::Footprint;
use super::term::{OperatorRow, Term};
use crate::catalog::architecture::Architecture;
use crate::plan::{Axis, Pipeline, Plan};
use crate::system::{AllReduce, Group, Precision, System};
use crate::units::{Bytes, FlopRate, Flops, Seconds};
use crate::workload::flops::ForwardFlops;
use crate::workload::layer::{AttentionKernel, Mesh, Shard};
pub use framework::{Framework, Overheads};
pub use memo::Memo;
pub use volume::Volumes;

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingRecipe {
    /// Sequences per step over all replicas.
    pub batch: u32,
    /// Tokens per sequence.
    pub sequence: u32,
    /// Format of matrix operands; weights and activations stay in 16 bits.
    pub precision: Precision,
    /// How attention is computed.
    pub attention: AttentionKernel,
    /// Whether dropout runs.
    pub dropout: bool,
    /// Format in which gradients are summed over microbatches and replicas: 32 or 16 bits.
    pub gradients: Gradients,
    /// Whether the weights are frozen and only small adapters beside them are trained (LoRA).
    pub frozen: bool,
    /// The software, whose overheads are added.
    pub framework: Framework,
    /// Tokens of the whole run.
    pub tokens: f64,
}

impl Default for TrainingRecipe {
    fn default() -> Self {
        Self {
            batch: 1024,
            sequence: 8192,
            precision: Precision::Bf16,
            attention: AttentionKernel::Flash,
            dropout: false,
            gradients: Gradients::Fp32,
            frozen: false,
            framework: Framework::None,
            tokens: 15e12,
        }
    }
}

/// Format in which gradients are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gradients {
    /// 32 bits.
    #[default]
    Fp32,
    /// 16 bits.
    Bf16,
}

impl Gradients {
    /// Storage of one.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Fp32 => 4.0,
            Self::Bf16 => 2.0,
        })
    }
}

/// A training question in which everything has been looked up and every law holds.
#[derive(Clone, Copy, Debug)]
pub struct TrainingJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The machine.
    pub system: &'a System,
    /// How it is cut.
    pub plan: &'a Plan,
    /// What is trained.
    pub recipe: &'a TrainingRecipe,
    /// How many GPUs.
    pub gpus: u32,
    /// What the software adds.
    pub overheads: Overheads,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingEstimate {
    /// One optimizer step.
    pub step: Seconds,
    /// What the step is the sum of.
    pub terms: Vec<Term>,
    /// Tokens per second over all GPUs.
    pub tokens_per_second: f64,
    /// Tokens per second and GPU.
    pub tokens_per_second_per_gpu: f64,
    /// Model FLOPs over peak FLOPs at the recipe's precision.
    pub mfu: f64,
    /// The same with what is recomputed.
    pub hfu: f64,
    /// FLOPs of the model per step, over all GPUs.
    pub model_flops: Flops,
    /// FLOPs done per step, over all GPUs.
    pub hardware_flops: Flops,
    /// Time to the token budget.
    pub run: Seconds,
    /// Memory of the fullest GPU.
    pub memory: Footprint,
    /// Every operator of one microbatch on one stage.
    pub operators: Vec<OperatorRow>,
    /// Replicas.
    pub data_parallel: u32,
    /// Microbatches per replica and step.
    pub microbatches: u32,
}

/// Bytes per parameter: a 16-bit weight.
const WEIGHT: Bytes = Bytes::new(2.0);
/// Activations sent between stages are 16-bit.
const ACTIVATION: f64 = 2.0;

impl TrainingJob<'_> {
    fn fullest_share(&self) -> f64 {
        f64::from(self.fullest_layers()) / f64::from(self.architecture.layers)
    }

    /// Replicas.
    pub fn data_parallel(&self) -> u32 {
        self.gpus / self.plan.replica()
    }

    /// Microbatches per replica and step.
    pub fn microbatches(&self) -> u32 {
        self.recipe.batch / (self.data_parallel() * self.plan.microbatch)
    }

    /// The pipeline.
    pub fn pipeline(&self) -> Pipeline {
        self.plan.pipeline(self.microbatches())
    }

    /// A group of the plan.
    fn group(&self, first: Axis, last: Axis) -> Group {
        self.plan.group(first, last, self.gpus, &self.system.network)
    }

    /// The GPUs that share an expert's matrices, and those of a stage that have the same part of experts' matrices.
    fn expert_groups(&self) -> (Group, Group) {
        let sharers = self.plan.expert_tensor();
        if sharers == self.plan.tensor {
            return (self.group(Axis::Tensor, Axis::Tensor), self.group(Axis::Context, Axis::Data));
        }
        self.group(Axis::Tensor, Axis::Data).split(sharers)
    }

    /// One microbatch on one GPU.
    pub fn shard(&self) -> Shard<'_> {
        let (expert_tensor, spread) = self.expert_groups();
        let panels = self.plan.panels();
        Shard {
            architecture: self.architecture,
            group: self.group(Axis::Tensor, Axis::Tensor),
            mesh: Mesh {
                context: self.group(Axis::Context, Axis::Context),
                exchange: self.plan.context_kind,
                panels,
                expert: spread.split(self.plan.expert).0,
                expert_tensor,
            },
            // A grid cuts widths rather than the sequence: norms are shared out just as evenly.
            sequence_parallel: (self.plan.sequence_parallel || panels > 0) && self.plan.tensor > 1,
            batch: f64::from(self.plan.microbatch),
            queries: f64::from(self.recipe.sequence / self.plan.context),
            keys: f64::from(self.recipe.sequence),
            precision: self.recipe.precision,
            projection: self.recipe.precision,
            replicas: 1,
            meeting: Group::ALONE,
            expert_parts: 1,
            // Training keeps no cache: keys and values are read once.
            kv_element: Bytes::ZERO,
            kernel: self.recipe.attention,
            score: Bytes::new(2.0),
            dropout: self.recipe.dropout,
            fused: false,
            all_reduce: AllReduce::Library,
        }
    }

    /// The step's time and everything that it is made of.
    pub fn estimate(&self) -> TrainingEstimate {
        let mut operators = Vec::new();
        let layer = self.layer_times(&mut |phase, operator, count, cost| {
            operators.push(OperatorRow::new(phase, operator, count, cost));
        });
        let times = self.stage_times(&layer);
        let terms: Vec<Term> = self.terms(&times).collect();
        let step: Seconds = terms.iter().map(|term| term.time).sum();
        self.assemble(step, terms, operators)
    }

    /// The step's time alone, for rankings.
    pub fn step(&self) -> Seconds {
        Memo::default().step(self)
    }

    pub(super) fn assemble(
        &self,
        step: Seconds,
        terms: Vec<Term>,
        operators: Vec<OperatorRow>,
    ) -> TrainingEstimate {
        let batch = f64::from(self.recipe.batch);
        let gpus = f64::from(self.gpus);
        let tokens = batch * f64::from(self.recipe.sequence);
        let forward = ForwardFlops::of(self.architecture, f64::from(self.recipe.sequence));
        let model_flops = forward.model() * batch;
        let again = self.again_share();
        let hardware_flops =
            (forward.hardware(self.recomputed()) * again + forward.model() * (1.0 - again)) * batch;
        let peak: FlopRate = self.system.device.rate(self.recipe.precision) * gpus;
        let tokens_per_second = tokens / step.get();
        TrainingEstimate {
            step,
            terms: terms.into_iter().filter(|term| term.time > Seconds::ZERO).collect(),
            tokens_per_second,
            tokens_per_second_per_gpu: tokens_per_second / gpus,
            mfu: model_flops / step / peak,
            hfu: hardware_flops / step / peak,
            model_flops,
            hardware_flops,
            run: Seconds::new(self.recipe.tokens / tokens_per_second),
            memory: self.memory(),
            operators,
            data_parallel: self.data_parallel(),
            microbatches: self.microbatches(),
        }
    }
}
