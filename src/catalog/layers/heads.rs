//! Softmax attention with keys and values of heads (Vaswani et al. 2017; grouped: Ainslie et al. 2023, arXiv 2305.13245).

use serde::{Deserialize, Serialize};

use super::{Bias, Cut, Indexer, Kept, Law, Matrix, Seen, is_default, number_range};
use crate::words::words;

/// The shape of its heads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heads {
    /// Query heads.
    pub heads: u32,
    /// Key-value heads.
    pub kv_heads: u32,
    /// Width of a query and of a key.
    pub head_dim: u32,
    /// Width of a value, if it differs from that of a query.
    #[serde(default, skip_serializing_if = "is_default")]
    pub v_dim: Option<u32>,
    /// Keys that a token attends to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen: Seen,
    /// The gate of the output.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gate: Gate,
    /// Norms of queries and keys.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qk_norm: HeadNorm,
    /// Projections with biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bias: Bias,
    /// True if each head has a learned sink.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sinks: bool,
    /// Source of keys and values.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kv: KeyValues,
    /// Latent width of queries; 0 if they are projected directly (Step-3).
    #[serde(default, skip_serializing_if = "is_default")]
    pub q_lora: u32,
    /// True if queries, keys and values are projected from the hidden state beside the token's embedding, so that their input is
    /// twice as wide (Zamba2, arXiv 2411.15242). Another matrix then joins the block to the layer that follows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wide: bool,
    /// True if relative positions are projected (Transformer-XL).
    #[serde(default, skip_serializing_if = "is_default")]
    pub relative_positions: bool,
}

/// A gate of the output of attention, before its projection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// No gate.
    #[default]
    None,
    /// One number per head.
    Head,
    /// One number per element.
    Element,
}

/// Source of keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyValues {
    /// Separate projections of keys and values.
    #[default]
    Projected,
    /// A projection of keys, which are values before their norm and rotation (Gemma 4). Both are cached.
    Keys,
    /// An earlier layer: none are projected, none cached (Gemma 3n).
    Earlier,
}

/// Norms of queries and keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadNorm {
    /// No norm.
    #[default]
    None,
    /// One scale for all heads, over the width of a head.
    Head,
    /// Over all heads together.
    Layer,
}

words!(KeyValues { Projected "projected", Keys "keys", Earlier "earlier" });
words!(Gate { None "none", Head "head", Element "element" });
words!(HeadNorm { None "none", Head "head", Layer "layer" });

impl Heads {
    /// Width of a value.
    pub const fn value(&self) -> u32 {
        match self.v_dim {
            Some(dim) => dim,
            None => self.head_dim,
        }
    }

    /// Width of the gate's projection.
    pub fn gate_width(&self) -> u64 {
        match self.gate {
            Gate::None => 0,
            Gate::Head => u64::from(self.heads),
            Gate::Element => u64::from(self.heads) * u64::from(self.value()),
        }
    }

    /// Key-value heads that are projected and cached.
    pub const fn own_kv_heads(&self) -> u32 {
        if matches!(self.kv, KeyValues::Earlier) { 0 } else { self.kv_heads }
    }
}

impl Law for Heads {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let (heads, kv_heads) = (u64::from(self.heads), u64::from(self.own_kv_heads()));
        let (key, value) = (u64::from(self.head_dim), u64::from(self.value()));
        let latent = u64::from(self.q_lora);
        let mut show = |name, rows, columns, cut| visit(Matrix::new(name, rows, columns, cut));
        let joined = hidden * if self.wide { 2 } else { 1 };
        if latent > 0 {
            show("Query down-projection", joined, latent, Cut::Whole);
        }
        let input = if latent > 0 { latent } else { joined };
        show("Query projection", input, heads * key, Cut::Columns(self.heads));
        show("Key projection", joined, kv_heads * key, Cut::Columns(self.kv_heads));
        if self.kv != KeyValues::Keys {
            show("Value projection", joined, kv_heads * value, Cut::Columns(self.kv_heads));
        }
        show("Output gate projection", hidden, self.gate_width(), Cut::Columns(self.heads));
        if self.relative_positions {
            show("Position projection", hidden, hidden, Cut::Columns(self.heads));
        }
        if let Some(indexer) = self.seen.indexer() {
            show("Index queries", hidden, u64::from(indexer.heads) * u64::from(indexer.dim), Cut::Whole);
            show("Index key", hidden, u64::from(indexer.dim), Cut::Whole);
        }
        show("Attention output", heads * value, hidden, Cut::Rows);
        if self.wide {
            show("Shared block's output", hidden, hidden, Cut::Whole);
        }
    }

    fn vectors(&self, hidden: u64) -> u64 {
        let (heads, kv_heads) = (u64::from(self.heads), u64::from(self.own_kv_heads()));
        let (key, value) = (u64::from(self.head_dim), u64::from(self.value()));
        let qkv = if self.bias == Bias::None { 0 } else { key * (heads + kv_heads) + value * kv_heads };
        let output = if matches!(self.bias, Bias::Qkvo | Bias::All) { hidden } else { 0 };
        let norms = match self.qk_norm {
            HeadNorm::None => 0,
            HeadNorm::Head => key * if self.kv == KeyValues::Earlier { 1 } else { 2 },
            HeadNorm::Layer => key * (heads + kv_heads),
        };
        let sinks = if self.sinks { heads } else { 0 };
        let index = self.seen.indexer().map_or(0, |indexer| 2 * u64::from(indexer.dim));
        qkv + output + norms + sinks + u64::from(self.q_lora) + index
    }

    fn kept(&self, _: u64) -> Kept {
        Kept {
            per_token: f64::from(self.own_kv_heads()) * (f64::from(self.head_dim) + f64::from(self.value())),
            index_bytes: self.seen.indexer().map_or(0.0, Indexer::bytes),
            span: self.seen.span().map(f64::from),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        let indexer = self.seen.indexer().map_or((1, 1), |indexer| (indexer.heads, indexer.dim));
        number_range(
            &[self.heads, self.kv_heads, self.head_dim, self.value(), self.seen.most().unwrap_or(1).min(1)],
            &[self.q_lora, indexer.0, indexer.1],
        )
    }

    fn heads(&self) -> u32 {
        self.heads
    }
}
