//! What a training job keeps on its fullest GPU.

use super::{GRADIENT, TrainingJob, WEIGHT};
use crate::estimate::memory::Footprint;
use crate::units::Bytes;

/// Bytes per parameter: a 32-bit master weight and two moments.
const OPTIMIZER: Bytes = Bytes::new(12.0);
impl TrainingJob<'_> {
    /// Parameters on one GPU of the first stage: layers, and the embedding.
    pub(super) fn stage_parameters(&self) -> f64 {
        let tensor = f64::from(self.plan.tensor);
        let embedding = self.architecture.end_parameters(self.plan.pipeline) / tensor;
        self.layer_parameters() * self.fullest_share() + embedding
    }

    /// Parameters of all layers on one member of the tensor group: matrices are sharded, norms are not.
    fn layer_parameters(&self) -> f64 {
        let tensor = f64::from(self.plan.tensor);
        self.architecture
            .layer_kinds()
            .into_iter()
            .map(|(kind, layers)| {
                let matrices = self.architecture.matrix_parameters(kind.experts);
                let vectors = self.architecture.vector_parameters(kind.experts);
                f64::from(layers) * (matrices / tensor + vectors)
            })
            .sum()
    }

    pub(super) fn optimizer_parameters(&self) -> f64 {
        let share = if self.plan.zero >= 1 { f64::from(self.data_parallel()) } else { 1.0 };
        self.stage_parameters() / share
    }

    /// Memory of a GPU of the first stage, which holds the most microbatches in flight.
    pub fn memory(&self) -> Footprint {
        let parameters = self.stage_parameters();
        Footprint {
            weights: WEIGHT * parameters,
            gradients: GRADIENT * parameters,
            optimizer: OPTIMIZER * self.optimizer_parameters(),
            activations: self.activations() + self.end_activations(),
            kv_cache: Bytes::ZERO,
            reserve: self.system.assumptions.reserve,
            capacity: self.system.device.capacity,
        }
    }

    /// Without a pipeline the head's input, norm and 32-bit logits are kept beside the layers' activations
    /// (Korthikanti et al. 2022, section 4.3); with one they are on the last stage, which holds one microbatch.
    fn end_activations(&self) -> Bytes {
        let architecture = self.architecture;
        if self.plan.pipeline > 1 || architecture.vocab == 0 {
            return Bytes::ZERO;
        }
        let width = f64::from(architecture.hidden) + f64::from(architecture.vocab);
        let shard = self.shard();
        Bytes::new(4.0 * shard.tokens() * width / shard.tensor())
    }

    /// Activations of all microbatches in flight on the first stage: one per stage of the pipeline, and with
    /// interleaving (1 + (p-1)/pv) times as much (Korthikanti et al. 2022).
    pub fn activations(&self) -> Bytes {
        let shard = self.shard();
        let stages = f64::from(self.plan.pipeline);
        let interleave = f64::from(self.plan.interleave);
        let in_flight = stages.min(f64::from(self.microbatches()));
        let factor = if interleave > 1.0 { 1.0 + (stages - 1.0) / (stages * interleave) } else { 1.0 };
        self.architecture
            .layer_kinds()
            .into_iter()
            .map(|(kind, layers)| shard.saved(kind, self.plan.recompute) * f64::from(layers))
            .sum::<Bytes>()
            * ((in_flight * factor).min(f64::from(self.microbatches())) * self.fullest_share())
    }
}
