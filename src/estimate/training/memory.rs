//! What a training job keeps on its fullest GPU.

use super::{TrainingJob, WEIGHT};
use crate::estimate::memory::Footprint;
use crate::plan::Recompute;
use crate::units::Bytes;

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
    /// Parameters on one GPU of the first stage: layers, and the embedding, or both ends of a model that runs both
    /// ways.
    pub(super) fn stage_parameters(&self) -> StageParameters {
        let tensor = f64::from(self.plan.tensor);
        let copies = self.plan.schedule.copies();
        let stages = if copies > 1 { 1 } else { self.plan.pipeline };
        let embedding = self.architecture.end_parameters(stages) / tensor;
        let layers = self.layer_parameters();
        let share = self.fullest_share() * f64::from(copies);
        StageParameters { dense: layers.dense * share + embedding, expert: layers.expert * share }
    }

    /// GPUs that hold the same layers, or another part of them.
    pub(super) fn holders(&self) -> u32 {
        self.gpus / self.plan.pipeline * self.plan.schedule.copies()
    }

    /// Parameters of all layers on one GPU: what the tensor group cuts is divided, what every member needs is whole,
    /// experts are spread.
    fn layer_parameters(&self) -> StageParameters {
        let shard = self.shard();
        let experts = f64::from(self.plan.expert) * f64::from(self.plan.expert_tensor());
        let mut sum = StageParameters::default();
        for (kind, layers) in self.architecture.layer_kinds() {
            let layers = f64::from(layers);
            let routed = if kind.experts { self.architecture.routed_parameters() } else { 0.0 };
            let weights = shard.weights(kind);
            let feed_forward = weights.feed_forward - routed / shard.tensor();
            sum.dense += layers * (weights.projections + feed_forward + weights.rest);
            sum.expert += layers * routed / experts;
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
        let stage = self.holders();
        let over = |stride: u32| {
            let replicas = stage / stride;
            f64::from(self.plan.shard_group.map_or(replicas, |group| group.min(replicas)).max(1))
        };
        parameters.dense / over(self.plan.tensor)
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
        // A GPU with both ends of the model has the logits beside all microbatches in flight.
        let both_ends = self.plan.pipeline == 1 || self.plan.schedule.copies() > 1;
        let overheads = &self.overheads;
        let logits = self.logits() * overheads.logits;
        let kept = self.activations() * overheads.activations;
        let first = kept + if both_ends { logits } else { Bytes::ZERO };
        // The head's stage may have fewer layers than others.
        let fewer = f64::from(self.missing_layers()) / f64::from(self.fullest_layers());
        let last = self.layer_activations() * (overheads.activations * (1.0 - fewer)) + logits;
        Footprint {
            weights: WEIGHT * weights,
            gradients: self.recipe.gradients.element() * gradients,
            optimizer: OPTIMIZER * self.optimizer_parameters() + overheads.copies * whole,
            activations: first.max(last) + self.working() * overheads.activations,
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
        if self.plan.recomputed_share(self.architecture.layers) <= 0.0 {
            return Bytes::ZERO;
        }
        let shard = self.shard();
        let kinds = self.architecture.layer_kinds().into_iter().filter(|(_, layers)| *layers > 0);
        kinds.map(|(kind, _)| shard.saved(kind, Recompute::None)).fold(Bytes::ZERO, Bytes::max)
    }

    /// Activations of one microbatch on the fullest stage.
    fn layer_activations(&self) -> Bytes {
        let shard = self.shard();
        let whole = self.plan.recomputed_share(self.architecture.layers);
        let kept = |kind| {
            if self.plan.recompute != Recompute::Full {
                return shard.saved(kind, self.plan.recompute);
            }
            shard.saved(kind, Recompute::Full) * whole + shard.saved(kind, Recompute::None) * (1.0 - whole)
        };
        let kinds = self.architecture.layer_kinds().into_iter();
        let all: Bytes = kinds.map(|(kind, layers)| kept(kind) * f64::from(layers)).sum();
        all * self.fullest_share()
    }

    /// Activations of all microbatches in flight on the stage that has the most of them.
    pub fn activations(&self) -> Bytes {
        self.layer_activations() * self.pipeline().in_flight()
    }
}
