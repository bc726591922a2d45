//! One training step: forward, backward, communication, bubble, optimizer.

mod memory;

use serde::{Deserialize, Serialize};

use super::memory::Footprint;
use super::tally::{Share, Tally};
use super::term::{OperatorRow, Term};
use crate::catalog::architecture::Architecture;
use crate::plan::{Plan, Recompute};
use crate::system::{Collective, Group, Operation, Precision, System};
use crate::units::{Bytes, FlopRate, Flops, Seconds};
use crate::workload::flops::ForwardFlops;
use crate::workload::layer::{AttentionKernel, Shard};
use crate::workload::{Operator, ends};

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
            tokens: 15e12,
        }
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
/// Bytes per parameter: a 32-bit gradient sum.
const GRADIENT: Bytes = Bytes::new(4.0);
/// Activations sent between stages are 16-bit.
const ACTIVATION: f64 = 2.0;

/// The times that a step is composed of, per microbatch and stage unless said.
#[derive(Clone, Copy, Debug, Default)]
struct StageTimes {
    layers: Tally,
    embedding: Seconds,
    head: Seconds,
    forward: Seconds,
    backward: Seconds,
}

impl TrainingJob<'_> {
    fn fullest_share(&self) -> f64 {
        self.plan.fullest_share(self.architecture.layers)
    }

    /// Replicas.
    pub fn data_parallel(&self) -> u32 {
        self.gpus / (self.plan.tensor * self.plan.pipeline)
    }

    /// Microbatches per replica and step.
    pub fn microbatches(&self) -> u32 {
        self.recipe.batch / (self.data_parallel() * self.plan.microbatch)
    }

    /// One microbatch on one GPU.
    pub fn shard(&self) -> Shard<'_> {
        Shard {
            architecture: self.architecture,
            group: Group::strided(self.plan.tensor, 1, self.system.network.domain),
            sequence_parallel: self.plan.sequence_parallel && self.plan.tensor > 1,
            batch: f64::from(self.plan.microbatch),
            queries: f64::from(self.recipe.sequence),
            keys: f64::from(self.recipe.sequence),
            precision: self.recipe.precision,
            projection: self.recipe.precision,
            replicas: 1,
            domain: self.system.network.domain,
            expert_parts: 1,
            // Training keeps no cache: keys and values are read once.
            kv_element: Bytes::ZERO,
            kernel: self.recipe.attention,
            dropout: self.recipe.dropout,
            fused: false,
            direct: false,
        }
    }

    /// The step's time and everything that it is made of.
    pub fn estimate(&self) -> TrainingEstimate {
        let mut operators = Vec::new();
        let times = self.stage_times(&mut |phase, operator, count, cost| {
            operators.push(OperatorRow::new(phase, operator, count, cost));
        });
        let terms = self.terms(&times);
        let step: Seconds = terms.iter().map(|term| term.time).sum();
        self.assemble(step, terms, operators)
    }

    /// The step's time alone, for rankings.
    pub fn step(&self) -> Seconds {
        let times = self.stage_times(&mut |_, _, _, _| {});
        self.terms(&times).iter().map(|term| term.time).sum()
    }

    fn stage_times(
        &self,
        record: &mut impl FnMut(&'static str, &Operator, f64, crate::system::Cost),
    ) -> StageTimes {
        let shard = self.shard();
        let mut times = StageTimes::default();
        let share = self.fullest_share();
        let recomputed = self.recomputed();
        for (kind, layers) in self.architecture.layer_kinds() {
            if layers == 0 {
                continue;
            }
            let count = f64::from(layers) * share;
            shard.forward(kind, &mut |operator| {
                let cost = self.system.cost(&operator.work);
                record("forward", &operator, count, cost);
                times.layers.add(Share::of(&operator), cost.time * count);
                times.forward += cost.time * count;
                let again = match recomputed {
                    Recompute::None => false,
                    Recompute::Selective => operator.core,
                    Recompute::Full => true,
                };
                if again {
                    record("recompute", &operator, count, cost);
                    times.layers.add(Share::Recompute, cost.time * count);
                    times.backward += cost.time * count;
                }
                operator.backward(&mut |gradient| {
                    let cost = self.system.cost(&gradient.work);
                    record("backward", &gradient, count, cost);
                    times.layers.add(Share::of(&gradient), cost.time * count);
                    times.backward += cost.time * count;
                });
            });
        }
        let mut both = |operator: Operator, total: &mut Seconds| {
            let cost = self.system.cost(&operator.work);
            record("forward", &operator, 1.0, cost);
            *total += cost.time;
            operator.backward(&mut |gradient| {
                let cost = self.system.cost(&gradient.work);
                record("backward", &gradient, 1.0, cost);
                *total += cost.time;
            });
        };
        shard.embedding(&mut |operator| both(operator, &mut times.embedding));
        shard.head(shard.tokens(), &mut |operator| both(operator, &mut times.head));
        times
    }

    /// What is run again beside the kernels' own work: a fused attention kernel forms its scores anew in its
    /// backward pass whatever the plan says, which leaves nothing to recompute selectively.
    fn recomputed(&self) -> Recompute {
        match (self.plan.recompute, self.recipe.attention) {
            (Recompute::Selective, AttentionKernel::Flash) => Recompute::None,
            (recompute, _) => recompute,
        }
    }

    /// The addends of a step, in the order in which they are shown.
    fn terms(&self, times: &StageTimes) -> [Term; 10] {
        let microbatches = f64::from(self.microbatches());
        let layers = times.layers.total();
        let whole = layers / self.fullest_share();
        // The slowest stage sets the pace; what the others wait for it fills up as bubble. Uneven stages put
        // the ends where a layer is missing.
        let missing = if self.plan.even(self.architecture.layers) {
            Seconds::ZERO
        } else {
            whole / f64::from(self.architecture.layers)
        };
        let ends = times.embedding + times.head;
        let slowest_end = if self.plan.pipeline == 1 {
            ends
        } else {
            (times.embedding.max(times.head) - missing).max(Seconds::ZERO)
        };
        let others = whole - layers + ends - slowest_end;
        let bubble = others / f64::from(self.plan.interleave);
        let times_all = |share| times.layers.get(share) * microbatches;
        [
            Term {
                id: "matmul",
                label: "Matrix multiplies",
                time: times_all(Share::Matmul),
                why: "Projections and feed-forward blocks, forward and backward, over all microbatches of a stage",
            },
            Term {
                id: "attention",
                label: "Attention",
                time: times_all(Share::Attention),
                why: "Scores, softmax and weighted values, forward and backward",
            },
            Term {
                id: "elementwise",
                label: "Elementwise",
                time: times_all(Share::Elementwise),
                why: "Norms, activations, dropouts and residuals: bound by DRAM",
            },
            Term {
                id: "recompute",
                label: "Recomputation",
                time: times_all(Share::Recompute),
                why: "Forward work repeated in the backward pass to save memory",
            },
            Term {
                id: "tensor_parallel",
                label: "Tensor-parallel communication",
                time: times_all(Share::TensorParallel),
                why: "All-gathers and reduce-scatters, or all-reduces, around each block, not hidden",
            },
            Term {
                id: "ends",
                label: "Embedding and output head",
                time: slowest_end * microbatches,
                why: "On the stage that has the longer of the two; the other stages wait for it",
            },
            Term {
                id: "bubble",
                label: "Pipeline bubble",
                time: bubble,
                why: "Filling and draining the pipeline: the work of the other stages, divided by the interleave",
            },
            Term {
                id: "pipeline",
                label: "Pipeline communication",
                time: self.pipeline_communication(),
                why: "Activations and their gradients sent between stages",
            },
            Term {
                id: "data_parallel",
                label: "Data-parallel communication",
                time: self.data_communication(times),
                why: "Gradients and weights over the replicas, beyond what hides behind computation",
            },
            Term {
                id: "optimizer",
                label: "Optimizer step",
                time: self.system.cost(&ends::adam(self.optimizer_parameters()).work).time,
                why: "Adam reads and writes weights, gradients and moments once",
            },
        ]
    }

    /// Each microbatch crosses each chunk boundary once forward and once backward.
    fn pipeline_communication(&self) -> Seconds {
        if self.plan.pipeline == 1 {
            return Seconds::ZERO;
        }
        let stride = self.plan.tensor * self.data_parallel();
        let shard = self.shard();
        // Each member of the tensor group sends its part; the receivers gather it inside the domain.
        let message = shard.tokens() * f64::from(self.architecture.hidden) * ACTIVATION / shard.tensor();
        // The slowest boundary paces the pipeline: one link between domains is enough.
        let stages = Group::strided(self.plan.pipeline, stride, self.system.network.domain);
        let inside = if stages.domains() > 1 { 1 } else { 2 };
        let send = Collective {
            operation: Operation::SendReceive,
            bytes: Bytes::new(message),
            group: Group { size: 2, inside },
            direct: false,
        };
        let once = self.system.cost(&crate::system::Work::Collective(send)).time;
        once * (2.0 * f64::from(self.plan.interleave) * f64::from(self.microbatches()))
    }

    /// Gradients are summed behind the last backward pass, weights gathered behind the first forward pass;
    /// the bucket of one layer can hide behind nothing.
    fn data_communication(&self, times: &StageTimes) -> Seconds {
        let replicas = self.data_parallel();
        let group = Group::strided(replicas, self.plan.tensor, self.system.network.domain);
        let parameters = self.stage_parameters();
        let time = |operation, element: Bytes| {
            let collective = Collective { operation, bytes: element * parameters, group, direct: false };
            self.system.cost(&crate::system::Work::Collective(collective)).time
        };
        let buckets = f64::from(self.architecture.layers) * self.fullest_share();
        let exposed = |total: Seconds, hidden_by: Seconds| (total - hidden_by).max(total / buckets.max(1.0));
        if self.plan.zero >= 1 {
            exposed(time(Operation::ReduceScatter, GRADIENT), times.backward)
                + exposed(time(Operation::AllGather, WEIGHT), times.forward)
        } else {
            exposed(time(Operation::AllReduce, GRADIENT), times.backward)
        }
    }

    fn assemble(&self, step: Seconds, terms: [Term; 10], operators: Vec<OperatorRow>) -> TrainingEstimate {
        let batch = f64::from(self.recipe.batch);
        let gpus = f64::from(self.gpus);
        let tokens = batch * f64::from(self.recipe.sequence);
        let forward = ForwardFlops::of(self.architecture, f64::from(self.recipe.sequence));
        let model_flops = forward.model() * batch;
        let hardware_flops = forward.hardware(self.recomputed()) * batch;
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
