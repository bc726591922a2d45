//! Transformer architectures, and the parameters that follow from their shape.

use serde::{Deserialize, Serialize};

pub use super::layers::Moe;
use super::layers::{Audio, FeedForward, HeadNorm, Heads, Latent, Layer, Mixer, Prediction, Seen, Vision};
use super::skip::{is_default, is_two, two};
use crate::words::words;

/// The shape of a transformer.
#[expect(clippy::struct_excessive_bools, reason = "any combination of these features occurs")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Unique, lower case, stable: links name it.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Model family.
    #[serde(default)]
    pub family: String,
    /// Kind of model: decoder or encoder.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// Transformer layers.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key-value heads: fewer than query heads in grouped-query attention.
    pub kv_heads: u32,
    /// Width of one head; with latent attention, of its values.
    pub head_dim: u32,
    /// Inner width of the dense feed-forward block; 0 if every layer has experts.
    pub ffn: u32,
    /// True if the feed-forward block is gated (three matrices instead of two).
    #[serde(default)]
    pub gated: bool,
    /// Tokens in the vocabulary; 0 for models without one.
    pub vocab: u32,
    /// Longest sequence that it was made for.
    pub max_sequence: u32,
    /// True if queries and keys are rotated by their positions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotary: bool,
    /// Rows of a learned position table.
    #[serde(default, skip_serializing_if = "is_default")]
    pub learned_positions: u32,
    /// True if the output head is the embedding.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tied: bool,
    /// Projections with biases.
    #[serde(default)]
    pub bias: Bias,
    /// Kind of norm.
    #[serde(default)]
    pub norm: Norm,
    /// Norms per layer over the hidden width.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub norms_per_layer: u32,
    /// True if queries and keys are normed per head.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qk_norm: bool,
    /// True if attention and feed-forward read the same input.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parallel_block: bool,
    /// True if each head has a learned sink.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attention_sinks: bool,
    /// True if the embedding is normed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub embedding_norm: bool,
    /// True if attention projects relative positions (Transformer-XL).
    #[serde(default, skip_serializing_if = "is_default")]
    pub relative_position_projection: bool,
    /// Layers that see only a window of the sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Mixture of experts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moe: Option<Moe>,
    /// Multi-head latent attention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mla: Option<Mla>,
    /// Layers by kind, for models whose layers differ in more than windows and experts. The fields above then describe
    /// the most frequent layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Layer>,
    /// Parameters outside the layers in addition to embedding and head, which take memory but no significant
    /// computation: embeddings per layer (Gemma 3n), gates of residual streams.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extra: u64,
    /// Modules that predict further tokens (MTP), which are not among `layers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Prediction>,
    /// Vision encoder, whose parameters are not among [`Self::parameters`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<Vision>,
    /// Audio encoder, whose parameters are not among [`Self::parameters`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio: Option<Audio>,
    /// Parts that an import left out, a sentence each: shown with every answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Number format of the published weights, by its name in documents; `None` for 16 bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Number of parameters stated by the authors, or counted exactly in the published checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_published: Option<f64>,
    /// Number of active parameters per token stated by the authors, for mixtures of experts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_published: Option<f64>,
    /// Parameters outside the language model, which some authors count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub uncounted: Uncounted,
    /// Source of the shape.
    #[serde(default)]
    pub source: String,
    /// True if parts of the shape were recalled from memory instead of read in the source.
    #[serde(default, skip_serializing_if = "is_default")]
    pub recalled: bool,
    /// Remarks for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// Parameters outside the language model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Uncounted {
    /// Parameters of vision and audio encoders.
    #[serde(skip_serializing_if = "is_default")]
    pub encoders: u64,
    /// Parameters of modules that predict further tokens (MTP), counted in the checkpoint without copies of embedding and
    /// head.
    #[serde(skip_serializing_if = "is_default")]
    pub prediction: u64,
}

/// Kind of a model by its attention mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Each token attends to those before it.
    #[default]
    Decoder,
    /// Encoder: each token attends to all tokens.
    Encoder,
}

/// Projections with biases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// No biases.
    #[default]
    None,
    /// Queries, keys and values.
    Qkv,
    /// Biases of queries, keys, values and the attention output.
    Qkvo,
    /// All, the feed-forward block's too.
    All,
}

/// Kind of norm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// Scale and shift.
    Layernorm,
    /// Scale alone.
    #[default]
    Rmsnorm,
}

/// Sliding-window attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tokens to which a token attends.
    pub size: u32,
    /// Layers that have it; the others see everything.
    pub layers: u32,
}

/// Multi-head latent attention: widths of its projections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mla {
    /// Latent width of queries; 0 if they are projected directly.
    pub q_lora: u32,
    /// Latent width of keys and values, which is cached.
    pub kv_lora: u32,
    /// Width of a head's query without position.
    pub qk_nope: u32,
    /// Width of a head's query with position.
    pub qk_rope: u32,
    /// Width of a head's value.
    pub v: u32,
}

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
    /// Layers by kind, each with its number of layers.
    ///
    /// Without a stack, windowed layers are spread over dense and expert layers in proportion.
    pub fn layer_kinds(&self) -> impl Iterator<Item = Layer> + '_ {
        let uniform = if self.stack.is_empty() { 4 } else { 0 };
        let counts = self.uniform_counts();
        let layers = counts.into_iter().enumerate().take(uniform).filter(|(_, count)| *count > 0);
        layers
            .map(|(place, count)| self.uniform(place >= 2, place % 2 == 1, count))
            .chain(self.stack.iter().copied())
    }

    /// Layers without a stack: dense, dense with a window, with experts, with experts and a window.
    fn uniform_counts(&self) -> [u32; 4] {
        let dense = self.dense_layers();
        let sparse = self.layers - dense;
        let windowed = self.window.as_ref().map_or(0, |window| window.layers.min(self.layers));
        let windowed_dense = u64::from(windowed) * u64::from(dense) / u64::from(self.layers.max(1));
        let windowed_dense = windowed_dense as u32;
        let windowed_sparse = (windowed - windowed_dense).min(sparse);
        [dense - windowed_dense, windowed_dense, sparse - windowed_sparse, windowed_sparse]
    }

    /// The layer that the fields describe.
    pub fn uniform(&self, experts: bool, windowed: bool, count: u32) -> Layer {
        let window = self.window.as_ref().filter(|_| windowed);
        let seen = window.map_or(Seen::All, |window| Seen::Window(window.size));
        let mixer = match self.mla {
            Some(widths) => {
                Mixer::Latent(Latent { heads: self.heads, widths, seen, gate: super::layers::Gate::None })
            }
            None => Mixer::Attention(Heads {
                heads: self.heads,
                kv_heads: self.kv_heads,
                head_dim: self.head_dim,
                seen,
                qk_norm: if self.qk_norm { HeadNorm::Head } else { HeadNorm::None },
                bias: self.bias,
                sinks: self.attention_sinks,
                relative_positions: self.relative_position_projection,
                ..Heads::default()
            }),
        };
        let ffn = match (self.moe, experts) {
            (Some(moe), true) => FeedForward::Experts(moe),
            _ => FeedForward::Dense(self.ffn),
        };
        Layer { count, copies: None, mixer, beside: Mixer::None, ffn, norms: self.norms_per_layer, extra: 0 }
    }

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

    /// Number of layers with a dense feed-forward block, for models without a stack.
    pub fn dense_layers(&self) -> u32 {
        self.moe.as_ref().map_or(self.layers, |moe| moe.dense_layers.min(self.layers))
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

    /// All parameters, from the shape, without those of prediction modules ([`Prediction::parameters`]).
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

words!(Kind { Decoder "decoder", Encoder "encoder" });
words!(Bias { None "none", Qkv "qkv", Qkvo "qkvo", All "all" });
words!(Norm { Layernorm "layernorm", Rmsnorm "rmsnorm" });

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Kind, Uncounted};
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

    #[test]
    fn shapes_hold_together() {
        for model in &catalog().architectures {
            let id = &model.id;
            assert!(
                model.layers > 0 && model.hidden > 0 && model.heads > 0 && model.max_sequence > 0,
                "{id}"
            );
            assert_eq!(model.heads % model.kv_heads, 0, "{id}");
            assert!(model.window.as_ref().is_none_or(|window| window.layers <= model.layers), "{id}");
            if model.stack.is_empty() {
                assert_eq!(
                    model.ffn == 0,
                    model.moe.as_ref().is_some_and(|moe| moe.dense_layers == 0),
                    "{id}"
                );
            } else {
                assert_eq!(model.stack.iter().map(|layer| layer.count).sum::<u32>(), model.layers, "{id}");
                let uniform = model.uniform(false, false, 1).mixer;
                let alone = model.stack.len() == 1 && model.stack[0].mixer == uniform;
                assert!(!alone || model.stack[0].beside.is_some() || model.stack[0].norms != 2, "{id}");
            }
            assert!(
                model
                    .moe
                    .as_ref()
                    .is_none_or(|moe| moe.top_k <= moe.experts && moe.dense_layers < model.layers),
                "{id}"
            );
            assert!(!(model.rotary && model.learned_positions > 0), "{id}");
        }
        let encoders = catalog().architectures.iter().filter(|model| model.kind == Kind::Encoder);
        assert_eq!(
            encoders.map(|model| model.id.as_str()).collect::<Vec<_>>(),
            ["vit-era5-64k", "vit-era5-32k"]
        );
        // Five of six layers of Gemma 3 see a window, every other of gpt-oss.
        let windowed =
            |id| architecture(id).and_then(|model| model.window.as_ref()).map(|window| window.layers);
        assert_eq!((windowed("gemma-3-27b"), windowed("gpt-oss-120b")), (Some(52), Some(18)));
    }
}
