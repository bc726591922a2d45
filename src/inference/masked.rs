//! Decode attention of engines that do not use the measured library's kernel.

use crate::system::{Attention, Cost, Device};
use crate::units::Seconds;

/// GQA groups whose query heads share one read of the KV cache in decode attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every GQA group.
    All,
    /// Groups of 8 query heads of 128 elements.
    Eights,
    /// No sharing.
    None,
}

impl Sharing {
    /// Returns true if a group of `group` query heads of `width` elements shares one read.
    fn covers(self, group: f64, width: f64) -> bool {
        match self {
            Self::All => true,
            Self::Eights => (group - 8.0).abs() < 0.5 && (width - 128.0).abs() < 0.5,
            Self::None => false,
        }
    }
}

/// Decode attention in which each query head reads its keys and values separately ("masked multi-head attention" in
/// FasterTransformer and TensorRT-LLM). Of the heads of a GQA group the first read is from DRAM, the others from L2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masked {
    /// GQA groups that run another kernel, in which their heads share one read.
    pub sharing: Sharing,
    /// Fraction of DRAM bandwidth that the first read of the KV cache reaches.
    pub dram: f64,
    /// Fraction of L2 bandwidth that the reads of all query heads reach.
    pub l2: f64,
}

impl Masked {
    /// Returns true if heads of `width` elements in GQA groups of `group` run this kernel.
    fn covers(&self, group: f64, width: f64) -> bool {
        group <= 1.0 || !self.sharing.covers(group, width)
    }

    /// Cost of decode attention in this kernel; `cost` is the library kernel's, kept where this kernel does not run.
    pub(super) fn cost(&self, attention: &Attention, device: &Device, cost: Cost) -> Cost {
        if attention.is_latent() || !self.covers(attention.heads / attention.kv_heads, attention.v_dim) {
            return cost;
        }
        let dram = attention.bytes() / (device.dram * self.dram);
        let all = Attention { kv_heads: attention.heads, ..*attention }.bytes();
        let l2 = device.l2.map_or(Seconds::ZERO, |cache| all / (cache.bandwidth * self.l2));
        Cost { dram, l2, time: dram.max(l2).max(cost.compute) + cost.launch, ..cost }.bounded()
    }
}
