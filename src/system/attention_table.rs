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
    /// Latent attention of prompts in the kernel of other attention, on keys and values that were expanded for it; `None` where
    /// the measured kernel of latent attention expands them too.
    pub(super) fn expanded(&self, attention: &Attention) -> Option<Cost> {
        let table = &self.assumptions.attention;
        let expandable = attention.queries > 1.0 && attention.kv_heads >= attention.heads;
        let absorbed = table.latent_prefill.absorbed > 0.5 && !attention.backward;
        let kernel = (expandable && absorbed).then(|| self.prefill(attention, &table.prefill));
        kernel.map(|kernel| kernel.slowed(self.assumptions.corrections.kernels))
    }

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
