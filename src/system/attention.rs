//! Attention in one kernel that never writes its scores (FlashAttention), for prefill, decode and training.

use super::precision::Precision;
use crate::units::{Bytes, Flops};

/// The attention core of one layer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Sequences.
    pub batch: f64,
    /// Query heads on this GPU.
    pub heads: f64,
    /// Key-value heads on this GPU.
    pub kv_heads: f64,
    /// Width of a query and a key.
    pub qk_dim: f64,
    /// Width of a value.
    pub v_dim: f64,
    /// Elements cached per token: key and value of one key-value head, or the latent that all heads share.
    pub cached_dim: f64,
    /// Query tokens per sequence: 1 in decode.
    pub queries: f64,
    /// Key tokens per sequence up to the last query.
    pub keys: f64,
    /// Window: the maximum number of keys to which a query attends.
    pub window: Option<f64>,
    /// True if a query attends only to the keys before it.
    pub causal: bool,
    /// Format of the matrix operands.
    pub precision: Precision,
    /// Storage of one cached element.
    pub kv_element: Bytes,
    /// True if this is the gradient.
    pub backward: bool,
}

/// Matrix products of the backward kernel for the two of the forward one: it forms the scores once more, and
/// four gradients (Dao 2023, arXiv 2307.08691).
pub(super) const BACKWARD_PRODUCTS: f64 = 2.5;

/// Columns of keys that a block works on at a time.
pub(super) const COLUMNS: f64 = 128.0;

impl Attention {
    /// Query-key pairs that are multiplied, per head and sequence.
    pub fn pairs(&self) -> f64 {
        if !self.causal {
            return self.queries * self.keys;
        }
        let before = self.keys - self.queries;
        let Some(window) = self.window.filter(|window| *window < self.keys) else {
            // The last query sees all keys, each before it one fewer.
            return self.queries * (before + 0.5 * (self.queries + 1.0));
        };
        // The first queries see fewer keys than the window holds.
        let growing = (window - before).clamp(0.0, self.queries);
        growing * (before + 0.5 * (growing + 1.0)) + (self.queries - growing) * window
    }

    /// Multiply-adds of scores and weighted values, two operations each.
    pub fn flops(&self) -> Flops {
        let products = if self.backward { BACKWARD_PRODUCTS } else { 1.0 };
        Flops::new(2.0 * self.batch * self.heads * self.pairs() * (self.qk_dim + self.v_dim) * products)
    }

    /// Keys of one sequence that are read.
    fn seen(&self) -> f64 {
        match self.window {
            Some(window) => self.keys.min(window + self.queries - 1.0),
            None => self.keys,
        }
    }

    /// Cached keys and values that all queries see.
    pub fn cache(&self) -> Bytes {
        let heads = if self.is_latent() { 1.0 } else { self.kv_heads };
        self.kv_element * (self.batch * self.seen() * heads * self.cached_dim)
    }

    /// Returns true for latent attention (DeepSeek-V2), in which all heads share one latent of keys and values. The
    /// rotated part of the key then makes keys wider than values.
    pub fn is_latent(&self) -> bool {
        self.qk_dim > self.v_dim
    }

    /// Returns true for sparse latent attention over prompts, whose kernel gathers the selected keys of each query.
    pub(super) fn gathers(&self) -> bool {
        self.queries > 1.0 && self.is_latent() && (self.kv_heads < self.heads || self.window.is_some())
    }

    /// Returns true if there is a cache that takes at most 8 bits per element.
    pub(crate) fn is_narrow(&self) -> bool {
        self.kv_element > Bytes::ZERO && self.kv_element < Bytes::new(2.0)
    }

    /// Queries and outputs in 16 bits, keys and values as cached; the gradient moves each twice.
    pub fn bytes(&self) -> Bytes {
        let tokens = self.batch * self.seen();
        let query = Bytes::new(2.0) * (self.batch * self.heads * self.queries * (self.qk_dim + self.v_dim));
        let cache = if self.queries <= 1.0 {
            self.kv_element * (tokens * self.kv_heads * self.cached_dim)
        } else if self.is_latent() {
            // Keys and values of each head are read expanded; the latent that they came from is written.
            let expanded = Bytes::new(2.0) * (self.kv_heads * (self.qk_dim + self.v_dim));
            (expanded + self.kv_element * self.cached_dim) * tokens
        } else {
            // Fresh keys and values are read in 16 bits, written to the cache and read back.
            (Bytes::new(2.0) + self.kv_element * 2.0) * (tokens * self.kv_heads * self.cached_dim)
        };
        (query + cache) * if self.backward { 2.0 } else { 1.0 }
    }
}
