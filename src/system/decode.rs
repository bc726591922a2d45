//! Attention of one query per sequence over its cache.

use super::attention::{Attention, COLUMNS};
use super::constants::constants;
use super::norm::{LARGEST, p_norm};
use super::{Cost, System};
use crate::units::Seconds;

constants! {
    /// Attention of one query per sequence over its cache.
    DecodeConstants {
        /// Fraction of DRAM bandwidth at which the cache is read.
        dram_efficiency: f64 = 1.0, 0.3..=1.1 "", fitted;
        /// Time that every kernel takes.
        launch: Seconds = 0.0, 3e-6..=3e-5 "s", fitted;
        /// Time of one key-value head of one sequence on a multiprocessor.
        head: Seconds = 0.0, 1e-8..=2e-5 "s", fitted;
        /// Time per key that one multiprocessor reads in sequence.
        key: Seconds = 0.0, 1e-11..=5e-8 "s", fitted;
        /// Time of each doubling of the parts that a sequence's cache is split into.
        split: Seconds = 0.0, 1e-8..=1e-5 "s", fitted;
        /// Time of the kernel that regroups the heads of a batch whose queries share keys, if there is one.
        regroup: Seconds = 0.0, 0.0..=1e-5 "s", fitted;
        /// Keys beyond a window that are read with the blocks at its edge.
        window_edge: f64 = 0.0, 0.0..=256.0 "keys", given;
        /// Exponent of the p-norm of these times.
        overlap: f64 = LARGEST, 1.0..=8.0 "", fitted;
    }
}

impl System {
    /// Time of attention of one query per sequence: the p-norm of the DRAM time of the cache, the arithmetic, the heads
    /// of a multiprocessor and the keys that it reads in sequence, plus the launch. The cache of one head is split until
    /// every multiprocessor has work (Dao et al. 2023, Flash-Decoding). The constants are fitted to measured kernels
    /// (`make kernels`).
    pub(super) fn decode(&self, attention: &Attention, constants: &DecodeConstants) -> Cost {
        let processors = self.device.multiprocessors;
        let edge = |window: f64| attention.keys.min(window + constants.window_edge);
        let keys = attention.window.map_or(attention.keys, edge);
        let units = attention.batch * attention.kv_heads;
        let splits = (processors / units).min(libm::ceil(keys / COLUMNS)).max(1.0);
        let walk = constants.key * (keys / splits);
        let heads = constants.head * (units / processors).max(1.0);
        let bytes = Attention { keys, window: None, ..*attention }.bytes();
        let dram = bytes / (self.device.dram * constants.dram_efficiency);
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
            bytes,
            time: Seconds::new(joined) + launch,
            compute,
            dram,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
