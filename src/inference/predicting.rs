//! Drafting by the model's own prediction modules (MTP): their time in a step, their weights and their cache.
//!
//! The k-th token that a step proposes comes from the k-th module, and from the first again after the last (vLLM,
//! `deepseek_mtp.py`: `spec_step_idx % num_mtp_layers`; vllm-project/vllm#13626; "MTP Eagle" of TensorRT-LLM's blog on
//! DeepSeek-R1).

use super::draft::Draft;
use super::job::InferenceJob;
use super::step::{Step, reread, together};
use crate::catalog::layers::{Layer, Prediction};
use crate::estimate::tally::{Share, Tally};
use crate::units::{Bytes, Seconds};
use crate::workload::{ACTIVATION, Shard};

impl InferenceJob<'_> {
    /// The layer of the prediction modules, with their number as its count; `None` if they do not draft.
    pub(super) fn modules(&self) -> Option<Layer> {
        let drafts = self.load.draft > 0 && self.draft == Some(Draft::Modules);
        let prediction = self.architecture.prediction.filter(|_| drafts)?;
        Some(prediction.layer(self.architecture))
    }

    /// Time of the modules to propose the tokens of a step.
    ///
    /// The first pass of each module takes every token that the model has just checked, because the accepted ones enter the
    /// module's cache; later passes take one token per request.
    pub(super) fn predicting(&self, layer: &Layer, step: Step) -> Seconds {
        let (proposed, checked) = (f64::from(self.load.draft), 1.0 + f64::from(self.load.draft));
        let first = f64::from(layer.count).min(proposed);
        let pass = |tokens: f64| {
            let shard = self.shard(step.running * tokens, 1.0, self.context());
            self.module_pass(&shard, layer, tokens, step.running)
        };
        let later = if proposed > first { pass(1.0) * (proposed - first) } else { Seconds::ZERO };
        (pass(checked) * first + later) * step.passes
    }

    /// Prefill time of the drafting modules for the prompts of a step.
    pub(super) fn reading_ahead(&self, layer: &Layer, step: Step) -> Seconds {
        let reading = f64::from(layer.count.min(self.load.draft));
        let shard = self.shard(step.prompts, step.chunk, step.keys);
        self.module_pass(&shard, layer, 1.0, step.prompts) * (reading * step.passes)
    }

    /// Time of one pass through one module with `checked` tokens per request, and `sampled` positions at the
    /// output head.
    fn module_pass(&self, shard: &Shard<'_>, layer: &Layer, checked: f64, sampled: f64) -> Seconds {
        let prompts = shard.queries > 1.0;
        let (mut layers, mut ends) = (Tally::default(), Seconds::ZERO);
        let mut again = Seconds::ZERO;
        shard.forward(layer, &mut |operator| {
            let operator = if prompts { operator } else { together(operator, checked) };
            let cost = self.cost(&operator, prompts);
            layers.add(Share::of(&operator), cost.time);
            again += reread(&operator, &cost);
        });
        self.overlap_exchange(&mut layers, again);
        let mut end = |operator| ends += self.cost(&operator, prompts).time;
        shard.embedding(&mut end);
        shard.joined(&mut end);
        shard.head(sampled, &mut end);
        layers.total() + ends
    }

    /// Weights of the modules on one GPU.
    pub(super) fn module_weights(&self, shard: &Shard<'_>) -> Bytes {
        let Some(layer) = self.modules() else { return Bytes::ZERO };
        let projection = Prediction::projection(self.architecture.hidden);
        let joined = projection.elements() as f64;
        let norms = Bytes::new(Prediction::norms(self.architecture) as f64 * ACTIVATION);
        let each = self.layer_weights(shard, &layer).all + shard.dense.head_element() * joined + norms;
        each * f64::from(layer.count)
    }

    /// Bytes of the KV cache and states of one request at this length in all modules, on one GPU.
    pub(super) fn module_cache(&self, shard: &Shard<'_>, length: f64) -> Bytes {
        let cache = |layer: Layer| self.layer_cache(shard, &layer, length) * f64::from(layer.count);
        self.modules().map_or(Bytes::ZERO, cache)
    }
}
