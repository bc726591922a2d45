//! Constants of fused attention by kind of kernel and storage of the KV cache, and its cost.

use super::attention::Attention;
use super::decode::DecodeConstants;
use super::latent::LatentDecodeConstants;
use super::prefill::PrefillConstants;
use super::{Cost, System};

/// Constants of fused attention, by kind and by the KV cache's number format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionTable {
    /// Many queries per sequence, 16-bit cache.
    pub prefill: PrefillConstants,
    /// Many queries per sequence, 8-bit cache.
    pub prefill_fp8: PrefillConstants,
    /// One query per sequence, 16-bit cache.
    pub decode: DecodeConstants,
    /// One query per sequence, 8-bit cache.
    pub decode_fp8: DecodeConstants,
    /// Latent attention over many queries, 16-bit cache.
    pub latent_prefill: PrefillConstants,
    /// Latent attention over many queries, 8-bit cache.
    pub latent_prefill_fp8: PrefillConstants,
    /// Latent attention of one query per sequence, 16-bit cache.
    pub latent_decode: LatentDecodeConstants,
    /// Latent attention of one query per sequence, 8-bit cache.
    pub latent_decode_fp8: LatentDecodeConstants,
}

impl System {
    /// The fused kernel: few queries stream the cache, many keep the matrix units and the exponentials busy.
    pub fn attention(&self, attention: &Attention) -> Cost {
        let table = &self.assumptions.attention;
        let narrow = attention.is_narrow();
        match (attention.queries > 1.0, attention.is_latent()) {
            (true, false) => {
                self.prefill(attention, if narrow { &table.prefill_fp8 } else { &table.prefill })
            }
            (true, true) => {
                let constants = if narrow { &table.latent_prefill_fp8 } else { &table.latent_prefill };
                self.prefill(attention, constants)
            }
            (false, false) => self.decode(attention, if narrow { &table.decode_fp8 } else { &table.decode }),
            (false, true) => {
                let constants = if narrow { &table.latent_decode_fp8 } else { &table.latent_decode };
                self.latent_decode(attention, constants)
            }
        }
    }
}
