//! Times of the forward and the backward pass of one microbatch over one stage, with the overlap of their communication.

use super::job::TrainingJob;
use super::passes::{LayerPasses, LayerTimes, Pass};
use crate::catalog::layers::Layer;
use crate::estimate::tally::{Share, Tally};
use crate::plan::{Passes, Plan};
use crate::system::p_norm;
use crate::units::Seconds;

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

    /// All-to-alls of a microbatch that the computation of another can hide.
    pub(super) fn coverable(&self) -> Seconds {
        let travel = self.layers.get(Share::ExpertParallel);
        travel.min(self.layers.total() - travel)
    }
}

impl TrainingJob<'_> {
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
        self.overlap_experts(&mut times);
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

    /// Takes out the all-to-alls that overlap the computation of another microbatch, averaged over all microbatches.
    fn overlap_experts(&self, times: &mut StageTimes) {
        let share = self.plan.overlapping_share(self.microbatches());
        let hidden = times.coverable() * share;
        if hidden <= Seconds::ZERO {
            return;
        }
        let rest = 1.0 - hidden / times.layers.total();
        times.layers.set(Share::ExpertParallel, times.layers.get(Share::ExpertParallel) - hidden);
        times.forward = times.forward * rest;
        times.backward = times.backward * rest;
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

    /// Times of the forward and the backward pass of one microbatch over one layer, averaged over the stage. Exposed
    /// communication is in both, recomputation in the backward pass.
    pub fn layer_passes(&self) -> (Seconds, Seconds) {
        let times = self.stage_times(&self.layer_times(&mut |_, _, _, _| {}));
        let layers = f64::from(self.fullest_layers());
        (times.forward / layers, times.backward / layers)
    }

    /// Time in which the host launches a pass over one layer.
    fn issued(&self, pass: &Pass) -> Seconds {
        let overheads = &self.overheads;
        let Plan { pipeline, .. } = *self.plan;
        let chunk = f64::from(self.fullest_layers()) / f64::from(self.plan.interleave);
        let sends = if pipeline > 1 { 1.0 / chunk } else { 0.0 };
        overheads.issue * pass.operators + overheads.send * sends
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
        // Host and device run at uneven paces, so the device waits at times even if it is slower on average. During the checks of
        // collectives the device executes kernels that were launched before, so the pass takes at least the host's time.
        let issued = self.issued(pass).get();
        let checked = issued + (self.check(self.plan.tensor) * pass.collectives).get();
        let alone = tally.total().get();
        let joined = p_norm(issued, alone, self.overheads.uneven).max(checked);
        tally.set(Share::Host, Seconds::new(joined - alone));
        sum.add_all(&tally, layers);
        tally.total() * layers
    }
}
