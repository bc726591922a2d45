//! Numbers of parameters, counted from the shape of a model.

use serde::Serialize;

use super::architecture::Architecture;
use super::layers::{Bias, FeedForward, Layer, Moe, Norm};

/// Numbers of parameters of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parameters {
    /// Number of all parameters.
    pub total: u64,
    /// Parameters that one token is multiplied with, including embedding and head.
    pub active: u64,
    /// Token embedding and learned positions.
    pub embedding: u64,
    /// Output head; 0 if it is tied to the embedding.
    pub head: u64,
}

impl Architecture {
    /// Matrices of a feed-forward block.
    fn blocks(&self) -> u64 {
        if self.gated { 3 } else { 2 }
    }

    /// Elements of a layer's feed-forward matrices, with `experts` as the number of routed experts that count.
    pub fn feed_forward_matrices(&self, layer: &Layer, experts: impl FnOnce(&Moe) -> u32) -> u64 {
        match &layer.ffn {
            FeedForward::None => 0,
            FeedForward::Dense(width) => self.blocks() * u64::from(self.hidden) * u64::from(*width),
            FeedForward::Experts(moe) => moe.matrices(self.hidden, self.blocks(), experts(moe)),
        }
    }

    /// Elements of a layer's norms, biases and other vectors, with `experts` as the number of routed experts that
    /// count.
    pub fn vectors(&self, layer: &Layer, experts: impl FnOnce(&Moe) -> u32) -> u64 {
        let hidden = u64::from(self.hidden);
        let mixers: u64 = layer.mixers().map(|mixer| mixer.vectors(self.hidden)).sum();
        let biases = |width: u32| if self.gated { 2 } else { 1 } * u64::from(width) + hidden;
        let feed_forward = match &layer.ffn {
            FeedForward::Experts(moe) => {
                let expert = if moe.expert_bias { u64::from(experts(moe)) * biases(moe.ffn) } else { 0 };
                let router = if moe.router_bias { u64::from(moe.experts + moe.idle_experts) } else { 0 };
                expert + router + if moe.shared_gate { hidden } else { 0 }
            }
            FeedForward::Dense(width) if self.bias == Bias::All => biases(*width),
            FeedForward::Dense(_) | FeedForward::None => 0,
        };
        mixers + feed_forward + u64::from(layer.norms) * self.norm_width() + layer.extra
    }

    /// Elements of a norm over the hidden width.
    pub(super) fn norm_width(&self) -> u64 {
        u64::from(self.hidden) * if self.norm == Norm::Layernorm { 2 } else { 1 }
    }

    /// Parameters of the embedding, learned positions included, and of the output head, 0 if it is the embedding.
    pub fn ends(&self) -> (u64, u64) {
        let table = u64::from(self.vocab) * u64::from(self.hidden);
        let embedding = table + u64::from(self.learned_positions) * u64::from(self.hidden);
        (embedding, if self.tied { 0 } else { table })
    }

    /// Parameters of one layer: all, and those that one token is multiplied with.
    pub fn layer_parameters(&self, layer: &Layer) -> (u64, u64) {
        let of = |experts: fn(&Moe) -> u32| {
            layer.mixer_matrices(self.hidden)
                + self.feed_forward_matrices(layer, experts)
                + self.vectors(layer, experts)
        };
        (of(|moe| moe.experts), of(Moe::active))
    }

    /// All parameters, from the shape, without those of prediction modules
    /// ([`Prediction::parameters`](super::layers::Prediction::parameters)).
    pub fn parameters(&self) -> Parameters {
        let (mut total, mut active) = (0, 0);
        for layer in self.layer_kinds() {
            let count = u64::from(layer.weight_sets());
            let (all, used) = self.layer_parameters(&layer);
            total += count * all;
            active += count * used;
        }
        let (embedding, head) = self.ends();
        let norms = self.norm_width() * if self.embedding_norm { 2 } else { 1 };
        let ends = embedding + head + norms;
        Parameters { total: total + ends + self.extra, active: active + ends, embedding, head }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::catalog::architecture::Uncounted;
    use crate::catalog::{architecture, catalog};

    /// Models whose published figure differs by more than a hundredth, and by how much it may.
    const OTHERWISE: [(&str, f64); 20] = [
        // Names are rounded to one or two digits.
        ("gpt-3-medium-350m", 0.02),
        ("gpt-3-2.7b", 0.02),
        ("narayanan-1.7b", 0.03),
        ("narayanan-3.6b", 0.02),
        ("megatron-5b", 0.02),
        ("megatron-40b", 0.03),
        // The paper's heads are wider together than its model.
        ("gpt-3-xl-1.3b", 0.17),
        // Names are rounded: 1.026 trillion are called 1T.
        ("kimi-k2.5", 0.03),
        ("kimi-k2.6", 0.03),
        ("kimi-k2.7-code", 0.03),
        ("kimi-k2-thinking", 0.03),
        ("kimi-linear-48b-a3b", 0.025),
        ("qwen3.5-4b", 0.055),
        ("qwen3.5-0.8b", 0.035),
        ("nemotron-3.5-lightning-30b-a3b", 0.055),
        ("qwen3-omni-30b-a3b", 0.02),
        ("laguna-xs.2", 0.015),
        ("llada2.0-mini", 0.02),
        // 2.69 billion were recalled; Zamba2 7B, of the same kind, has its published number.
        ("zamba2-2.7b", 0.012),
        // Published as "about 3.8" billion.
        ("ministral-3-3b", 0.015),
    ];

    /// Names of mixtures whose active parameters are rounded to one digit, and by how much they differ.
    const ACTIVE_OTHERWISE: [(&str, f64); 8] = [
        ("kimi-linear-48b-a3b", 0.036),
        ("qwen3-next-80b-a3b", 0.085),
        ("qwen3-coder-next-80b-a3b", 0.085),
        ("glm-4.7-flash", 0.088),
        ("nemotron-3.5-lightning-30b-a3b", 0.042),
        ("granite-4.0-h-tiny", 0.32),
        ("lfm2-8b-a1b", 0.039),
        ("sarvam-30b", 0.15),
    ];

    /// Total, embedding with positions, head and active parameters as counted by another program.
    fn expected() -> BTreeMap<String, [u64; 4]> {
        serde_json::from_str(include_str!("data/parameters.json")).unwrap_or_default()
    }

    #[test]
    fn parameters_to_the_last_one() {
        let expected = expected();
        assert_eq!(expected.len(), catalog().architectures.len());
        for model in &catalog().architectures {
            let counted = model.parameters();
            // The independent count includes parameters outside the layers among the active ones.
            let active = counted.active + model.extra;
            let counted = [counted.total, counted.embedding, counted.head, active];
            assert_eq!(expected.get(&model.id), Some(&counted), "{}", model.id);
        }
    }

    #[test]
    fn parameters_agree_with_what_was_published() {
        let mut exact = 0;
        for model in &catalog().architectures {
            let Some(published) = model.parameters_published else { continue };
            let total = model.parameters().total;
            let Uncounted { encoders, prediction } = model.uncounted;
            // Some authors count encoders, some prediction modules, some both.
            let vision = model.vision.map_or(0, |vision| vision.parameters(model.hidden));
            let audio = model.audio.map_or(0, |audio| audio.parameters(model.hidden));
            let errors = [0, vision, audio, encoders, prediction, encoders + prediction]
                .map(|beside| (total + beside) as f64 / published - 1.0);
            let error = errors.into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default();
            let other = OTHERWISE.iter().find(|(id, _)| *id == model.id);
            assert!(
                error.abs() <= other.map_or(0.01, |(_, allowed)| *allowed),
                "{}: {:+.2} %",
                model.id,
                100.0 * error
            );
            exact += u32::from(error == 0.0);
        }
        assert!(exact >= 57, "only {exact} agree to the last one");
    }

    /// Models whose configuration names modules that their checkpoints do not hold.
    const WITHOUT_MODULES: [&str; 2] = ["qwen3-coder-next-80b-a3b", "minimax-m2.7"];

    #[test]
    fn prediction_modules_agree_with_checkpoints() {
        let (mut compared, mut exact) = (0, 0);
        for model in &catalog().architectures {
            let (id, counted) = (model.id.as_str(), model.uncounted.prediction);
            let Some(prediction) = model.prediction else {
                assert!(counted == 0 || WITHOUT_MODULES.contains(&id), "{id}: no modules for {counted}");
                continue;
            };
            let (total, active) = prediction.parameters(model);
            assert!(active <= total, "{id}");
            if counted > 0 {
                compared += 1;
                exact += u32::from(total == counted);
                let error = total as f64 / counted as f64 - 1.0;
                assert!(error.abs() < 0.001, "{id}: {total} for {counted}");
            }
        }
        assert!(compared >= 30 && exact >= 28, "{compared} were compared, {exact} are equal");
    }

    /// DeepSeek-V3: a module is one of its expert layers, 7168 × 14336, and three norms; 685 billion on Hugging Face are the
    /// model, the module, and its copies of embedding and head (arXiv 2412.19437, section 2.2 and 4.2).
    #[test]
    fn deepseek_v3_has_685_billion_with_its_module() {
        let model = architecture("deepseek-v3").unwrap();
        let prediction = model.prediction.unwrap();
        let (total, active) = prediction.parameters(model);
        let layer = prediction.layer(model);
        let (stored, used) = model.layer_parameters(&layer);
        assert_eq!((total, active), (stored + 2 * 7168 * 7168 + 3 * 7168, used + 2 * 7168 * 7168 + 3 * 7168));
        assert_eq!(layer.experts().map(|moe| moe.experts), Some(256));
        let counts = model.parameters();
        let published = counts.total + total + counts.embedding + counts.head;
        assert!((published as f64 / 685e9 - 1.0).abs() < 0.001, "{published}");
    }

    #[test]
    fn active_parameters_agree_with_what_was_published() {
        for model in &catalog().architectures {
            let Some(published) = model.active_published else { continue };
            let parameters = model.parameters();
            let without = parameters.active - parameters.embedding;
            // Some authors leave out the embedding, some the head too.
            let near = [parameters.active, without, without - parameters.head]
                .map(|count| (count as f64 / published - 1.0).abs())
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            let other = ACTIVE_OTHERWISE.iter().find(|(id, _)| *id == model.id);
            let allowed = other.map_or(0.03, |(_, allowed)| *allowed);
            assert!(near < allowed, "{}: {parameters:?} for {published}", model.id);
        }
    }
}
