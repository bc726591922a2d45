//! Matrix multiplies: tiles over multiprocessors, filled through L2, against DRAM.

use super::calibration::MatmulConstants;
use super::device::Device;
use super::precision::Precision;
use super::{Cost, System};
use crate::units::{Bandwidth, Bytes, Flops, Seconds};

/// `count` independent products, each `m × k` times `k × n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matmul {
    /// Rows of the first operand: tokens.
    pub m: f64,
    /// Columns of the second: output features.
    pub n: f64,
    /// What is summed over: input features.
    pub k: f64,
    /// Products side by side in one kernel (heads, experts).
    pub count: f64,
    /// Format of both operands.
    pub precision: Precision,
    /// Bytes per element of the result.
    pub output: f64,
}

impl Matmul {
    /// Two operations per multiply-add.
    pub fn flops(&self) -> Flops {
        Flops::new(2.0 * self.m * self.n * self.k * self.count)
    }

    /// Each operand read once, the result written once.
    pub fn bytes(&self) -> Bytes {
        let operands = self.precision.element() * (self.m * self.k + self.k * self.n);
        (operands + Bytes::new(self.output * self.m * self.n)) * self.count
    }
}

/// Output tiles that libraries choose among.
const TILES: [(f64, f64); 4] = [(256.0, 128.0), (128.0, 128.0), (64.0, 128.0), (64.0, 64.0)];

/// Parts into which the summed dimension is cut where tiles alone leave multiprocessors idle.
const SPLITS: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0];

/// Step of the summed dimension inside a tile.
const K_STEP: f64 = 64.0;

/// Bytes per element of the 32-bit partial sums of a split product: written, then read.
const PARTIAL_SUM: f64 = 8.0;

impl System {
    /// The best tile and split, joined with DRAM time by a p-norm: overlap is good but not perfect.
    pub fn matmul(&self, matmul: &Matmul) -> Cost {
        let flops = matmul.flops();
        let bytes = matmul.bytes();
        let constants = self.assumptions.matmul.of(matmul.precision);
        let streamed = bytes / (self.device.dram * constants.dram_efficiency);
        let ramp = libm::sqrt(streamed.get() * constants.dram_ramp.get());
        let dram = streamed + Seconds::new(ramp);
        let launch = constants.launch;
        let tiled = match &constants.tiling {
            None => Tiled { compute: flops / self.device.rate(matmul.precision), ..Tiled::default() },
            Some(_) => best_tile(&self.device, matmul, constants),
        };
        let busy = tiled.total();
        let time = match &constants.tiling {
            None => busy.max(dram),
            Some(tiling) => Seconds::new(p_norm(busy.get(), dram.get(), tiling.overlap)),
        };
        Cost {
            flops,
            bytes,
            time: time + launch,
            compute: tiled.compute,
            dram,
            l2: tiled.l2,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}

/// What the multiprocessors take with one tiling.
#[derive(Clone, Copy, Debug, Default)]
struct Tiled {
    compute: Seconds,
    l2: Seconds,
    reduction: Seconds,
}

impl Tiled {
    fn total(&self) -> Seconds {
        self.compute.max(self.l2) + self.reduction
    }
}

/// The fastest of all tiles and splits.
fn best_tile(device: &Device, matmul: &Matmul, constants: &MatmulConstants) -> Tiled {
    let Some(tiling) = &constants.tiling else { return Tiled::default() };
    let processors = device.multiprocessors;
    let rate = device.rate(matmul.precision) * constants.compute_efficiency;
    let fill = Bandwidth::new(device.rate(Precision::Bf16).get() * tiling.l2_fill);
    let element = matmul.precision.element().get();
    let mut best: Option<Tiled> = None;
    for (rows, columns) in TILES {
        let tiles = libm::ceil(matmul.m / rows) * libm::ceil(matmul.n / columns) * matmul.count;
        for split in SPLITS {
            let depth = libm::ceil(matmul.k / split / K_STEP) * K_STEP;
            let waves = tiles * split / processors;
            let rounded = (waves + tiling.wave_rounding * (libm::ceil(waves) - waves)).max(1.0);
            let tile_flops = Flops::new(2.0 * rows * columns * (depth + tiling.k_ramp) * processors * rounded);
            let tile_bytes = Bytes::new((rows + columns) * depth * element * processors * rounded);
            let reduction = if split > 1.0 {
                let partial = Bytes::new(split * matmul.m * matmul.n * matmul.count * PARTIAL_SUM);
                tiling.split_overhead + partial / (device.dram * constants.dram_efficiency)
            } else {
                Seconds::ZERO
            };
            let candidate = Tiled { compute: tile_flops / rate, l2: tile_bytes / fill, reduction };
            if best.is_none_or(|best| candidate.total() < best.total()) {
                best = Some(candidate);
            }
            // Once every multiprocessor has a tile, splitting only adds traffic.
            if waves >= 1.0 {
                break;
            }
        }
    }
    let mut best = best.unwrap_or_default();
    let ratio = tiling.throttle_time / best.total().max(Seconds::new(1e-9));
    let slowdown = 1.0 + (tiling.throttle - 1.0) / (1.0 + ratio * ratio * ratio);
    best.compute = best.compute * slowdown;
    best.l2 = best.l2 * slowdown;
    best
}

fn p_norm(a: f64, b: f64, p: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large <= 0.0 {
        return 0.0;
    }
    large * libm::pow(1.0 + libm::pow(small / large, p), 1.0 / p)
}
