//! Activations that a training job keeps for the backward pass, logits included.

use super::job::TrainingJob;
use crate::catalog::layers::Layer;
use crate::units::Bytes;
use crate::workload::{Recompute, Shard};

impl TrainingJob<'_> {
    /// The head's input, norm and 32-bit logits on the last stage (Korthikanti et al. 2022, section 4.3), and
    /// additional memory of the software.
    pub(super) fn logits(&self) -> Bytes {
        self.logits_of(&self.shard())
    }

    pub(super) fn logits_of(&self, shard: &Shard<'_>) -> Bytes {
        let architecture = self.architecture;
        if architecture.vocab == 0 {
            return Bytes::ZERO;
        }
        let part = f64::from(architecture.vocab) / f64::from(self.recipe.loss_chunks);
        let width = f64::from(architecture.hidden) + part;
        Bytes::new(4.0 * shard.tokens() * width / shard.tensor()) * self.overheads.logits
    }

    /// While a layer is recomputed all that its backward pass needs is there.
    pub(super) fn working(&self) -> Bytes {
        self.working_of(&self.shard())
    }

    pub(super) fn working_of(&self, shard: &Shard<'_>) -> Bytes {
        if self.plan.recomputed_share(self.architecture.layers) <= 0.0 {
            return Bytes::ZERO;
        }
        let kinds = self.architecture.layer_kinds();
        kinds.map(|layer| self.saved(shard, &layer, Recompute::None)).fold(Bytes::ZERO, Bytes::max)
    }

    /// Activations of one microbatch on the fullest stage.
    pub(super) fn layer_activations(&self) -> Bytes {
        self.activations_of(&self.shard()) * self.fullest_share()
    }

    /// Activations of one microbatch on one GPU, of all layers.
    pub(super) fn activations_of(&self, shard: &Shard<'_>) -> Bytes {
        let kinds = self.architecture.layer_kinds();
        kinds.map(|layer| self.layer_keeps(shard, &layer) * f64::from(layer.count)).sum()
    }

    /// Activations of one microbatch that one layer keeps, the mean of those that are recomputed and the others.
    pub(super) fn layer_keeps(&self, shard: &Shard<'_>, layer: &Layer) -> Bytes {
        if self.plan.recompute != Recompute::Full {
            return self.saved(shard, layer, self.plan.recompute);
        }
        let whole = self.plan.recomputed_share(self.architecture.layers);
        let kept = self.saved(shard, layer, Recompute::None);
        self.saved(shard, layer, Recompute::Full) * whole + kept * (1.0 - whole)
    }

    /// Activations that one layer keeps of a microbatch for its backward pass.
    fn saved(&self, shard: &Shard<'_>, layer: &Layer, recompute: Recompute) -> Bytes {
        let saved = shard.saved(layer, recompute);
        match (self.recipe.adapters(), recompute) {
            (Some(adapters), Recompute::None | Recompute::Selective | Recompute::Outputs) => {
                saved - shard.unneeded(layer, adapters.targets)
            }
            _ => saved,
        }
    }

    /// Activations of the given number of microbatches in flight on a GPU of the fullest stage.
    pub(super) fn kept(&self, microbatches: f64) -> Bytes {
        self.kept_of(self.layer_activations(), microbatches)
    }

    pub(super) fn kept_of(&self, activations: Bytes, microbatches: f64) -> Bytes {
        let all = activations * microbatches;
        let layers = f64::from(self.fullest_layers()) * microbatches;
        Self::resident(all, layers, self.plan.offload.activations)
    }

    /// Activations of all microbatches in flight on the stage that has the most of them.
    pub fn activations(&self) -> Bytes {
        self.layer_activations() * self.pipeline().in_flight()
    }
}
