//! Attention in one kernel that never writes its scores (FlashAttention), for prefill, decode and training.

use serde::{Deserialize, Serialize};

use super::collective::p_norm;
use super::precision::Precision;
use super::{Cost, System};
use crate::units::{Bytes, Flops, Seconds};

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
    /// Elements cached per token and key-value head: key and value, or the latent that holds both.
    pub cached_dim: f64,
    /// Query tokens per sequence: 1 in decode.
    pub queries: f64,
    /// Key tokens per sequence up to the last query.
    pub keys: f64,
    /// Keys that a query sees at most.
    pub window: Option<f64>,
    /// Whether a query sees only the keys before it.
    pub causal: bool,
    /// Format of the matrix operands.
    pub precision: Precision,
    /// Storage of one cached element.
    pub kv_element: Bytes,
    /// Whether this is the gradient.
    pub backward: bool,
}

/// Matrix products of the backward kernel for the two of the forward one: it forms the scores once more, and
/// four gradients (Dao 2023, arXiv 2307.08691).
const BACKWARD_PRODUCTS: f64 = 2.5;

/// Columns of keys that a block works on at a time.
const COLUMNS: f64 = 128.0;

/// How fused attention behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionConstants {
    /// Many queries per sequence.
    pub prefill: PrefillConstants,
    /// One query per sequence.
    pub decode: DecodeConstants,
}

/// Attention over many queries: blocks of query rows spread over multiprocessors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefillConstants {
    /// Fraction of the peak matrix rate. May exceed 1 where softmax, joined in quadrature, dominates.
    pub matrix_efficiency: f64,
    /// Time of one score's softmax on one multiprocessor.
    #[serde(rename = "softmax_s")]
    pub softmax: Seconds,
    /// Time of starting one block.
    #[serde(rename = "block_s")]
    pub block: Seconds,
    /// Query rows per block.
    pub block_rows: f64,
    /// Whether query heads that share keys share blocks.
    #[serde(default)]
    pub packed: bool,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
    /// Fraction of DRAM bandwidth; above 1 where part of the traffic stays in L2.
    pub dram_efficiency: f64,
    /// Throughput of the backward kernel relative to this one.
    pub backward_efficiency: f64,
    /// Exponent that joins the mean and the longest multiprocessor's time.
    pub overlap: f64,
    /// Mean error on shapes that were not fitted, as a fraction.
    #[serde(default)]
    pub error: Option<f64>,
}

/// Attention of one query per sequence over its cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecodeConstants {
    /// Fraction of DRAM bandwidth at which the cache is read.
    pub dram_efficiency: f64,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
    /// Time of one key-value head of one sequence on a multiprocessor.
    #[serde(rename = "head_s")]
    pub head: Seconds,
    /// Time of one key that a multiprocessor walks alone.
    #[serde(rename = "key_s")]
    pub key: Seconds,
    /// Time of each doubling of the parts that a sequence's cache is split into.
    #[serde(rename = "split_s")]
    pub split: Seconds,
    /// Time of a kernel that regroups the heads of a batch whose queries share keys, where there is one.
    #[serde(rename = "regroup_s", default)]
    pub regroup: Seconds,
    /// Exponent that joins these times.
    pub overlap: f64,
    /// Mean error on shapes that were not fitted, as a fraction.
    #[serde(default)]
    pub error: Option<f64>,
}

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

    /// Queries and outputs in 16 bits, keys and values as cached; the gradient moves each twice.
    pub fn bytes(&self) -> Bytes {
        let query = Bytes::new(2.0) * (self.batch * self.heads * self.queries * (self.qk_dim + self.v_dim));
        // Prefill reads fresh keys and values in 16 bits, writes them to the cache and reads them back.
        let element =
            if self.queries > 1.0 { Bytes::new(2.0) + self.kv_element * 2.0 } else { self.kv_element };
        let cache = element * (self.batch * self.kv_heads * self.seen() * self.cached_dim);
        (query + cache) * if self.backward { 2.0 } else { 1.0 }
    }
}

impl System {
    /// The fused kernel: few queries stream the cache, many keep the matrix units and the exponentials busy.
    pub fn attention(&self, attention: &Attention) -> Cost {
        if attention.queries > 1.0 { self.prefill(attention) } else { self.decode(attention) }
    }

    fn prefill(&self, attention: &Attention) -> Cost {
        let constants = &self.assumptions.attention.prefill;
        let processors = self.device.multiprocessors;
        let peak = self.device.rate(attention.precision.for_attention());
        let (queries, rows) = (attention.queries, constants.block_rows);
        // Time of one score on one multiprocessor: multiplies and exponentials overlap in part.
        let multiply = Flops::new(2.0 * (attention.qk_dim + attention.v_dim))
            / (peak * (constants.matrix_efficiency / processors));
        let score = libm::hypot(multiply.get(), constants.softmax.get());
        let shared = attention.heads / attention.kv_heads;
        let packed = if constants.packed { libm::ceil(queries * shared / rows) / shared } else { f64::MAX };
        let blocks = libm::ceil(queries / rows).min(packed);
        let padded = (blocks * rows).min(libm::ceil(queries / COLUMNS) * COLUMNS);
        // Blocks on the diagonal and at a window's edge compute their columns whole.
        let whole =
            if attention.causal { attention.keys - (queries - COLUMNS) / 2.0 } else { attention.keys };
        let mean = attention.window.map_or(whole, |window| whole.min(window + 0.5 * (COLUMNS + rows)));
        let edge = attention.window.map_or(attention.keys, |window| window + COLUMNS + rows);
        let longest = attention.keys.min(edge).max(COLUMNS);
        let heads = attention.batch * attention.heads;
        let spread = heads * (score * padded * mean + blocks * constants.block.get()) / processors;
        let critical = score * rows.min(padded) * longest + constants.block.get();
        let gradient =
            if attention.backward { BACKWARD_PRODUCTS / constants.backward_efficiency } else { 1.0 };
        let compute = Seconds::new(p_norm(spread, critical, constants.overlap) * gradient);
        let dram = attention.bytes() / (self.device.dram * constants.dram_efficiency);
        Cost {
            flops: attention.flops(),
            bytes: attention.bytes(),
            time: compute + dram + constants.launch,
            compute,
            dram,
            launch: constants.launch,
            ..Cost::default()
        }
        .bounded()
    }

    fn decode(&self, attention: &Attention) -> Cost {
        let constants = &self.assumptions.attention.decode;
        let processors = self.device.multiprocessors;
        let keys = attention.window.map_or(attention.keys, |window| attention.keys.min(window));
        let units = attention.batch * attention.kv_heads;
        // The cache of one head is split so that every multiprocessor has work (flash decoding).
        let splits = (processors / units).min(libm::ceil(keys / COLUMNS)).max(1.0);
        let walk = constants.key * (keys / splits);
        let heads = constants.head * (units / processors).max(1.0);
        let dram = attention.bytes() / (self.device.dram * constants.dram_efficiency);
        let peak = self.device.rate(attention.precision.for_attention());
        let compute = attention.flops() / peak;
        let join = |a: f64, b: Seconds| p_norm(a, b.get(), constants.overlap);
        let joined = join(join(join(walk.get(), heads), dram), compute);
        let regroups =
            attention.batch > 1.0 && attention.kv_heads > 1.0 && attention.heads > attention.kv_heads;
        let regroup = if regroups { constants.regroup } else { Seconds::ZERO };
        let launch = constants.launch + constants.split * libm::log2(splits) + regroup;
        Cost {
            flops: attention.flops(),
            bytes: attention.bytes(),
            time: Seconds::new(joined) + launch,
            compute,
            dram,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
