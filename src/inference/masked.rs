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
    /// Fraction of DRAM bandwidth that a read shared by more than four query heads reaches for keys of 16 bits.
    pub shared: f64,
}

/// Maximum query heads of a GQA group whose shared read is as fast as the measured library's, whatever the format of its keys.
const FEW: f64 = 4.0;

impl Masked {
    /// Returns true if heads of `width` elements in GQA groups of `group` run this kernel.
    fn covers(&self, group: f64, width: f64) -> bool {
        group <= 1.0 || !self.sharing.covers(group, width)
    }

    /// Cost of decode attention in this kernel, or in the one whose heads share a read; `cost` is the library kernel's, kept where
    /// neither differs from it.
    pub(super) fn cost(&self, attention: &Attention, device: &Device, cost: Cost) -> Cost {
        let group = attention.heads / attention.kv_heads;
        if attention.is_latent() {
            return cost;
        }
        if !self.covers(group, attention.v_dim) {
            if group <= FEW || attention.is_narrow() {
                return cost;
            }
            let dram = attention.bytes() / (device.dram * self.shared);
            return Cost { dram, time: dram.max(cost.compute) + cost.launch, ..cost }.bounded();
        }
        let dram = attention.bytes() / (device.dram * self.dram);
        let all = Attention { kv_heads: attention.heads, ..*attention }.bytes();
        let l2 = device.l2.map_or(Seconds::ZERO, |cache| all / (cache.bandwidth * self.l2));
        Cost { dram, l2, time: dram.max(l2).max(cost.compute) + cost.launch, ..cost }.bounded()
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::Engine;
    use super::*;
    use crate::catalog;
    use crate::system::{Assumed, AssumptionSet, Precision, System, Work};
    use crate::units::Bytes;

    #[test]
    fn only_wide_groups_of_16_bit_keys_are_slower() {
        let accelerator = catalog::accelerator("h100-sxm").expect("a device");
        let system = System::new(accelerator, Assumed::from(AssumptionSet::Calibrated));
        let masked = Engine::Tensorrt.overheads().masked.expect("a kernel of its own");
        let slowdown = |kv_heads: f64, element: f64| {
            let attention = Attention {
                batch: 64.0,
                heads: 8.0,
                kv_heads,
                qk_dim: 128.0,
                v_dim: 128.0,
                cached_dim: 256.0,
                queries: 1.0,
                keys: 4096.0,
                window: None,
                causal: true,
                precision: Precision::Bf16,
                kv_element: Bytes::new(element),
                backward: false,
            };
            let library = system.cost(&Work::Attention(attention));
            masked.cost(&attention, &system.device, library).time / library.time
        };
        assert!(slowdown(1.0, 2.0) > 1.4, "{}", slowdown(1.0, 2.0));
        assert_eq!(slowdown(1.0, 1.0).to_bits(), 1.0_f64.to_bits());
        assert_eq!(slowdown(2.0, 2.0).to_bits(), 1.0_f64.to_bits());
    }
}
