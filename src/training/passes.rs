//! Operators of the forward and the backward pass of one microbatch over each sort of layer, before overlap.

use super::framework::Execution;
use super::job::TrainingJob;
use crate::catalog::layers::Layer;
use crate::estimate::tally::{Share, Tally};
use crate::plan::Passes;
use crate::system::{AttentionKernels, Cost, Work};
use crate::units::Seconds;
use crate::workload::{AttentionKernel, Operator, Recompute};

/// Work of one GPU for one microbatch, before overlap and the number of layers of a stage are known.
#[derive(Clone, Debug, Default)]
pub(super) struct LayerTimes {
    /// The passes over a layer of each sort, in the order of `layer_kinds`.
    pub(super) passes: Vec<LayerPasses>,
    /// The passes over the layer of one prediction module, if modules are trained.
    pub(super) module: LayerPasses,
    pub(super) embedding: Seconds,
    pub(super) head: Seconds,
    pub(super) embedding_passes: Passes,
    pub(super) head_passes: Passes,
}

/// The passes over one layer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LayerPasses {
    pub(super) forward: Pass,
    pub(super) backward: Pass,
    /// Part of the forward pass that recomputation repeats.
    pub(super) again: Pass,
}

/// One pass over one layer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pass {
    pub(super) tally: Tally,
    pub(super) operators: f64,
    pub(super) collectives: f64,
    pub(super) weight: Seconds,
}

impl Pass {
    /// Adds an operator, which the host issues by itself or together with another.
    fn add(&mut self, share: Share, time: Seconds, issue: Issue) {
        self.tally.add(share, time);
        if issue == Issue::Own {
            self.operators += 1.0;
        }
        if share == Share::TensorParallel {
            self.collectives += 1.0;
        }
    }

    /// Concatenates two passes.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut sum = *self;
        sum.tally.add_all(&other.tally, 1.0);
        sum.operators += other.operators;
        sum.collectives += other.collectives;
        sum
    }
}

/// Launch of an operator's kernels by the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Issue {
    /// A launch of its own.
    Own,
    /// Together with another operator.
    Joined,
}

/// Visits the operators of the backward pass of an operator; the flag is true if the result is a gradient of weights.
/// Of two products, or two runs over experts, the second one is.
fn gradients(operator: &Operator, frozen: bool, visit: &mut dyn FnMut(Operator, bool)) {
    let weighted = !operator.is_core() && matches!(operator.work, Work::Matmul(_) | Work::Experts(_));
    let mut second = false;
    operator.backward(frozen, &mut |gradient| {
        visit(gradient, weighted && second);
        second = true;
    });
}

impl TrainingJob<'_> {
    /// The work of a microbatch; `record` gets every operator, the number of its runs on a stage, and its cost.
    pub(super) fn layer_times(
        &self,
        record: &mut dyn FnMut(&'static str, &Operator, f64, Cost),
    ) -> LayerTimes {
        let mut times = LayerTimes::default();
        let share = self.fullest_share();
        for layer in self.architecture.layer_kinds() {
            times.passes.push(self.layer(&layer, f64::from(layer.count) * share, record));
        }
        let modules = self.modules();
        if let Some(layer) = modules {
            times.module = self.layer(&layer, f64::from(layer.count), record);
        }
        let shard = self.shard();
        let mut both = |operator: Operator, count: f64, total: &mut Seconds, passes: &mut Passes| {
            let cost = self.cost(&operator);
            record("forward", &operator, count, cost);
            *total += cost.time * count;
            passes.forward += cost.time * count;
            gradients(&operator, self.recipe.frozen, &mut |gradient, of_weight| {
                let cost = self.cost(&gradient);
                record("backward", &gradient, count, cost);
                *total += cost.time * count;
                *(if of_weight { &mut passes.weight } else { &mut passes.input }) += cost.time * count;
            });
        };
        let LayerTimes { embedding, head, embedding_passes, head_passes, .. } = &mut times;
        shard.embedding(&mut |operator| {
            let operator = if self.recipe.frozen { operator.forward_only() } else { operator };
            both(operator, 1.0, embedding, embedding_passes);
        });
        shard.head(shard.tokens(), &mut |operator| both(operator, 1.0, head, head_passes));
        if let Some(Layer { count, .. }) = modules {
            let count = f64::from(count);
            let mut end = |operator| both(operator, count, head, head_passes);
            shard.embedding(&mut end);
            shard.joined(&mut end);
            shard.head(shard.tokens(), &mut end);
        }
        times
    }

    /// Share of the layers in which operators are recomputed, 0 to 1.
    pub(super) fn again_share(&self) -> f64 {
        match self.recomputed() {
            Recompute::None => 0.0,
            Recompute::Selective | Recompute::Outputs | Recompute::Operators => 1.0,
            Recompute::Full => self.plan.recomputed_share(self.architecture.layers),
        }
    }

    fn cost(&self, operator: &Operator) -> Cost {
        self.cost_by(operator, self.overheads.elementwise)
    }

    /// Cost with this factor on the time of elementwise kernels.
    fn cost_by(&self, operator: &Operator, elementwise: f64) -> Cost {
        let kernels = match self.recipe.attention {
            AttentionKernel::Flash2 => AttentionKernels::Earlier,
            _ if self.recipe.framework.attends_with_pytorch() => AttentionKernels::Pytorch,
            _ => AttentionKernels::Fastest,
        };
        let mut cost = self.system.cost_sustained(&operator.work, kernels, self.gpus == 1);
        if matches!(operator.work, Work::Stream(_)) && !operator.is_core() {
            cost.time = cost.time * elementwise;
        }
        cost
    }

    /// Forward and backward pass of one layer, and what of the forward pass runs again.
    fn layer(
        &self,
        layer: &Layer,
        count: f64,
        record: &mut dyn FnMut(&'static str, &Operator, f64, Cost),
    ) -> LayerPasses {
        let mut passes = LayerPasses::default();
        let chosen = count * self.again_share();
        let recomputed = self.recomputed();
        let mut pass = |operator: Operator, frozen: bool, issue: Issue, elementwise: f64| {
            let cost = self.cost_by(&operator, elementwise);
            record("forward", &operator, count, cost);
            passes.forward.add(Share::of(&operator), cost.time, issue);
            let again = recomputed.share_of(&operator);
            if again > 0.0 {
                passes.again.add(Share::Recompute, cost.time * again, issue);
                if chosen > 0.0 {
                    record("recompute", &operator, chosen * again, cost);
                }
            }
            gradients(&operator, frozen, &mut |gradient, of_weight| {
                let cost = self.cost_by(&gradient, elementwise);
                record("backward", &gradient, count, cost);
                passes.backward.add(Share::of(&gradient), cost.time, issue);
                if of_weight {
                    passes.backward.weight += cost.time;
                }
            });
        };
        let shard = self.shard();
        let frozen = self.recipe.frozen;
        let elementwise = self.overheads.elementwise;
        shard.forward(layer, &mut |operator| pass(operator, frozen, Issue::Own, elementwise));
        if let Some(adapters) = self.recipe.adapters() {
            let unpack = &mut |operator| pass(operator, frozen, Issue::Own, elementwise);
            shard.unpack(layer, self.recipe.base, unpack);
            // Eager execution launches each kernel of an adapter. With fused kernels, published steps of few tokens per
            // GPU (MLPerf's, 0.2 s) leave no time for launches of their own.
            let eager = self.recipe.framework.execution() == Some(Execution::Eager);
            let issue = if eager { Issue::Own } else { Issue::Joined };
            let frozen = false;
            // PEFT's kernels are counted one by one.
            let casts = self.recipe.framework.casts_adapters();
            let elementwise = if casts { 1.0 } else { elementwise };
            shard
                .adapters(layer, adapters, casts, &mut |operator| pass(operator, frozen, issue, elementwise));
        }
        passes
    }

    /// Recomputation beyond the kernels' own: the backward pass of a fused attention kernel always recomputes the
    /// scores, so selective recomputation has no effect.
    pub(super) fn recomputed(&self) -> Recompute {
        match (self.plan.recompute, self.recipe.attention) {
            (Recompute::Selective, AttentionKernel::Flash | AttentionKernel::Flash2) => Recompute::None,
            (recompute, _) => recompute,
        }
    }
}
