//! Attention in one kernel that never writes its scores (FlashAttention), for prefill, decode and training.

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
    /// Query tokens per sequence: 1 in decode.
    pub queries: f64,
    /// Key tokens per sequence that the last query sees.
    pub keys: f64,
    /// Whether a query sees only the keys before it.
    pub causal: bool,
    /// Format of the matrix operands.
    pub precision: Precision,
    /// Storage of one cached key or value element.
    pub kv_element: Bytes,
    /// Matrix multiplies relative to the forward pass: 1 forward; 2.5 backward, whose kernel forms the scores
    /// once more (five products for two).
    pub passes: f64,
}

impl Attention {
    /// Query-key pairs that are multiplied, per head and sequence.
    pub fn pairs(&self) -> f64 {
        if self.causal {
            // The last query sees all keys, each before it one fewer.
            self.queries * (self.keys - (self.queries - 1.0) / 2.0)
        } else {
            self.queries * self.keys
        }
    }

    /// Multiply-adds of scores and weighted values, two operations each.
    pub fn flops(&self) -> Flops {
        Flops::new(2.0 * self.batch * self.heads * self.pairs() * (self.qk_dim + self.v_dim) * self.passes)
    }

    /// Queries and outputs in 16 bits, keys and values as cached; each read or written once per pass.
    pub fn bytes(&self) -> Bytes {
        let query = Bytes::new(2.0) * (self.batch * self.heads * self.queries * (self.qk_dim + self.v_dim));
        let cache = self.kv_element * (self.batch * self.kv_heads * self.keys * (self.qk_dim + self.v_dim));
        (query + cache) * if self.passes > 1.0 { 2.0 } else { 1.0 }
    }
}

impl System {
    /// Roofline of the fused kernel: matrix rate against DRAM, plus the launch.
    ///
    /// The exponentials run on other units beside the multiplies; what they cost is in the measured efficiency.
    pub fn attention(&self, attention: &Attention) -> Cost {
        let constants = &self.assumptions.attention;
        let peak = self.device.rate(attention.precision.for_attention());
        let decode = attention.queries <= 1.0;
        let efficiency = match (decode, attention.passes > 1.0) {
            (true, _) => self.assumptions.matmul.of(attention.precision.for_attention()).compute_efficiency,
            (false, false) => constants.forward_efficiency,
            (false, true) => constants.backward_efficiency,
        };
        let compute = attention.flops() / (peak * efficiency);
        let bandwidth = if decode { constants.decode_dram_efficiency } else { self.assumptions.stream.dram_efficiency };
        let dram = attention.bytes() / (self.device.dram * bandwidth);
        let launch = constants.launch;
        Cost {
            flops: attention.flops(),
            bytes: attention.bytes(),
            time: compute.max(dram) + launch,
            compute,
            dram,
            l2: Seconds::ZERO,
            network: Seconds::ZERO,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
