//! Transformer architectures: the shape of a model, and the layers that follow from it.

use serde::{Deserialize, Serialize};

use super::layers::{Audio, FeedForward, HeadNorm, Heads, Latent, Layer, Mixer, Prediction, Seen, Vision};
pub use super::layers::{Bias, Mla, Moe, Norm};
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

/// Sliding-window attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tokens to which a token attends.
    pub size: u32,
    /// Layers that have it; the others see everything.
    pub layers: u32,
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

    /// Number of layers with a dense feed-forward block, for models without a stack.
    pub fn dense_layers(&self) -> u32 {
        self.moe.as_ref().map_or(self.layers, |moe| moe.dense_layers.min(self.layers))
    }
}

words!(Kind { Decoder "decoder", Encoder "encoder" });

#[cfg(test)]
mod tests {
    use super::Kind;
    use crate::catalog::{architecture, catalog};

    #[test]
    fn sizes_in_names_are_written_like_other_numbers() {
        for model in &catalog().architectures {
            let Some(size) = model.name.split([' ', '-']).next_back().and_then(|last| last.strip_suffix('B'))
            else {
                continue;
            };
            let Ok(billions) = size.replace(',', "").parse::<f64>() else { continue };
            assert!(!size.ends_with(".0"), "{}", model.name);
            assert_eq!(billions >= 1000.0, size.contains(','), "{}", model.name);
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
