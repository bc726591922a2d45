//! Time of a matrix multiply: tiles over multiprocessors, filled through L2, against DRAM.

use super::device::Device;
use super::matmul::{Matmul, MatmulConstants};
use super::norm::p_norm;
use super::precision::Precision;
use super::{Cost, System};
use crate::units::{Bandwidth, Bytes, Flops, Seconds};

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
    /// Time of a matrix multiply: the p-norm of multiprocessor time, for the fastest tile and split, and DRAM time, since
    /// they overlap in part; then the quantisation of activations and the launch.
    ///
    /// The equations are this model's own (docs/method/kernels.md), after the hierarchical roofline of DeepFlow
    /// (nanocad-lab/DeepFlow); the constants are fitted to measured kernels (`make kernels`).
    pub fn matmul(&self, matmul: &Matmul) -> Cost {
        self.matmul_slower(matmul, 1.0)
    }

    /// Time of a matrix multiply whose arithmetic takes longer by a factor than in a benchmark. The tile and the split are
    /// the fastest with that factor, so that no faster resource makes the multiply slower.
    pub(super) fn matmul_slower(&self, matmul: &Matmul, slowdown: f64) -> Cost {
        let constants = self.assumptions.matmul.of(matmul.precision, &self.device);
        let memory = Memory::of(matmul, constants, &self.device);
        let tiled = if constants.is_tiled() {
            best_tile(&self.device, matmul, constants, &Order { memory, constants, slowdown })
        } else {
            let rate = self.device.rate(matmul.precision) * constants.compute_efficiency;
            Tiled { compute: matmul.flops() / rate, ..Tiled::default() }
        };
        Cost { flops: matmul.flops(), bytes: matmul.bytes(), ..memory.kernel(&tiled, constants) }
            .bounded()
            .slower(slowdown)
    }
}

/// DRAM traffic of a multiply.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// Time of the operands and the result.
    streamed: Seconds,
    /// Time of quantising the activations before.
    quantise: Seconds,
}

impl Memory {
    fn of(matmul: &Matmul, constants: &MatmulConstants, device: &Device) -> Self {
        let rate = device.dram * constants.dram_efficiency;
        let streamed = matmul.bytes() / rate;
        let ramp = Seconds::new(libm::sqrt(streamed.get() * constants.dram_ramp.get()));
        let activation = matmul.precision.operand() + Bytes::new(2.0);
        let quantise = activation * (matmul.m * matmul.k * matmul.count * constants.quantisation) / rate;
        Self { streamed: streamed + ramp, quantise }
    }

    /// Times of the kernel beside this traffic.
    fn kernel(&self, tiled: &Tiled, constants: &MatmulConstants) -> Cost {
        let time = Seconds::new(p_norm(tiled.total().get(), self.streamed.get(), constants.overlap));
        Cost {
            time: time + self.quantise + constants.launch,
            compute: tiled.compute,
            dram: self.streamed + self.quantise,
            l2: tiled.l2,
            launch: constants.launch,
            ..Cost::default()
        }
    }
}

/// Time of the multiprocessors with one set of constants.
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

    /// These times at the clock that the power limit leaves to a kernel of this length.
    fn throttled(mut self, constants: &MatmulConstants) -> Self {
        let ratio = constants.throttle_time / self.total().max(Seconds::new(1e-9));
        let slowdown = 1.0 + (constants.throttle - 1.0) / (1.0 + ratio * ratio * ratio);
        self.compute = self.compute * slowdown;
        self.l2 = self.l2 * slowdown;
        self
    }
}

/// The time by which tiles and splits are compared.
struct Order<'a> {
    memory: Memory,
    constants: &'a MatmulConstants,
    /// Factor on the time of arithmetic.
    slowdown: f64,
}

impl Order<'_> {
    /// Time of the kernel, which is at least that of the multiprocessors. Without the factor, the order of the tiles is that of
    /// their own times.
    fn time(&self, tiled: &Tiled) -> Seconds {
        if self.slowdown > 1.0 {
            self.memory.kernel(tiled, self.constants).time_slower(self.slowdown)
        } else {
            tiled.total()
        }
    }

    /// Lower bound of the kernel's time, at which multiprocessor time and DRAM time overlap completely.
    fn least(&self, tiled: &Tiled) -> Seconds {
        let Memory { streamed, quantise } = self.memory;
        tiled.total().max(streamed) + quantise + self.constants.launch
    }

    /// Returns true if the time of one is no shorter than that of another, without the logarithms that the times take: it grows with
    /// the time of the multiprocessors and of their arithmetic, and falls with the time of memory that hides arithmetic.
    fn is_no_faster(&self, one: &Tiled, other: &Tiled) -> bool {
        let memory = |tiled: &Tiled| tiled.l2.max(self.memory.streamed + self.memory.quantise);
        one.total() >= other.total() && one.compute >= other.compute && memory(one) <= memory(other)
    }
}

/// The fastest of all tiles and splits.
fn best_tile(device: &Device, matmul: &Matmul, constants: &MatmulConstants, order: &Order<'_>) -> Tiled {
    let processors = device.multiprocessors;
    let rate = device.rate(matmul.precision) * constants.compute_efficiency;
    // A device's caches are built to feed its matrix units, so that the ratio carries over to other devices.
    let highest = device.rate(matmul.precision).max(device.rate(Precision::Bf16));
    let fill = Bandwidth::new(highest.get() * constants.l2_fill);
    let element = matmul.precision.operand().get();
    let parts = SPLITS.map(|split| {
        let depth = libm::ceil(matmul.k / split / K_STEP) * K_STEP;
        let reduction = if split > 1.0 {
            let partial = Bytes::new(split * matmul.m * matmul.n * matmul.count * PARTIAL_SUM);
            constants.split_overhead + partial / (device.dram * constants.partial_sum_rate)
        } else {
            Seconds::ZERO
        };
        (split, depth, reduction)
    });
    let mut best: Option<Tiled> = None;
    let mut fastest = Seconds::new(f64::INFINITY);
    for (rows, columns) in TILES {
        let tiles = libm::ceil(matmul.m / rows) * libm::ceil(matmul.n / columns) * matmul.count;
        // Work of these tiles, however they are split, without ramps and rounding; a little less for the rounding of numbers.
        let least = Flops::new(2.0 * rows * columns * matmul.k * tiles * (1.0 - 1e-9)) / rate;
        for (split, depth, reduction) in parts {
            // More parts take longer to sum.
            if least + reduction >= fastest {
                break;
            }
            let waves = tiles * split / processors;
            let rounded = (waves + constants.wave_rounding * (libm::ceil(waves) - waves)).max(1.0);
            let tile_flops =
                Flops::new(2.0 * rows * columns * (depth + constants.k_ramp) * processors * rounded);
            let tile_bytes = Bytes::new((rows + columns) * depth * element * processors * rounded);
            let candidate = Tiled { compute: tile_flops / rate, l2: tile_bytes / fill, reduction };
            if candidate.total() < fastest {
                let throttled = candidate.throttled(constants);
                let hopeless = order.slowdown > 1.0 && order.least(&throttled) >= fastest;
                if !hopeless && best.is_none_or(|best| !order.is_no_faster(&throttled, &best)) {
                    let time = order.time(&throttled);
                    if time < fastest {
                        (best, fastest) = (Some(throttled), time);
                    }
                }
            }
            // With several tiles per multiprocessor, splitting only adds traffic.
            if split <= 1.0 && waves >= SPLIT_BELOW_WAVES {
                break;
            }
        }
    }
    best.unwrap_or_default()
}
