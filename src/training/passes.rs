//! Forward and backward pass of one microbatch on one stage, and the overlap of their communication.

use super::framework::Execution;
use super::job::TrainingJob;
use crate::catalog::layers::Layer;
use crate::estimate::tally::{Share, Tally};
use crate::plan::{Passes, Plan};
use crate::system::{AttentionKernels, Cost, Work, p_norm};
use crate::units::Seconds;
use crate::workload::{AttentionKernel, Operator, Recompute};

/// Times that make up a step, per microbatch and stage unless stated otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageTimes {
    /// Layers, both passes, by what the time is spent on.
    pub(super) layers: Tally,
    pub(super) embedding: Seconds,
    pub(super) head: Seconds,
    /// Layers, forward.
    pub(super) forward: Seconds,
    /// Layers, backward.
    pub(super) backward: Seconds,
    /// Part of the backward time that computes gradients of weights.
    pub(super) weight: Seconds,
    /// The embedding by pass.
    pub(super) embedding_passes: Passes,
    /// The head by pass.
    pub(super) head_passes: Passes,
}

impl StageTimes {
    /// Layers by pass.
    pub(super) fn passes(&self) -> Passes {
        Passes {
            forward: self.forward,
            input: (self.backward - self.weight).max(Seconds::ZERO),
            weight: self.weight.min(self.backward),
        }
    }
}

/// Work of one GPU for one microbatch, before overlap and the number of layers of a stage are known.
#[derive(Clone, Debug, Default)]
pub(super) struct LayerTimes {
    /// The passes over a layer of each sort, in the order of `layer_kinds`.
    passes: Vec<LayerPasses>,
    /// The passes over the layer of one prediction module, if modules are trained.
    module: LayerPasses,
    embedding: Seconds,
    head: Seconds,
    embedding_passes: Passes,
    head_passes: Passes,
}

/// The passes over one layer.
#[derive(Clone, Copy, Debug, Default)]
struct LayerPasses {
    forward: Pass,
    backward: Pass,
    /// Part of the forward pass that recomputation repeats.
    again: Pass,
}

/// One pass over one layer.
#[derive(Clone, Copy, Debug, Default)]
struct Pass {
    tally: Tally,
    operators: f64,
    collectives: f64,
    weight: Seconds,
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
    fn and(&self, other: &Self) -> Self {
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

    /// Times of the forward and the backward pass of a microbatch over a stage.
    pub(super) fn stage_times(&self, layer: &LayerTimes) -> StageTimes {
        let mut times = StageTimes {
            embedding: layer.embedding,
            head: layer.head,
            embedding_passes: layer.embedding_passes,
            head_passes: layer.head_passes,
            ..StageTimes::default()
        };
        let share = self.fullest_share();
        for (passes, kind) in layer.passes.iter().zip(self.architecture.layer_kinds()) {
            self.add_layers(passes, f64::from(kind.count) * share, &mut times);
        }
        // Prediction modules are on the stage of the output head.
        if let Some(Layer { count, .. }) = self.modules() {
            let mut modules = StageTimes::default();
            self.add_layers(&layer.module, f64::from(count), &mut modules);
            let passes = modules.passes();
            times.head += modules.forward + modules.backward;
            times.head_passes.forward += passes.forward;
            times.head_passes.input += passes.input;
            times.head_passes.weight += passes.weight;
        }
        times
    }

    /// Adds the passes over `count` layers.
    fn add_layers(&self, passes: &LayerPasses, count: f64, times: &mut StageTimes) {
        let LayerPasses { forward, backward, again } = passes;
        times.weight += backward.weight * count;
        // Layers with recomputation first, then those without.
        let chosen = count * if again.operators > 0.0 { self.again_share() } else { 0.0 };
        times.forward += self.exposed(forward, count, &mut times.layers);
        times.backward += self.exposed(&backward.and(again), chosen, &mut times.layers);
        times.backward += self.exposed(backward, count - chosen, &mut times.layers);
    }

    /// Communication of a microbatch on a stage that computation hides: of tensor, context and expert parallelism.
    pub(super) fn overlapped(&self, layer: &LayerTimes, times: &StageTimes) -> Seconds {
        let stage = self.fullest_share();
        let hidden = |share| {
            let of_layer =
                |passes: &LayerPasses| passes.forward.tally.get(share) + passes.backward.tally.get(share);
            let kinds = layer.passes.iter().zip(self.architecture.layer_kinds());
            let all: Seconds =
                kinds.map(|(passes, kind)| of_layer(passes) * (f64::from(kind.count) * stage)).sum();
            (all - times.layers.get(share)).max(Seconds::ZERO)
        };
        [Share::TensorParallel, Share::ContextParallel, Share::ExpertParallel].map(hidden).into_iter().sum()
    }

    /// Share of the layers in which operators are recomputed, 0 to 1.
    pub(super) fn again_share(&self) -> f64 {
        match self.recomputed() {
            Recompute::None => 0.0,
            Recompute::Selective | Recompute::Outputs | Recompute::Operators => 1.0,
            Recompute::Full => self.plan.recomputed_share(self.architecture.layers),
        }
    }

    /// Times of the forward and the backward pass of one microbatch over one layer, averaged over the stage. Exposed
    /// communication is in both, recomputation in the backward pass.
    pub fn layer_passes(&self) -> (Seconds, Seconds) {
        let times = self.stage_times(&self.layer_times(&mut |_, _, _, _| {}));
        let layers = f64::from(self.architecture.layers) * self.fullest_share();
        (times.forward / layers, times.backward / layers)
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

    /// Time in which the host launches a pass over one layer.
    fn issued(&self, pass: &Pass) -> Seconds {
        let overheads = &self.overheads;
        let Plan { tensor, pipeline, .. } = *self.plan;
        let checked = self.check(tensor) * pass.collectives;
        let chunk =
            f64::from(self.architecture.layers) * self.fullest_share() / f64::from(self.plan.interleave);
        let sends = if pipeline > 1 { 1.0 / chunk } else { 0.0 };
        overheads.issue * pass.operators + checked + overheads.send * sends
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

    /// Exposed time of a pass over `layers` layers, added to a tally: overlapped communication counts as far as it
    /// outlasts the computation that hides it, and the host as far as the device waits for it.
    fn exposed(&self, pass: &Pass, layers: f64, sum: &mut Tally) -> Seconds {
        if layers <= 0.0 {
            return Seconds::ZERO;
        }
        let mut tally = pass.tally;
        if self.plan.tensor_overlap {
            // Multiplies run on the parts that have arrived: the first part can hide behind nothing.
            let all = tally.get(Share::TensorParallel);
            let first = all / f64::from(self.plan.tensor);
            tally.set(Share::TensorParallel, (all - tally.get(Share::Matmul)).max(first));
        }
        let members = pass.collectives * f64::from(self.plan.tensor);
        if self.plan.tensor > self.system.network.domain {
            tally.add(Share::TensorParallel, self.overheads.hop * members);
        }
        // The core works on one part of the keys while the next arrives.
        let parts = f64::from(self.plan.context);
        let hiding = if self.plan.context_kind.hides() { (parts - 1.0) / parts } else { 0.0 };
        let behind = tally.get(Share::Attention) * hiding;
        tally.set(Share::ContextParallel, (tally.get(Share::ContextParallel) - behind).max(Seconds::ZERO));
        // Host and device run at uneven paces, so the device waits at times even if it is slower on average.
        let issued = self.issued(pass).get();
        let alone = tally.total().get();
        tally.set(Share::Host, Seconds::new(p_norm(issued, alone, self.overheads.uneven) - alone));
        sum.add_all(&tally, layers);
        tally.total() * layers
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
