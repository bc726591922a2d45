//! Attention and multiply kernels of serving engines, relative to the measured library kernels.

use crate::system::{Attention, Cost, Device, Ggml, Precision};
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

/// Maximum tokens of a step that llama.cpp runs on matrix-vector kernels: `MMVQ_MAX_BATCH_SIZE` in
/// `ggml-cuda/mmvq.cuh`.
pub(super) const MATRIX_VECTOR: f64 = 8.0;

/// Time of a library's matrix-vector kernels over that of reading the weights: a choice, not a fit, above the time that tiled
/// kernels take where DRAM bounds them.
const UNTILED: f64 = 1.25;

/// An engine's multiplies by weights, relative to those of the measured libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplies {
    /// Time over the libraries' in steps with prefill, for weights of fewer than 16 bits.
    pub prompts: f64,
    /// Kernels of GGML, which multiply such weights in place of the libraries' in steps with prefill.
    pub ggml: Option<Ggml>,
    /// Time over the libraries' in steps with prefill, for weights of 16 bits.
    pub wide_prompts: f64,
    /// Maximum tokens of a step without prefill that run on matrix-vector kernels, which use the vector units and do
    /// not pad tokens to a tile.
    pub vectors: f64,
}

impl Multiplies {
    /// Multiplies as fast as the measured libraries.
    pub const SAME: Self = Self { prompts: 1.0, ggml: None, wide_prompts: 1.0, vectors: 0.0 };

    /// Cost of the engine's multiply of `rows` tokens by weights in `precision`, given the library's cost.
    pub(super) fn cost(
        &self,
        precision: Precision,
        rows: f64,
        experts: bool,
        prompts: bool,
        device: &Device,
        cost: Cost,
    ) -> Cost {
        let wide = matches!(precision, Precision::Bf16 | Precision::Fp16);
        if prompts {
            if let Some(rate) = self.ggml.filter(|_| !wide).and_then(|ggml| ggml.rate(device)) {
                let compute = cost.flops / rate;
                let time = cost.dram.max(compute) + cost.launch;
                return Cost { compute, l2: Seconds::ZERO, time, ..cost }.bounded();
            }
            // The factor of 16 bits is fitted on devices with matrix units.
            let factor = match (wide, device.has_matrix_units()) {
                (true, true) => self.wide_prompts,
                (true, false) => 1.0,
                (false, _) => self.prompts,
            };
            return Cost { time: cost.time * factor, ..cost };
        }
        // Without matrix units, every engine is taken to run few tokens on matrix-vector kernels.
        let vectors = if device.has_matrix_units() { self.vectors } else { MATRIX_VECTOR };
        let compute = cost.flops / device.vector;
        let (dram, launch) = match self.ggml.map(|ggml| ggml.reading(device)) {
            Some(reading) => (cost.bytes / (device.dram * reading.dram), reading.launch),
            None => (cost.dram, cost.launch),
        };
        let alone =
            Cost { compute, dram, launch, l2: Seconds::ZERO, time: dram.max(compute) + launch, ..cost }
                .bounded();
        // GeForce's matrix units take longer for a tile than its DRAM for the tile's weights: libraries then choose such
        // kernels as well, which do not overlap reads as tiles do.
        let slower = Cost { time: alone.time * UNTILED, ..alone };
        let tiled = match self.ggml {
            // Many tokens take GGML's kernels for prompts, with its reading of weights.
            Some(ggml) => {
                let compute =
                    ggml.rate(device).filter(|_| !wide).map_or(cost.compute, |rate| cost.flops / rate);
                Cost { compute, time: dram.max(compute) + launch, ..alone }.bounded()
            }
            None if experts || !device.halves_matrix_rate() || slower.time >= cost.time => cost,
            None if rows <= MATRIX_VECTOR => slower,
            None => cost,
        };
        let own = if rows <= vectors { alone } else { tiled };
        let unpacking = self.ggml.map_or(Seconds::ZERO, |ggml| ggml.unpacking(device, own.bytes, wide));
        Cost { time: own.time.max(unpacking), ..own }
    }
}
