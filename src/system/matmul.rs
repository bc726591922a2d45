//! Matrix multiplies, and the constants of their kernels.

use super::constants::constants;
use super::device::Device;
use super::norm::LARGEST;
use super::precision::Precision;
use crate::units::{Bytes, Flops, Seconds};

/// `count` independent products, each `m × k` times `k × n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matmul {
    /// Rows of the first operand: tokens.
    pub m: f64,
    /// Columns of the second: output features.
    pub n: f64,
    /// Size of the summed dimension: input features.
    pub k: f64,
    /// Products side by side in one kernel (heads, experts).
    pub count: f64,
    /// Number format of the weights, which implies that of the activations.
    pub precision: Precision,
    /// Bytes per element of the result.
    pub output: f64,
}

impl Matmul {
    /// Two operations per multiply-add.
    pub fn flops(&self) -> Flops {
        Flops::new(2.0 * self.m * self.n * self.k * self.count)
    }

    /// The second operands: weights.
    pub fn weights(&self) -> Bytes {
        self.precision.element() * (self.k * self.n) * self.count
    }

    /// Each operand read once, the result written once.
    pub fn bytes(&self) -> Bytes {
        let weights = self.precision.element() * (self.k * self.n);
        let activations = self.precision.operand() * (self.m * self.k);
        (weights + activations + Bytes::new(self.output * self.m * self.n)) * self.count
    }
}

/// Matrix-multiply constants by operand format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatmulTable {
    /// 16-bit operands, and every format that the device widens to multiply.
    pub bf16: MatmulConstants,
    /// 8 bits, scaled per token.
    pub fp8: MatmulConstants,
    /// 8 bits, scaled per block.
    pub fp8block: MatmulConstants,
    /// 4 bits.
    pub fp4: MatmulConstants,
    /// 8-bit integers.
    pub int8: MatmulConstants,
    /// 4-bit weights, 16-bit activations.
    pub int4: MatmulConstants,
}

impl MatmulTable {
    /// The constants for operands of this format on this device.
    pub fn of(&self, precision: Precision, device: &Device) -> &MatmulConstants {
        match precision {
            Precision::Int4 | Precision::Awq | Precision::Mxfp4 => &self.int4,
            // Outside of their libraries' kernels, weights of GGUF and MLX are unpacked for a 16-bit multiply.
            _ if precision.is_gguf() || precision.is_mlx() => &self.bf16,
            // Units that multiply narrow operands no faster are the 16-bit ones.
            _ if device.rate(precision) <= device.rate(Precision::Bf16) => &self.bf16,
            Precision::Fp8 => &self.fp8,
            // Nobody published kernels of the MX formats: those scaled per block are the nearest.
            Precision::Fp8Block | Precision::Mxfp8 | Precision::Mxfp6 => &self.fp8block,
            // Units that multiply 4 bits no faster than 8 take a kernel for 8.
            Precision::Fp4 if device.rate(Precision::Fp4) <= device.rate(Precision::Fp8) => &self.fp8,
            Precision::Fp4 => &self.fp4,
            Precision::Int8 => &self.int8,
            _ => &self.bf16,
        }
    }
}

impl MatmulConstants {
    /// Returns true if multiplies are divided into tiles, as those of measured libraries are.
    pub(super) fn is_tiled(&self) -> bool {
        self.tiled > 0.5
    }
}

constants! {
    /// Efficiencies and overheads of matrix multiplies.
    MatmulConstants {
        /// Fraction of the peak matrix rate inside a full tile.
        compute_efficiency: f64 = 1.0, 0.01..=1.2 "", fitted;
        /// Fraction of DRAM bandwidth at which operands stream.
        dram_efficiency: f64 = 1.0, 0.4..=1.1 "", fitted;
        /// Ramp of DRAM streams: a transfer of time t takes t + √(ramp × t).
        dram_ramp: Seconds = 0.0, 1e-12..=9e-6 "s", fitted;
        /// Time that every kernel takes.
        launch: Seconds = 0.0, 5e-7..=3e-5 "s", fitted;
        /// Traffic of quantising the activations in a kernel before, relative to reading them in 16 bits and writing them narrow.
        quantisation: f64 = 0.0, 0.0..=8.0 "", fitted;
        /// 1 if work is divided into tiles, 0 if it is divided without remainder.
        tiled: f64 = 0.0, 0.0..=1.0 "", given;
        /// Bytes that multiprocessors read from L2 per operation of the format's peak rate.
        l2_fill: f64 = 1.0, 1e-4..=0.4 "B/FLOP", fitted;
        /// Effect of rounding to whole waves of tiles: 1 full, 0 none.
        wave_rounding: f64 = 0.0, 0.0..=1.0 "", fitted;
        /// Exponent of the p-norm of multiprocessor and DRAM time: 1 adds, infinity takes the larger.
        overlap: f64 = LARGEST, 1.0..=12.0 "", fitted;
        /// Time that summing the parts of a split product takes beyond its traffic.
        split_overhead: Seconds = 0.0, 5e-8..=3e-5 "s", fitted;
        /// Bandwidth of the partial sums of a split product, which may stay in L2, relative to DRAM's.
        partial_sum_rate: f64 = 1.0, 0.3..=6.0 "", fitted;
        /// Depth of the summed dimension that filling and draining a tile costs.
        k_ramp: f64 = 0.0, 1.0..=2000.0 "elements", fitted;
        /// Slow-down of long kernels, which the power limit throttles.
        throttle: f64 = 1.0, 1.0..=2.5 "", fitted;
        /// Duration at which half of that slow-down is reached.
        throttle_time: Seconds = 1.0, 1e-4..=3e-3 "s", fitted;
    }
}
