//! Floating-point operations of a whole model, as MFU counts them.
//!
//! Korthikanti et al. 2022: every multiply-add of a matrix multiply is two operations, backward is twice
//! forward, attention counts the full square even under a causal mask, elementwise work counts nothing. For
//! their models that is 72 B L s h² (1 + s/6h + v/12hL) per step.

use std::iter;

use super::recompute::Recompute;
use crate::catalog::architecture::{Architecture, Kind};
use crate::catalog::layers::{Latent, Layer, Mixer, Prediction, Seen};
use crate::units::Flops;

/// Forward operations per sequence of `tokens` tokens, split as recomputation needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForwardFlops {
    /// Projections, feed-forward blocks, routers.
    pub matrices: Flops,
    /// Scores and weighted values.
    pub attention: Flops,
    /// The part of [`Self::attention`] that a causal mask leaves; all of it in an encoder.
    pub causal: Flops,
    /// The output head.
    pub head: Flops,
    /// The part of [`Self::matrices`] that expands latents into heads.
    pub expansions: Flops,
}

impl ForwardFlops {
    /// The forward pass of one sequence, without prediction modules.
    pub fn of(architecture: &Architecture, tokens: f64) -> Self {
        Self::through(architecture, architecture.layer_kinds(), tokens)
    }

    /// The forward pass of one sequence and of the model's prediction modules (MTP), each of which has a projection, a layer
    /// and the output head for every token (DeepSeek-V3, arXiv 2412.19437, equations 21 to 23).
    pub fn with_modules(architecture: &Architecture, tokens: f64) -> Self {
        let model = Self::of(architecture, tokens);
        let Some(prediction) = architecture.prediction else { return model };
        let modules = f64::from(prediction.modules);
        let layers = Self::through(architecture, iter::once(prediction.layer(architecture)), tokens);
        let projection = Prediction::projection(architecture.hidden).elements() as f64;
        let projections = Flops::new(modules * 2.0 * tokens * projection);
        Self {
            matrices: model.matrices + layers.matrices + projections,
            attention: model.attention + layers.attention,
            causal: model.causal + layers.causal,
            head: model.head * (1.0 + modules),
            expansions: model.expansions + layers.expansions,
        }
    }

    /// One sequence through these layers, and once through the output head.
    fn through(architecture: &Architecture, layers: impl Iterator<Item = Layer>, tokens: f64) -> Self {
        let (mut matrices, mut expansions) = (0.0, 0.0);
        let (mut attention, mut causal) = (0.0, 0.0);
        for layer in layers {
            let count = f64::from(layer.count);
            matrices += count * 2.0 * tokens * architecture.active_matrix_parameters(&layer);
            for mixer in layer.mixers() {
                expansions += count * 2.0 * tokens * expanded(&mixer);
                let keys = keys(&mixer, tokens);
                attention +=
                    count * (attention_flops(&mixer, tokens, keys) + selection(&mixer, tokens, tokens));
                // The first tokens of a window see fewer: a token in the middle of the first `keys` sees half of them.
                let decoder = architecture.kind == Kind::Decoder;
                let seen = if decoder { keys - keys * (keys - 1.0) / (2.0 * tokens) } else { keys };
                let scored = if decoder { 0.5 * (tokens + 1.0) } else { tokens };
                causal += count * (attention_flops(&mixer, tokens, seen) + selection(&mixer, tokens, scored));
            }
        }
        let head = 2.0 * tokens * f64::from(architecture.hidden) * f64::from(architecture.vocab);
        let [matrices, attention, causal, head, expansions] =
            [matrices, attention, causal, head, expansions].map(Flops::new);
        Self { matrices, attention, causal, head, expansions }
    }

    /// Forward and backward, nothing recomputed: the numerator of MFU.
    pub fn model(&self) -> Flops {
        (self.matrices + self.attention + self.head) * 3.0
    }

    /// The part of the backward pass that computes gradients of weights; frozen weights have none.
    pub fn weight_gradients(&self) -> Flops {
        self.matrices + self.head
    }

    /// Forward and backward with attention as a causal mask leaves it: the numerator of causal MFU.
    pub fn causal_model(&self) -> Flops {
        (self.matrices + self.causal + self.head) * 3.0
    }

    /// Hardware FLOPs: forward, backward and recomputation, the numerator of HFU.
    pub fn hardware(&self, recompute: Recompute) -> Flops {
        self.model()
            + match recompute {
                Recompute::None => Flops::ZERO,
                Recompute::Selective => self.attention,
                Recompute::Outputs => self.expansions,
                Recompute::Operators => self.matrices * recompute.multiplies(),
                Recompute::Full => self.attention + self.matrices,
            }
    }
}

/// Elements of the matrices that expand a mixer's latents into heads.
fn expanded(mixer: &Mixer) -> f64 {
    let Mixer::Latent(Latent { heads, widths, .. }) = mixer else { return 0.0 };
    let queries = widths.q_lora * (widths.qk_nope + widths.qk_rope);
    f64::from(*heads) * f64::from(queries + widths.kv_lora * (widths.qk_nope + widths.v))
}

/// Keys to which the last token of a sequence attends; of a chunk's tokens the mean.
fn keys(mixer: &Mixer, tokens: f64) -> f64 {
    let seen = match mixer {
        Mixer::Attention(heads) => heads.seen,
        Mixer::Latent(latent) => latent.seen,
        Mixer::Compressed(compressed) => return compressed.attended(tokens),
        _ => Seen::All,
    };
    match seen {
        Seen::Chunk(size) if f64::from(size) < tokens => 0.5 * (f64::from(size) + 1.0),
        _ => seen.most().map_or(tokens, |most| tokens.min(f64::from(most))),
    }
}

/// FLOPs of scores and weighted values with `keys` keys per token, or of the products of a recurrence.
fn attention_flops(mixer: &Mixer, tokens: f64, keys: f64) -> f64 {
    let (heads, dims) = match mixer {
        Mixer::Attention(heads) => (heads.heads, heads.head_dim + heads.value()),
        Mixer::Latent(latent) => {
            (latent.heads, latent.widths.qk_nope + latent.widths.qk_rope + latent.widths.v)
        }
        Mixer::Compressed(compressed) => (compressed.heads, 2 * compressed.head_dim),
        other => {
            let recurrence = other.law().and_then(|law| law.recurrence(0));
            return recurrence.map_or(0.0, |recurrence| recurrence.products) * tokens;
        }
    };
    2.0 * f64::from(heads) * tokens * keys * f64::from(dims)
}

/// FLOPs of an indexer's scores, with `scored` preceding tokens per token.
fn selection(mixer: &Mixer, tokens: f64, scored: f64) -> f64 {
    let (indexer, scored) = match mixer {
        Mixer::Attention(heads) => (heads.seen.indexer(), scored),
        Mixer::Latent(latent) => (latent.seen.indexer(), scored),
        Mixer::Compressed(compressed) => (compressed.indexer, scored / f64::from(compressed.ratio.max(1))),
        _ => (None, scored),
    };
    let widths = indexer.map_or(0.0, |indexer| f64::from(indexer.heads) * f64::from(indexer.dim));
    2.0 * tokens * scored * widths
}
