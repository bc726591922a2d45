//! Parts that depend on a layer's position: embeddings per layer, keys and values of earlier layers and additional residual
//! streams (Gemma 3n; Gemma 4 E2B and E4B), keys and values of the layer before (Hunyuan-Large), and numbers of heads (Laguna).

use super::Import;
use super::config::Config;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Heads, KeyValues, Mixer};
use crate::scenario::Problem;

/// Parts of layers, as in huggingface/transformers 5.23.0 (`modeling_gemma3n.py`, `modeling_gemma4.py`).
#[derive(Default)]
pub(super) struct PerLayer {
    /// Index of the first layer that uses keys and values of an earlier layer; `None` without such layers.
    shared_from: Option<u32>,
    /// Number of consecutive layers that use the keys and values of their first layer (cross-layer attention, arXiv 2405.12981);
    /// `None` without such groups.
    group: Option<u32>,
    /// True if layers from `shared_from` on have twice the feed-forward width.
    double: bool,
    /// True if layers from `shared_from` on have projections of keys and values, which they do not use.
    idle: bool,
    /// Number of query heads of each layer, if it differs from the model's.
    heads: Option<Vec<u32>>,
    /// Number of additional norms of each layer.
    pub(super) norms: u32,
    /// Number of additional parameters of each layer.
    extra: u64,
    /// Number of additional parameters outside the layers.
    pub(super) outside: u64,
}

impl Import<'_> {
    /// Returns true for the types whose layers may share keys and values and may have embeddings per layer.
    pub(super) fn is_small_gemma(&self) -> bool {
        self.is(&["gemma3n", "gemma4", "gemma4_unified"])
    }

    /// The parts that the file describes.
    pub(super) fn per_layer(&self, flat: &Architecture) -> Result<PerLayer, Problem> {
        let config = self.config;
        let heads = config.numbers("num_attention_heads_per_layer");
        let heads = heads
            .map(|heads| Config::each_layer("num_attention_heads_per_layer", heads, flat.layers))
            .transpose()?
            .filter(|heads| heads.iter().any(|count| *count != flat.heads));
        let group = config.positive(&["cla_share_factor"]).filter(|size| *size > 1);
        let group = group.filter(|_| config.flag("use_cla") == Some(true));
        // Biases of RecurrentGemma's feed-forward matrices and of its mixers' outputs.
        let biases = 2 * u64::from(flat.ffn) + 2 * u64::from(flat.hidden);
        let extra = if self.is(&["recurrent_gemma"]) { biases } else { 0 };
        let mut parts = PerLayer { group, heads, extra, ..PerLayer::default() };
        if !self.is_small_gemma() {
            return Ok(parts);
        }
        let (hidden, layers) = (u64::from(flat.hidden), u64::from(flat.layers));
        let shared = config.positive(&["num_kv_shared_layers"]);
        parts.shared_from = shared.map(|shared| flat.layers.saturating_sub(shared));
        parts.double = config.flag("use_double_wide_mlp") == Some(true);
        let Some(width) = config.positive(&["hidden_size_per_layer_input"]).map(u64::from) else {
            return Ok(parts);
        };
        let rows = u64::from(config.required(&["vocab_size_per_layer_input"])?);
        let product =
            |factors: &[u64]| factors.iter().fold(1_u64, |product, factor| product.saturating_mul(*factor));
        let sum = |terms: &[u64]| terms.iter().fold(0_u64, |sum, term| sum.saturating_add(*term));
        parts.norms = 1;
        // The gate and the projection of the embedding per layer.
        parts.extra = product(&[2, hidden, width]);
        parts.outside = sum(&[product(&[rows, layers, width]), product(&[hidden, layers, width]), width]);
        if self.is(&["gemma3n"]) {
            let streams = u64::from(config.required(&["altup_num_inputs"])?);
            let rank = u64::from(config.required(&["laurel_rank"])?);
            parts.extra = sum(&[
                parts.extra,
                // AltUp: prediction and correction of the streams, their router with its norm, the scale of the output.
                product(&[streams, streams]),
                product(&[streams, streams, streams]),
                product(&[hidden, streams]),
                product(&[2, hidden]),
                // LAuReL: two low-rank matrices and a norm beside attention.
                product(&[2, hidden, rank]),
                hidden,
            ]);
            parts.outside = sum(&[parts.outside, product(&[2, streams - 1, hidden, hidden])]);
            parts.idle = true;
        } else {
            // The scale of a Gemma 4 layer.
            parts.extra = parts.extra.saturating_add(1);
        }
        Ok(parts)
    }
}

impl PerLayer {
    /// Returns true if layers differ by position.
    pub(super) fn differ(&self) -> bool {
        self.shared_from.is_some() || self.group.is_some() || self.heads.is_some() || self.norms > 0
    }

    /// Adapts a layer's first mixer and its feed-forward block to its position, and returns the number of its additional
    /// parameters.
    pub(super) fn fit(&self, place: u32, mixer: &mut Mixer, ffn: &mut FeedForward, hidden: u32) -> u64 {
        let Mixer::Attention(heads) = *mixer else { return self.extra };
        let count = self.heads.as_ref().and_then(|heads| heads.get(place as usize)).copied();
        let heads = Heads { heads: count.unwrap_or(heads.heads), ..heads };
        let follows = self.group.is_some_and(|size| !place.is_multiple_of(size));
        let shared = follows || self.shared_from.is_some_and(|first| place >= first);
        *mixer = Mixer::Attention(if shared { Heads { kv: KeyValues::Earlier, ..heads } } else { heads });
        if !shared {
            return self.extra;
        }
        if let FeedForward::Dense(width) = ffn
            && self.double
        {
            *width = width.saturating_mul(2);
        }
        if !self.idle {
            return self.extra;
        }
        let widths = u64::from(heads.head_dim) + u64::from(heads.value());
        let matrices = widths.saturating_mul(u64::from(heads.kv_heads)).saturating_mul(u64::from(hidden));
        self.extra.saturating_add(matrices).saturating_add(u64::from(heads.head_dim))
    }
}
