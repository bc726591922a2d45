//! Memory of a training job's fullest GPU.

use super::framework::Framework;
use super::job::TrainingJob;
use super::optimizer::WEIGHT;
use super::prediction::ModuleMemory;
use super::recipe::Gradients;
use super::stage_parameters::StageParameters;
use crate::estimate::Footprint;
use crate::units::Bytes;
use crate::workload::{Shard, Weights};

/// Memory that all layers of the model need on one GPU, before they are divided into stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerMemory {
    parameters: StageParameters,
    /// Activations that one microbatch keeps for the backward pass.
    activations: Bytes,
    /// Activations of the layer that is recomputed, while it is.
    working: Bytes,
    /// See [`TrainingJob::logits`].
    logits: Bytes,
    /// Buffers of context parallelism for the layer that runs.
    buffers: Bytes,
    /// Prediction modules, if they are trained.
    modules: ModuleMemory,
}

impl TrainingJob<'_> {
    /// Parameters on one GPU of the first stage: layers, and the embedding, or both ends of a model that runs both
    /// ways. If prediction modules are trained, those of the last stage if it has more.
    pub(super) fn stage_parameters(&self) -> StageParameters {
        let shard = self.shard();
        let (layers, modules) = (self.layer_parameters(&shard), self.module_memory(&shard));
        let first = self.first_stage(layers, modules.parameters);
        if modules.modules <= 0.0 || self.has_both_ends() {
            return first;
        }
        let last = self.stage(self.plan.pipeline - 1, layers, modules.parameters);
        if last.total() > first.total() { last } else { first }
    }

    /// Returns true if a GPU of the first stage has the output head too.
    fn has_both_ends(&self) -> bool {
        self.plan.pipeline == 1 || self.plan.schedule.copies() > 1
    }

    fn first_stage(&self, layers: StageParameters, modules: StageParameters) -> StageParameters {
        let stages = if self.plan.schedule.copies() > 1 { 1 } else { self.plan.pipeline };
        let first = self.layers_and(layers, self.architecture.end_parameters(stages), 1.0);
        if self.has_both_ends() { first.and(modules) } else { first }
    }

    /// Parameters on one GPU of a stage: its layers, the embedding on the first stage, the head, or a copy of the
    /// embedding, on the last.
    pub(super) fn parameters_of(&self, stage: u32) -> StageParameters {
        let shard = self.shard();
        self.stage(stage, self.layer_parameters(&shard), self.module_memory(&shard).parameters)
    }

    fn stage(&self, stage: u32, layers: StageParameters, modules: StageParameters) -> StageParameters {
        let last = stage + 1 == self.plan.pipeline;
        if self.plan.schedule.copies() > 1 {
            let inside = stage > 0 && !last;
            let there = if inside { 0.0 } else { self.architecture.end_parameters(1) };
            let own = self.layers_and(layers, there, 1.0);
            return if inside { own } else { own.and(modules) };
        }
        let (embedding, head) = self.architecture.ends();
        // Modules need the embedding as well.
        let copied = if self.modules().is_some() { head + embedding } else { head };
        let there = match (stage == 0, last) {
            (true, _) => self.architecture.end_parameters(self.plan.pipeline),
            (_, true) => (if head > 0 { copied } else { embedding }) as f64,
            _ => 0.0,
        };
        let share = f64::from(self.stage_layers(stage)) / f64::from(self.fullest_layers());
        let own = self.layers_and(layers, there, share);
        if last { own.and(modules) } else { own }
    }

    /// Parameters of a stage with this fraction of the fullest stage's layers, and with additional parameters.
    fn layers_and(&self, layers: StageParameters, ends: f64, share: f64) -> StageParameters {
        let share = self.fullest_share() * f64::from(self.plan.schedule.copies()) * share;
        let ends = ends / f64::from(self.plan.matrix_parts());
        StageParameters {
            dense: layers.dense * share + ends,
            expert: layers.expert * share,
            plain: layers.plain * share + ends,
            adapters: layers.adapters * share,
        }
    }

    /// GPUs that hold the same layers, or another part of them.
    pub(super) fn holders(&self) -> u32 {
        self.gpus / self.plan.pipeline * self.plan.schedule.copies()
    }

    /// Parameters of all layers on one GPU: what the tensor group cuts is divided, what every member needs is whole,
    /// experts are spread.
    fn layer_parameters(&self, shard: &Shard<'_>) -> StageParameters {
        let mut sum = StageParameters::default();
        for layer in self.architecture.layer_kinds() {
            let layers = f64::from(layer.count);
            let Weights { projections, feed_forward, routed, rest } = shard.weights(&layer);
            sum.dense += layers * (projections + feed_forward + rest);
            sum.expert += layers * routed;
            sum.plain += layers * rest;
            if let Some(adapters) = self.recipe.adapters() {
                sum.adapters += layers * shard.adapter_parameters(&layer, adapters);
            }
        }
        sum
    }

    /// Parameters that are trained: all of these, or their adapters.
    pub(super) fn trained(&self, parameters: StageParameters) -> StageParameters {
        if self.recipe.frozen { parameters.of_adapters() } else { parameters }
    }

    /// Parameters of the larger end of the model on one GPU, if they are trained.
    fn largest_end(&self) -> f64 {
        let (embedding, head) = self.architecture.ends();
        if self.recipe.frozen {
            0.0
        } else {
            embedding.max(head) as f64 / f64::from(self.plan.matrix_parts())
        }
    }

    /// Parameters that one GPU's optimizer updates.
    pub(super) fn optimizer_parameters(&self) -> f64 {
        self.optimized(self.stage_parameters())
    }

    /// Number of these parameters that one GPU's optimizer updates.
    fn optimized(&self, parameters: StageParameters) -> f64 {
        let trained = self.trained(parameters);
        if self.plan.zero == 0 { trained.total() } else { self.sharded(trained).total() }
    }

    /// State of one GPU's optimizer.
    pub(super) fn optimizer_state(&self) -> Bytes {
        self.recipe.optimizer.state() * self.optimizer_parameters()
    }

    /// Storage of these weights on one GPU, its adapters included.
    pub(super) fn held(&self, parameters: StageParameters) -> Bytes {
        let held = if self.plan.zero >= 3 { self.sharded(parameters) } else { parameters };
        self.stored(held)
    }

    /// Storage of these weights and of their adapters. Frozen matrices may be quantised.
    pub(super) fn stored(&self, parameters: StageParameters) -> Bytes {
        let all = WEIGHT * (parameters.total() + parameters.adapters);
        if !self.recipe.frozen {
            return all;
        }
        let saved = WEIGHT - self.recipe.base.element().min(WEIGHT);
        all - saved * (parameters.total() - parameters.plain)
    }

    /// The part of these parameters that one GPU stores if they are sharded over all replicas or over a shard group.
    fn sharded(&self, parameters: StageParameters) -> StageParameters {
        let stage = self.holders();
        let over = |stride: u32| {
            let replicas = stage / stride;
            f64::from(self.plan.shard_group.map_or(replicas, |group| group.min(replicas)).max(1))
        };
        let dense = over(self.plan.matrix_parts());
        StageParameters {
            dense: parameters.dense / dense,
            expert: parameters.expert / over(self.plan.expert * self.plan.expert_tensor()),
            plain: parameters.plain / dense,
            adapters: parameters.adapters / dense,
        }
    }

    /// Memory of the fullest GPU: one of the first stage, which holds the most microbatches in flight, or with large
    /// vocabularies one of the last, which holds the logits.
    pub fn memory(&self) -> Footprint {
        self.memory_of(&self.layer_memory())
    }

    /// Memory without overheads of software, if the recipe names no software.
    pub(super) fn bare_memory(&self) -> Option<Bytes> {
        let bare = Self { overheads: self.overheads.without_memory(), ..*self };
        (self.recipe.framework == Framework::Typical).then(|| bare.memory().total())
    }

    /// Memory that all layers need on one GPU.
    pub(super) fn layer_memory(&self) -> LayerMemory {
        let shard = self.shard();
        LayerMemory {
            parameters: self.layer_parameters(&shard),
            activations: self.activations_of(&shard),
            working: self.working_of(&shard),
            logits: self.logits_of(&shard),
            buffers: shard.context_buffers(),
            modules: self.module_memory(&shard),
        }
    }

    /// The memory of [`Self::memory`], given what all layers need.
    pub(super) fn memory_of(&self, all: &LayerMemory) -> Footprint {
        let layers = f64::from(self.fullest_layers());
        let ModuleMemory { modules, parameters, activations: of_modules } = all.modules;
        let (states, _) = self.states(self.first_stage(all.parameters, parameters), layers);
        let pipeline = self.pipeline();
        let logits = all.logits * pipeline.logits() * (1.0 + modules);
        let activations = all.activations * self.fullest_share();
        // A GPU with both ends of the model has the logits in addition to all microbatches in flight.
        let both_ends = self.has_both_ends();
        let excess = self.overheads.activations;
        let kept = |microbatches| self.kept_of(activations, microbatches);
        let head = logits + self.kept_of(of_modules, pipeline.in_flight_last()) * excess;
        let first = (kept(pipeline.in_flight()) * excess, if both_ends { head } else { Bytes::ZERO });
        // The head's stage may have fewer layers than others.
        let there = 1.0 - f64::from(self.missing_layers()) / f64::from(self.fullest_layers());
        let last = (kept(pipeline.in_flight_last()) * (excess * there), head);
        // Where gradients are freed after each step, they grow while activations are freed. The peak is then either at the
        // beginning of the backward pass, without gradients, or at its end, with one layer's activations.
        let frees = self.recipe.framework.frees_gradients() && self.microbatches() == 1;
        let one_layer = activations * (excess / layers.max(1.0));
        let with = |states: Footprint, (kept, head): (Bytes, Bytes)| {
            let working = all.working * excess;
            let activations = if frees {
                let beginning = kept + head.max(working);
                (beginning - states.gradients.min(beginning)).max(one_layer.min(kept) + working)
            } else {
                kept + head + working
            };
            Footprint { activations: activations + all.buffers, ..states }
        };
        if modules <= 0.0 || both_ends {
            return with(states, if first.0 + first.1 < last.0 + last.1 { last } else { first });
        }
        let stage = self.plan.pipeline - 1;
        let parameters = self.stage(stage, all.parameters, parameters);
        let (states_there, _) = self.states(parameters, f64::from(self.stage_layers(stage)));
        let (first, last) = (with(states, first), with(states_there, last));
        if last.total() > first.total() { last } else { first }
    }

    /// Permanent memory of a GPU with these parameters and layers, and the part of it that is gathered weights.
    pub(super) fn states(&self, parameters: StageParameters, layers: f64) -> (Footprint, Bytes) {
        // With sharded weights, the running layer and the next one are gathered.
        let gathered = if self.plan.zero >= 3 { 2.0 / layers.max(1.0) } else { 0.0 };
        let gathered = self.stored(parameters) * gathered;
        let offload = self.plan.offload;
        // A stage with fewer layers and an end of the model keeps at most the same fraction on the accelerator as the
        // fullest stage.
        let fullest = f64::from(self.fullest_layers());
        let weights = Self::resident(self.held(parameters), fullest, offload.weights);
        let state = self.recipe.optimizer.state() * self.optimized(parameters);
        let trained = self.trained(parameters);
        let released = self.recipe.gradients == Gradients::Released && self.microbatches() == 1;
        let gradients = match self.plan.zero {
            _ if released => (trained.total() / layers.max(1.0)).max(self.largest_end()),
            0 | 1 => trained.total(),
            _ => self.sharded(trained).total(),
        };
        let states = Footprint {
            weights: weights + gathered,
            gradients: self.recipe.gradients.element() * gradients,
            optimizer: Self::resident(state, fullest, offload.optimizer)
                + self.overheads.copies * trained.total(),
            activations: Bytes::ZERO,
            kv_cache: Bytes::ZERO,
            reserve: self.system.assumptions.reserve,
            capacity: self.system.device.capacity,
        };
        (states, gathered)
    }
}
