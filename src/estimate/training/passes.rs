//! One microbatch on one stage: the forward and the backward pass, and what of their communication hides.

use super::TrainingJob;
use crate::estimate::tally::{Share, Tally};
use crate::plan::{Plan, Recompute};
use crate::system::{Cost, Work, p_norm};
use crate::units::Seconds;
use crate::workload::{AttentionKernel, LayerKind, Operator};

/// The times that a step is composed of, per microbatch and stage unless said.
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
}

/// Exponent that joins the times of host and device.
const UNEVEN: f64 = 10.0;

/// One pass over one layer.
#[derive(Clone, Copy, Debug, Default)]
struct Pass {
    tally: Tally,
    operators: f64,
    collectives: f64,
}

impl Pass {
    fn add(&mut self, share: Share, time: Seconds) {
        self.tally.add(share, time);
        self.operators += 1.0;
        if share == Share::TensorParallel {
            self.collectives += 1.0;
        }
    }
}

impl TrainingJob<'_> {
    /// Both passes of a microbatch; `record` sees every operator, how often it runs, and what it costs.
    pub(super) fn stage_times(
        &self,
        record: &mut impl FnMut(&'static str, &Operator, f64, Cost),
    ) -> StageTimes {
        let mut times = StageTimes::default();
        let share = self.fullest_share();
        for (kind, layers) in self.architecture.layer_kinds() {
            if layers == 0 {
                continue;
            }
            let count = f64::from(layers) * share;
            let (forward, backward) = self.layer(kind, count, record);
            for (pass, total) in [(forward, &mut times.forward), (backward, &mut times.backward)] {
                let tally = self.exposed(&pass);
                times.layers.add_all(&tally, count);
                *total += tally.total() * count;
            }
        }
        let shard = self.shard();
        let mut both = |operator: Operator, total: &mut Seconds| {
            let cost = self.cost(&operator);
            record("forward", &operator, 1.0, cost);
            *total += cost.time;
            operator.backward(self.recipe.frozen, &mut |gradient| {
                let cost = self.cost(&gradient);
                record("backward", &gradient, 1.0, cost);
                *total += cost.time;
            });
        };
        shard.embedding(&mut |operator| both(operator, &mut times.embedding));
        shard.head(shard.tokens(), &mut |operator| both(operator, &mut times.head));
        times
    }

    fn cost(&self, operator: &Operator) -> Cost {
        let earlier = self.recipe.attention == AttentionKernel::Flash2;
        let mut cost = self.system.cost_sustained(&operator.work, earlier);
        if matches!(operator.work, Work::Stream(_)) && !operator.core {
            cost.time = cost.time * self.overheads.elementwise;
        }
        cost
    }

    /// How long the host takes to issue a pass over one layer.
    fn issued(&self, pass: &Pass) -> Seconds {
        let overheads = &self.overheads;
        let Plan { tensor, pipeline, .. } = *self.plan;
        let relayed = tensor > 2 && pipeline > 1 && self.gpus > self.system.network.domain;
        let members = if relayed { pass.collectives * f64::from(tensor) } else { 0.0 };
        let chunk =
            f64::from(self.architecture.layers) * self.fullest_share() / f64::from(self.plan.interleave);
        let sends = if pipeline > 1 { 1.0 / chunk } else { 0.0 };
        overheads.issue * pass.operators + overheads.relay * members + overheads.send * sends
    }

    /// Forward and backward pass of one layer.
    fn layer(
        &self,
        kind: LayerKind,
        count: f64,
        record: &mut impl FnMut(&'static str, &Operator, f64, Cost),
    ) -> (Pass, Pass) {
        let (mut forward, mut backward) = (Pass::default(), Pass::default());
        let recomputed = self.recomputed();
        self.shard().forward(kind, &mut |operator| {
            let cost = self.cost(&operator);
            record("forward", &operator, count, cost);
            forward.add(Share::of(&operator), cost.time);
            let again = match recomputed {
                Recompute::None => false,
                Recompute::Selective => operator.core,
                Recompute::Full => true,
            };
            if again {
                record("recompute", &operator, count, cost);
                backward.add(Share::Recompute, cost.time);
            }
            operator.backward(self.recipe.frozen, &mut |gradient| {
                let cost = self.cost(&gradient);
                record("backward", &gradient, count, cost);
                backward.add(Share::of(&gradient), cost.time);
            });
        });
        (forward, backward)
    }

    /// What a pass takes: communication that overlaps counts as far as it outlasts what it hides behind, the device
    /// as far as it waits for its host.
    fn exposed(&self, pass: &Pass) -> Tally {
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
        // Host and device run at their own uneven paces: the device waits now and then even where it is the slower.
        let issued = self.issued(pass).get();
        let alone = tally.total().get();
        tally.set(Share::Host, Seconds::new(p_norm(issued, alone, UNEVEN) - alone));
        tally
    }

    /// What is run again beside the kernels' own work: a fused attention kernel forms its scores anew in its
    /// backward pass whatever the plan says, which leaves nothing to recompute selectively.
    pub(super) fn recomputed(&self) -> Recompute {
        match (self.plan.recompute, self.recipe.attention) {
            (Recompute::Selective, AttentionKernel::Flash | AttentionKernel::Flash2) => Recompute::None,
            (recompute, _) => recompute,
        }
    }
}
