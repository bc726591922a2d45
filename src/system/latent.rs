//! Latent attention (MLA, DeepSeek-V2, arXiv 2405.04434) of one query per sequence: all heads attend to one latent.

use super::attention::{Attention, COLUMNS};
use super::constants::constants;
use super::norm::{LARGEST, p_norm};
use super::{Cost, System};
use crate::units::{Flops, Seconds};

/// Keys that a block works on at a time.
const KEYS: f64 = 64.0;

constants! {
    /// Latent attention of one query per sequence over its cache.
    LatentDecodeConstants {
        /// Fraction of the peak matrix rate.
        matrix_efficiency: f64 = 1.0, 0.05..=1.2 "", fitted;
        /// Fraction of DRAM bandwidth at which the cache is read.
        dram_efficiency: f64 = 1.0, 0.3..=1.1 "", fitted;
        /// Time that every kernel takes.
        launch: Seconds = 0.0, 3e-6..=3e-5 "s", fitted;
        /// Time of one block of heads of one sequence on a multiprocessor.
        block: Seconds = 0.0, 1e-8..=2e-5 "s", fitted;
        /// Time per key that one multiprocessor reads in sequence.
        key: Seconds = 0.0, 4e-11..=3e-7 "s", fitted;
        /// Time of each doubling of the parts that a sequence's cache is split into.
        split: Seconds = 0.0, 1e-8..=1e-5 "s", fitted;
        /// Query heads that one block works on; fewer are padded.
        block_heads: f64 = 1.0, 1.0..=128.0 "heads", given;
        /// 1 if the cache of a sequence is split over multiprocessors, otherwise 0.
        splits: f64 = 1.0, 0.0..=1.0 "", given;
        /// Exponent of the p-norm of multiplies, cache and keys in sequence.
        overlap: f64 = LARGEST, 1.0..=8.0 "", fitted;
    }
}

impl System {
    /// Time of latent attention of one query per sequence: the p-norm of padded multiplies, the DRAM time of the cache
    /// and the keys that a multiprocessor reads in sequence, plus a time per block of heads and the launch. All heads
    /// read one latent, so that with many heads the multiplies limit, not DRAM. The constants are fitted to measured
    /// kernels (`make kernels`).
    pub(super) fn latent_decode(&self, attention: &Attention, constants: &LatentDecodeConstants) -> Cost {
        let processors = self.device.multiprocessors;
        let blocks = libm::ceil(attention.heads / constants.block_heads);
        let read = attention.window.map_or(attention.keys, |window| attention.keys.min(window));
        let keys = libm::ceil(read / KEYS) * KEYS;
        let products = attention.batch * blocks * constants.block_heads * keys;
        let padded = Flops::new(2.0 * products * (attention.qk_dim + attention.v_dim));
        let peak = self.device.rate(attention.precision.for_attention());
        let compute = padded / (peak * constants.matrix_efficiency);
        let dram = attention.bytes() / (self.device.dram * constants.dram_efficiency);
        let units = attention.batch * blocks;
        let splits = if constants.splits > 0.5 {
            (processors / units).min(libm::ceil(read / COLUMNS)).max(1.0)
        } else {
            1.0
        };
        let walk = constants.key * (keys / splits);
        let join = |a: f64, b: Seconds| p_norm(a, b.get(), constants.overlap);
        let joined = Seconds::new(join(join(walk.get(), dram), compute));
        let waves = constants.block * (units / processors).max(1.0);
        let launch = constants.launch + constants.split * libm::log2(splits);
        Cost {
            flops: attention.flops(),
            bytes: attention.bytes(),
            time: joined + waves + launch,
            compute,
            dram,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
