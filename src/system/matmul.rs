//! Matrix multiplies: tiles over multiprocessors, filled through L2, against DRAM.

use serde::{Deserialize, Serialize};

use super::collective::p_norm;
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

/// Matrix-multiply constants by operand format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatmulTable {
    /// 16-bit operands, and every format that has no entry.
    pub bf16: MatmulConstants,
    /// 8-bit operands.
    #[serde(default)]
    pub fp8: Option<MatmulConstants>,
    /// 4-bit operands.
    #[serde(default)]
    pub fp4: Option<MatmulConstants>,
}

impl MatmulTable {
    /// The constants for operands of this format.
    pub fn of(&self, precision: Precision) -> &MatmulConstants {
        match precision {
            Precision::Fp8 | Precision::Int8 => self.fp8.as_ref(),
            Precision::Fp4 => self.fp4.as_ref().or(self.fp8.as_ref()),
            _ => None,
        }
        .unwrap_or(&self.bf16)
    }
}

/// How close matrix multiplies come to the peak rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatmulConstants {
    /// Fraction of the peak matrix rate inside a full tile.
    pub compute_efficiency: f64,
    /// Fraction of DRAM bandwidth that operands stream at.
    pub dram_efficiency: f64,
    /// How slowly DRAM streams start: a transfer of time t takes t + √(ramp × t).
    #[serde(rename = "dram_ramp_s")]
    pub dram_ramp: Seconds,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
    /// Traffic of quantising the activations in a kernel before, relative to reading them in 16 bits and
    /// writing them quantised.
    #[serde(default)]
    pub quantisation: f64,
    /// How tiles fill the device; absent in the ideal set, where work divides without remainder.
    pub tiling: Option<Tiling>,
    /// Mean error on shapes that were not fitted, as a fraction.
    #[serde(default)]
    pub error: Option<f64>,
}

/// How output tiles map to multiprocessors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiling {
    /// Bytes that L2 feeds into the multiprocessors per operation of the 16-bit peak rate.
    pub l2_fill: f64,
    /// How much of the rounding to whole waves is felt: 1 all, 0 none.
    pub wave_rounding: f64,
    /// Exponent that joins multiprocessor and DRAM time: 1 adds, infinity takes the larger.
    pub overlap: f64,
    /// Time that summing the parts of a split product takes beyond its traffic.
    #[serde(rename = "split_overhead_s")]
    pub split_overhead: Seconds,
    /// Bandwidth of the partial sums of a split product, which may stay in L2, relative to DRAM's.
    pub partial_sum_rate: f64,
    /// Depth of the summed dimension that filling and draining a tile costs, in elements.
    pub k_ramp: f64,
    /// Slow-down of long kernels, which the power limit throttles.
    pub throttle: f64,
    /// Duration at which half of that slow-down is reached.
    #[serde(rename = "throttle_time_s")]
    pub throttle_time: Seconds,
}

/// Output tiles that libraries choose among.
const TILES: [(f64, f64); 4] = [(256.0, 128.0), (128.0, 128.0), (64.0, 128.0), (64.0, 64.0)];

/// Parts into which the summed dimension is cut where tiles alone leave multiprocessors idle.
const SPLITS: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0];

/// Waves of tiles from which on no split is tried.
const SPLIT_BELOW_WAVES: f64 = 4.0;

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
        let activation = matmul.precision.element() + Bytes::new(2.0);
        let quantised = activation * (matmul.m * matmul.k * matmul.count * constants.quantisation);
        let quantise = quantised / (self.device.dram * constants.dram_efficiency);
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
            time: time + quantise + launch,
            compute: tiled.compute,
            dram: dram + quantise,
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
            let tile_flops =
                Flops::new(2.0 * rows * columns * (depth + tiling.k_ramp) * processors * rounded);
            let tile_bytes = Bytes::new((rows + columns) * depth * element * processors * rounded);
            let reduction = if split > 1.0 {
                let partial = Bytes::new(split * matmul.m * matmul.n * matmul.count * PARTIAL_SUM);
                tiling.split_overhead + partial / (device.dram * tiling.partial_sum_rate)
            } else {
                Seconds::ZERO
            };
            let candidate = Tiled { compute: tile_flops / rate, l2: tile_bytes / fill, reduction };
            if best.is_none_or(|best| candidate.total() < best.total()) {
                best = Some(candidate);
            }
            // With several tiles for every multiprocessor, splitting only adds traffic.
            if split <= 1.0 && waves >= SPLIT_BELOW_WAVES {
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
