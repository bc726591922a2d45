//! Floating-point operations of a whole model, as MFU counts them.
//!
//! Korthikanti et al. 2022: every multiply-add of a matrix multiply is two operations, backward is twice
//! forward, attention counts the full square even under a causal mask, elementwise work counts nothing. For
//! their models that is 72 B L s h² (1 + s/6h + v/12hL) per step.

use super::layer::LayerKind;
use super::recompute::Recompute;
use crate::catalog::architecture::{Architecture, Kind};
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
}

impl ForwardFlops {
    /// The forward pass of one sequence.
    pub fn of(architecture: &Architecture, tokens: f64) -> Self {
        let mut matrices = 0.0;
        let (mut attention, mut causal) = (0.0, 0.0);
        for (kind, count) in architecture.layer_kinds() {
            matrices += f64::from(count) * 2.0 * tokens * architecture.active_matrix_parameters(kind.experts);
            let keys = keys(architecture, kind, tokens);
            attention += f64::from(count) * attention_flops(architecture, tokens, keys);
            // The first tokens of a window see fewer: a token in the middle of the first `keys` sees half of them.
            let seen = if architecture.kind == Kind::Decoder {
                keys - keys * (keys - 1.0) / (2.0 * tokens)
            } else {
                keys
            };
            causal += f64::from(count) * attention_flops(architecture, tokens, seen);
        }
        let head = 2.0 * tokens * f64::from(architecture.hidden) * f64::from(architecture.vocab);
        let [matrices, attention, causal, head] = [matrices, attention, causal, head].map(Flops::new);
        Self { matrices, attention, causal, head }
    }

    /// Forward and backward, nothing recomputed: the numerator of MFU.
    pub fn model(&self) -> Flops {
        (self.matrices + self.attention + self.head) * 3.0
    }

    /// Forward and backward with attention as a causal mask leaves it: the numerator of causal MFU.
    pub fn causal_model(&self) -> Flops {
        (self.matrices + self.causal + self.head) * 3.0
    }

    /// Forward, backward and what is recomputed: the numerator of HFU.
    pub fn hardware(&self, recompute: Recompute) -> Flops {
        self.model()
            + match recompute {
                Recompute::None => Flops::ZERO,
                Recompute::Selective => self.attention,
                Recompute::Full => self.attention + self.matrices,
            }
    }
}

/// Keys that the last token of a sequence sees.
fn keys(architecture: &Architecture, kind: LayerKind, tokens: f64) -> f64 {
    match (&architecture.window, kind.windowed) {
        (Some(window), true) => tokens.min(f64::from(window.size)),
        _ => tokens,
    }
}

/// Scores and weighted values of a layer where each token sees so many keys.
fn attention_flops(architecture: &Architecture, tokens: f64, keys: f64) -> f64 {
    let dims = match &architecture.mla {
        Some(mla) => mla.qk_nope + mla.qk_rope + mla.v,
        None => 2 * architecture.head_dim,
    };
    2.0 * f64::from(architecture.heads) * tokens * keys * f64::from(dims)
}
