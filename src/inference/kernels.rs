//! Kernels of serving engines, relative to the measured library kernels.

use crate::system::{Attention, Cost, Device, Precision};
use crate::units::{Bandwidth, Seconds};

/// GQA groups whose query heads share one read of the KV cache in decode attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every GQA group.
    All,
    /// Groups of eight heads of 128.
    Eights,
    /// None.
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

/// Decode attention in which each query head walks over its keys by itself ("masked multi-head attention" in
/// FasterTransformer and TensorRT-LLM): those that it shares with others it finds in L2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masked {
    /// Which groups of heads have another kernel, which shares their reads.
    pub sharing: Sharing,
    /// Fraction of DRAM bandwidth at which the cache is read once.
    pub dram: f64,
    /// Fraction of L2 bandwidth at which it is read for each query head.
    pub l2: f64,
}

impl Masked {
    /// Returns true if heads of `width` elements in GQA groups of `group` run this kernel.
    fn covers(&self, group: f64, width: f64) -> bool {
        group <= 1.0 || !self.sharing.covers(group, width)
    }

    /// Time of decode attention: the first read of the cache comes from DRAM, those of other heads from L2.
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

/// Most tokens that llama.cpp multiplies by its kernels of a matrix and vectors: `MMVQ_MAX_BATCH_SIZE` in
/// `ggml-cuda/mmvq.cuh`.
pub(super) const MATRIX_VECTOR: f64 = 8.0;

/// Time of an engine's multiplies by weights over that of the libraries' whose kernels were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplies {
    /// Relative time in steps with prompts where weights have fewer than 16 bits.
    pub prompts: f64,
    /// Relative time in steps with prompts where weights have 16 bits.
    pub wide_prompts: f64,
    /// Bytes that they read per multiprocessor and cycle at most in steps without prompts.
    pub reads: f64,
    /// Most tokens of a step without prompts that its kernels of a matrix and few vectors take: they run on the vector
    /// units and fill no tile.
    pub vectors: f64,
}

impl Multiplies {
    /// Multiplies as fast as the measured libraries.
    pub const SAME: Self = Self { prompts: 1.0, wide_prompts: 1.0, reads: f64::INFINITY, vectors: 0.0 };

    /// Cost of the engine's multiply of `rows` tokens by weights in `precision`, given the library's cost.
    pub(super) fn cost(
        &self,
        precision: Precision,
        rows: f64,
        prompts: bool,
        device: &Device,
        cost: Cost,
    ) -> Cost {
        if prompts {
            // Fitted where matrix units outrun what unpacks for them; where there are none, nothing waits.
            let factor = match precision {
                _ if !device.has_matrix_units() => 1.0,
                Precision::Bf16 | Precision::Fp16 => self.wide_prompts,
                _ => self.prompts,
            };
            return Cost { time: cost.time * factor, ..cost };
        }
        // Without matrix units nobody's kernels wait for a tile to fill.
        let vectors = if device.has_matrix_units() { self.vectors } else { MATRIX_VECTOR };
        let own = if rows <= vectors {
            let compute = cost.flops / device.vector;
            let time = cost.dram.max(compute) + cost.launch;
            Cost { compute, l2: Seconds::ZERO, time, ..cost }.bounded()
        } else {
            cost
        };
        let reading =
            device.cycles.map_or(Seconds::ZERO, |cycles| own.bytes / Bandwidth::new(cycles * self.reads));
        Cost { time: own.time.max(reading), ..own }
    }
}
