//! What a training job keeps on its fullest GPU.

use super::{TrainingJob, WEIGHT};
use crate::estimate::memory::Footprint;
use crate::plan::Recompute;
use crate::units::Bytes;
use crate::workload::Weights;

/// Bytes per parameter: a 32-bit master weight and two moments.
const OPTIMIZER: Bytes = Bytes::new(12.0);

/// Parameters on one GPU, by how many replicas they have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageParameters {
    /// Those that every member of the tensor group has its part of.
    pub(super) dense: f64,
    /// Those of routed experts.
    pub(super) expert: f64,
}

impl StageParameters {
    fn total(self) -> f64 {
        self.dense + self.expert
    }
}

impl TrainingJob<'_> {
    /// Parameters on one GPU of the first stage: layers, and the embedding.
    pub(super) fn stage_parameters(&self) -> StageParameters {
        let parts = f64::from(self.plan.matrix_parts());
        let embedding = self.architecture.end_parameters(self.plan.pipeline) / parts;
        let layers = self.layer_parameters();
        let share = self.fullest_share();
        StageParameters { dense: layers.dense * share + embedding, expert: layers.expert * share }
    }

    /// Parameters of all layers on one GPU.
    fn layer_parameters(&self) -> StageParameters {
        let shard = self.shard();
        let mut sum = StageParameters::default();
        for (kind, layers) in self.architecture.layer_kinds() {
            let layers = f64::from(layers);
            let Weights { projections, feed_forward, routed, rest } = shard.weights(kind);
            sum.dense += layers * (projections + feed_forward + rest);
            sum.expert += layers * routed;
        }
        sum
    }

    /// Parameters that one GPU's optimizer updates.
    pub(super) fn optimizer_parameters(&self) -> f64 {
        if self.recipe.frozen {
            return 0.0;
        }
        if self.plan.zero >= 1 {
            self.sharded(self.stage_parameters())
        } else {
            self.stage_parameters().total()
        }
    }

    /// What one GPU keeps where all replicas, or those of a shard group, each keep a part.
    fn sharded(&self, parameters: StageParameters) -> f64 {
        let stage = self.gpus / self.plan.pipeline;
        let over = |stride: u32| {
            let replicas = stage / stride;
            f64::from(self.plan.shard_group.map_or(replicas, |group| group.min(replicas)).max(1))
        };
        parameters.dense / over(self.plan.matrix_parts())
            + parameters.expert / over(self.plan.expert * self.plan.expert_tensor())
    }

    /// Memory of the fullest GPU: one of the first stage, which holds the most microbatches in flight, or with large
    /// vocabularies one of the last, which holds the logits.
    pub fn memory(&self) -> Footprint {
        let parameters = self.stage_parameters();
        let (whole, part) = (parameters.total(), self.sharded(parameters));
        // With sharded weights the layer that runs and the next one are whole.
        let layers = f64::from(self.architecture.layers) * self.fullest_share();
        let weights = if self.plan.zero >= 3 { part + 2.0 * whole / layers.max(1.0) } else { whole };
        let gradients = match (self.recipe.frozen, self.plan.zero) {
            (true, _) => 0.0,
            (_, 0 | 1) => whole,
            _ => part,
        };
        let first = self.activations() + if self.plan.pipeline == 1 { self.logits() } else { Bytes::ZERO };
        let last = self.layer_activations() + self.logits();
        Footprint {
            weights: WEIGHT * weights,
            gradients: self.recipe.gradients.element() * gradients,
            optimizer: OPTIMIZER * self.optimizer_parameters() + self.overheads.copies * whole,
            activations: (first.max(last) + self.working()) * self.overheads.activations
                + self.shard().context_buffers(),
            kv_cache: Bytes::ZERO,
            reserve: self.system.assumptions.reserve,
            capacity: self.system.device.capacity,
        }
    }

    /// The head's input, norm and 32-bit logits on the last stage (Korthikanti et al. 2022, section 4.3).
    fn logits(&self) -> Bytes {
        let architecture = self.architecture;
        if architecture.vocab == 0 {
            return Bytes::ZERO;
        }
        let width = f64::from(architecture.hidden) + f64::from(architecture.vocab);
        let shard = self.shard();
        Bytes::new(4.0 * shard.tokens() * width / shard.tensor())
    }

    /// While a layer is recomputed all that its backward pass needs is there.
    fn working(&self) -> Bytes {
        if self.plan.recompute != Recompute::Full {
            return Bytes::ZERO;
        }
        let shard = self.shard();
        let kinds = self.architecture.layer_kinds().into_iter().filter(|(_, layers)| *layers > 0);
        kinds.map(|(kind, _)| shard.saved(kind, Recompute::None)).fold(Bytes::ZERO, Bytes::max)
    }

    /// Activations of one microbatch on the fullest stage.
    fn layer_activations(&self) -> Bytes {
        let shard = self.shard();
        let kinds = self.architecture.layer_kinds().into_iter();
        let all: Bytes =
            kinds.map(|(kind, layers)| shard.saved(kind, self.plan.recompute) * f64::from(layers)).sum();
        all * self.fullest_share()
    }

    /// Activations of all microbatches in flight on the first stage: one per stage of the pipeline, and with
    /// interleaving (1 + (p-1)/pv) times as much (Korthikanti et al. 2022).
    pub fn activations(&self) -> Bytes {
        let stages = f64::from(self.plan.pipeline);
        let interleave = f64::from(self.plan.interleave);
        let in_flight = stages.min(f64::from(self.microbatches()));
        let factor = if interleave > 1.0 { 1.0 + (stages - 1.0) / (stages * interleave) } else { 1.0 };
        self.layer_activations() * (in_flight * factor).min(f64::from(self.microbatches()))
    }
}
