//! Training of prediction modules (MTP) with the model, on the pipeline stage of the output head.
//!
//! Every position passes every module, whose loss needs the output head once more (DeepSeek-V3, arXiv 2412.19437,
//! section 2.2). With a pipeline, the head's stage has a copy of the embedding.

use super::job::TrainingJob;
use super::stage_parameters::StageParameters;
use crate::catalog::layers::{Layer, Prediction};
use crate::units::Bytes;
use crate::workload::{Shard, Weights};

/// Memory that trained modules need on one GPU of the stage of the output head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ModuleMemory {
    /// Number of modules, each of which has logits of its own.
    pub(super) modules: f64,
    /// Their parameters.
    pub(super) parameters: StageParameters,
    /// Activations that one microbatch keeps for the backward pass, without logits.
    pub(super) activations: Bytes,
}

impl TrainingJob<'_> {
    /// The layer of the prediction modules, with their number as its count; `None` if they are not trained.
    pub(super) fn modules(&self) -> Option<Layer> {
        let prediction = self.architecture.prediction.filter(|_| self.recipe.predicts())?;
        Some(prediction.layer(self.architecture))
    }

    /// Memory of the modules; nothing if none are trained.
    pub(super) fn module_memory(&self, shard: &Shard<'_>) -> ModuleMemory {
        let Some(layer) = self.modules() else { return ModuleMemory::default() };
        let modules = f64::from(layer.count);
        let Weights { projections, feed_forward, routed, rest } = shard.weights(&layer);
        let projection = Prediction::projection(self.architecture.hidden);
        let joined = projection.elements() as f64 / f64::from(self.plan.matrix_parts());
        let norms = Prediction::norms(self.architecture) as f64;
        let dense = modules * (projections + feed_forward + rest + joined + norms);
        let parameters = StageParameters::of(dense, modules * routed, modules * (rest + norms));
        let activations = (self.layer_keeps(shard, &layer) + shard.joined_inputs()) * modules;
        ModuleMemory { modules, parameters, activations }
    }

    /// Memory of one microbatch on the stage of the output head beyond that of its layers: logits, also of each module, and
    /// the activations of modules.
    pub(super) fn head_memory(&self) -> Bytes {
        let ModuleMemory { modules, activations, .. } = self.module_memory(&self.shard());
        self.logits() * (1.0 + modules) + activations * self.overheads.activations
    }
}
