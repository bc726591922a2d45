//! Converts training questions to the terms of arXiv 2410.00273, and its model's results to a [`TrainingEstimate`].

use super::{Attention, Degrees, Link, Links, Machine, Memory, Plan, Step, Strategy, Transformer};
use crate::catalog::architecture::{Architecture, Bias, Norm};
use crate::estimate::{Footprint, OperatorRow, Term};
use crate::plan::{self, Law, Offload, ParallelAxis, Placement, Schedule, TensorKind};
use crate::system::{Bound, Cost, Precision, System};
use crate::training::{Framework, Gradients, Optimizer, TrainingEstimate, TrainingJob, TrainingRecipe};
use crate::units::Seconds;
use crate::workload::{AttentionKernel, ContextKind, Recompute};

/// A setting outside the paper's model: the field's document path, and the only case that the model covers.
pub type Outside = (&'static str, &'static str);

impl TrainingJob<'_> {
    /// The machine and the model in the paper's terms, or all settings outside the paper's model. The plan is not
    /// checked.
    pub fn as_subramanian(&self) -> Result<(Machine, Transformer), Vec<Outside>> {
        let outside = [of_model(self.architecture), of_recipe(self.recipe), fused(self.recipe)].concat();
        if outside.is_empty() { Ok((machine(self.system), transformer(self))) } else { Err(outside) }
    }

    /// Checks the plan by the paper's rules: sequences need not be divisible, since its divisions drop remainders, and
    /// any number of panels is allowed.
    pub fn check_subramanian(&self) -> Result<(), Law> {
        let plan::Plan { tensor, context, .. } = *self.plan;
        let anything = plan::Plan { panels: None, ..*self.plan };
        let sequence = tensor.saturating_mul(context);
        anything.check(self.architecture, self.gpus, self.recipe.batch, sequence)?;
        self.plan.check_placement(self.gpus, self.system.network.domain)?;
        let sequence = self.recipe.sequence;
        let unit =
            if self.plan.tensor_kind == TensorKind::Grid { context } else { tensor.saturating_mul(context) };
        let tokens = u64::from(self.plan.microbatch) * u64::from(sequence);
        if sequence < unit || !tokens.is_multiple_of(u64::from(unit)) {
            return Err(Law::ContextDividesSequence { sequence, context: unit });
        }
        Ok(())
    }

    /// The training step by the paper's model, or all settings outside it.
    pub fn by_subramanian(&self) -> Result<TrainingEstimate, Vec<Outside>> {
        let outside: Vec<Outside> = [
            of_model(self.architecture),
            of_plan(self.plan, self.architecture),
            of_recipe(self.recipe),
            self.kernels(),
        ]
        .concat();
        if !outside.is_empty() {
            return Err(outside);
        }
        let (machine, model) = (machine(self.system), transformer(self));
        let plan = cut(self).ok_or_else(|| vec![("parallelism.placement.tensor", WHOLE)])?;
        let step = machine.step(&model, &plan, self.recipe.batch);
        let mut rows = Vec::new();
        let layers = f64::from(model.depth / plan.degrees.pipeline);
        machine.operators(&model, &plan, &mut |operator| {
            for (phase, pass) in [("forward", operator.forward), ("backward", operator.backward)] {
                let (compute, dram, network) = (pass.compute, pass.memory, pass.communication);
                let bound = if network > compute + dram {
                    Bound::Network
                } else if dram > compute {
                    Bound::Dram
                } else {
                    Bound::Compute
                };
                let cost = Cost { time: pass.time(), compute, dram, network, bound, ..Cost::default() };
                rows.push(OperatorRow {
                    name: operator.name,
                    phase,
                    shape: String::new(),
                    count: layers,
                    cost,
                });
            }
        });
        let Memory { weights, gradients, optimizer, activations } = step.memory;
        let memory = Footprint {
            weights,
            gradients,
            optimizer,
            activations,
            capacity: self.system.device.capacity,
            ..Footprint::default()
        };
        Ok(TrainingEstimate { memory, bare_memory: None, ..self.assemble(step.time, terms(&step), rows) })
    }
}

impl TrainingJob<'_> {
    /// Checks the attention kernels: separate ones need a strategy that does not shard the sequence.
    fn kernels(&self) -> Vec<Outside> {
        let plan = self.plan;
        let uncut = plan.tensor_kind == TensorKind::Line && plan.context == 1;
        if uncut && plan.recompute == Recompute::Selective { Vec::new() } else { fused(self.recipe) }
    }
}

fn fused(recipe: &TrainingRecipe) -> Vec<Outside> {
    let unfused = recipe.attention == AttentionKernel::Unfused;
    let has = "attention in one kernel; in several with selective recomputation and one-dimensional tensor parallelism";
    found(&[(!unfused, "recipe.attention", has)])
}

const WHOLE: &str = "groups spread evenly over domains";

fn found(checks: &[(bool, &'static str, &'static str)]) -> Vec<Outside> {
    checks.iter().filter(|(fine, ..)| !fine).map(|&(_, field, has)| (field, has)).collect()
}

fn of_model(model: &Architecture) -> Vec<Outside> {
    let plain = !model.gated && !model.parallel_block && model.heads == model.kv_heads;
    let dense = model.moe.is_none() && model.mla.is_none() && model.window.is_none();
    let square = u64::from(model.heads) * u64::from(model.head_dim) == u64::from(model.hidden);
    let biased = model.bias == Bias::All && model.norm == Norm::Layernorm;
    found(&[(
        plain && dense && square && biased,
        "model",
        "GPT and ViT layers: biases, LayerNorm, two-matrix feed-forward blocks, as many key-value as query heads",
    )])
}

fn of_plan(plan: &plan::Plan, model: &Architecture) -> Vec<Outside> {
    let grid = plan.tensor_kind == TensorKind::Grid;
    let gathered = plan.context == 1 || plan.context_kind == ContextKind::Gather;
    let sharded = grid || plan.tensor == 1 || plan.sequence_parallel;
    found(&[
        (sharded, "parallelism.sequence_parallel", "tensor parallelism with sequence parallelism"),
        (gathered, "parallelism.context_kind", "keys and values gathered before attention"),
        (plan.even(model.layers), "parallelism.pipeline", "the same number of layers in every stage"),
        (plan.interleave == 1, "parallelism.interleave", "one chunk per stage"),
        (plan.schedule == Schedule::Alternating, "parallelism.schedule", "the 1F1B schedule"),
        (plan.offload == Offload::default(), "parallelism.offload", "everything kept on the device"),
        (plan.zero == 1, "parallelism.zero", "an optimizer state sharded over all replicas (ZeRO-1)"),
        (plan.shard_group.is_none(), "parallelism.shard_group", "states sharded over all replicas"),
        (plan.recompute != Recompute::Full, "parallelism.recompute", "recomputation of attention only"),
        (plan.expert == 1, "parallelism.expert", "no experts"),
        (!plan.tensor_overlap, "parallelism.tensor_overlap", "tensor-parallel communication without overlap"),
        (
            plan.data_overlap,
            "parallelism.data_overlap",
            "data-parallel communication overlapped with computation",
        ),
    ])
}

fn of_recipe(recipe: &TrainingRecipe) -> Vec<Outside> {
    found(&[
        (recipe.precision.is_half(), "recipe.precision", "16-bit operands"),
        (recipe.dropout, "recipe.dropout", "dropout in every layer"),
        (recipe.gradients == Gradients::Bf16, "recipe.gradients", "16-bit gradients"),
        (recipe.checks_us == 0, "recipe.checks_us", "no checks of collectives"),
        (recipe.loss_chunks == 1, "recipe.loss_chunks", "loss in one part"),
        (recipe.optimizer == Optimizer::Adam, "recipe.optimizer", "AdamW with 32-bit state"),
        (!recipe.frozen, "recipe.frozen", "all weights trained"),
        (
            matches!(recipe.framework, Framework::Typical | Framework::None),
            "recipe.framework",
            "no software overhead",
        ),
    ])
}

/// The machine in the paper's terms: constants of links from the assumption set, the rest from the device.
fn machine(system: &System) -> Machine {
    let (network, links) = (&system.network, &system.network.constants);
    Machine {
        matrix: system.device.rate(Precision::Bf16),
        vector: system.device.vector16,
        dram: system.device.dram,
        capacity: system.device.capacity,
        links: Links {
            fast: Link {
                bandwidth: network.scale_up,
                efficiency: links.scale_up.efficiency,
                latency: links.scale_up.step,
            },
            slow: Link {
                bandwidth: network.scale_out * (1.0 / network.adapters),
                efficiency: links.scale_out.efficiency,
                latency: links.scale_out.hop,
            },
            adapters: network.adapters,
        },
        domain: network.domain,
    }
}

fn transformer(job: &TrainingJob<'_>) -> Transformer {
    let model = job.architecture;
    Transformer {
        sequence: job.recipe.sequence,
        width: model.hidden,
        heads: model.heads,
        ffn: model.ffn,
        depth: model.layers,
        norm_fault: true,
        attention: match job.recipe.attention {
            AttentionKernel::Unfused => Attention::Recomputed,
            _ => Attention::Fused,
        },
    }
}

/// The plan in the paper's terms; `None` if a group is spread unevenly over domains.
fn cut(job: &TrainingJob<'_>) -> Option<Plan> {
    let plan = job.plan;
    let [first, second, data, pipeline] =
        [ParallelAxis::Tensor, ParallelAxis::Context, ParallelAxis::Data, ParallelAxis::Pipeline]
            .map(|axis| plan.group(axis, axis, job.gpus, &job.system.network));
    let whole = [first, second, data, pipeline].iter().all(|group| group.size.is_multiple_of(group.inside));
    let strategy = match (plan.tensor_kind, plan.context_kind) {
        (TensorKind::Grid, _) => Strategy::Summa { panels: plan.panels() },
        (TensorKind::Line, ContextKind::Gather) => Strategy::Context,
        _ => Strategy::OneD,
    };
    let degrees =
        Degrees { first: first.size, second: second.size, data: data.size, pipeline: pipeline.size };
    let inside =
        Degrees { first: first.inside, second: second.inside, data: data.inside, pipeline: pipeline.inside };
    whole.then_some(Plan { strategy, degrees, inside, microbatch: plan.microbatch })
}

impl Plan {
    /// The plan as a scenario's plan, for which the Training view gives the same step.
    pub fn as_plan(&self) -> plan::Plan {
        let Self { strategy, degrees, inside, microbatch } = *self;
        let (tensor_kind, panels) = match strategy {
            Strategy::Summa { panels } => (TensorKind::Grid, Some(panels)),
            Strategy::OneD | Strategy::Context => (TensorKind::Line, None),
        };
        let context_kind = match strategy {
            Strategy::OneD => ContextKind::default(),
            Strategy::Summa { .. } | Strategy::Context => ContextKind::Gather,
        };
        plan::Plan {
            tensor: degrees.first,
            tensor_kind,
            panels,
            pipeline: degrees.pipeline,
            microbatch,
            context: degrees.second,
            context_kind,
            placement: Placement {
                tensor: Some(inside.first),
                context: Some(inside.second),
                data: Some(inside.data),
                pipeline: Some(inside.pipeline),
            },
            ..plan::Plan::default()
        }
    }
}

fn terms(step: &Step) -> Vec<Term> {
    let term = |id, label, time: Seconds, why| Term { id, label, time, why };
    vec![
        term(
            "matmul",
            "Arithmetic",
            step.compute,
            "All kernels at 0.8 of the peak rates, plus 20 microseconds of launch for each",
        ),
        term("elementwise", "DRAM", step.dram, "DRAM time of kernels in excess of their arithmetic"),
        term(
            "tensor_parallel",
            "Tensor- and context-parallel communication",
            step.tensor,
            "Rings inside layers, exposed except where a SUMMA grid overlaps them with its multiplies",
        ),
        term("bubble", "Pipeline bubble", step.bubble, "Filling and draining the pipeline"),
        term("pipeline", "Pipeline communication", step.pipeline, "One message per microbatch and direction"),
        term(
            "data_parallel",
            "Data-parallel communication",
            step.data,
            "Weights are all-gathered during the forward pass, gradients reduce-scattered during the backward pass",
        ),
    ]
}
