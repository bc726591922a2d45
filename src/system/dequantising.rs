//! Kernels that dequantise weights as they multiply: those of GGML, the library of llama.cpp, and of MLX. Their rates depend on the
//! instructions and the interface that they have for a device.
//!
//! For prompts, GGML packs the activations into 8-bit integers and unpacks the weights in the vector units, once for each tile of
//! tokens. A multiply thus takes time in the matrix units, which grows with the tokens, and in the vector units, which grows with
//! the tiles.

use super::backend::Backend;
use super::device::Device;
use super::instructions::Instructions;
use crate::units::{Bandwidth, Bytes, Flops, Seconds};

/// Time of kernels in the two kinds of units of a multiprocessor, relative to the time at the units' peak rates. The values
/// are dimensionless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitTimes {
    /// Time in the matrix units, relative to the peak rate of [`Instructions`]' operands; for dot products, to the peak rate
    /// of 8-bit integers.
    pub matrix: f64,
    /// Time in the vector units, relative to their FP32 rate.
    pub vector: f64,
}

/// Tokens of the largest tile of GGML's kernels for prompts (`mmq.cuh`).
const TILE: f64 = 128.0;

/// Operations on 8-bit integers per multiprocessor and cycle at the peak rate of `mma.sync`: an A100's. Devices with a higher
/// peak reach it by newer instructions: Hopper's `wgmma`, the `tcgen05` of Blackwell's data-centre devices.
const MMA_PEAK: f64 = 4096.0;

/// Rate of dot products of 8-bit integers in vector units, relative to their FP32 rate: `dp4a`, `v_dot4`, AVX-512's VNNI.
const DOT_PRODUCT: f64 = 4.0;

/// Operations per multiprocessor and cycle that `mma.sync` reaches on those devices, fitted to the prompts of Llama-3.1-8B in `Q4_K_M` on an H100
/// (`one_gpu_llamacpp.jsonl`).
const MMA_SYNC: f64 = 3300.0;

/// Tokens that are multiplied by the same weights in one kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// Tokens of each matrix. A kernel of several experts has their mean.
    pub tokens: f64,
    /// True if the kernel multiplies by several experts, which receive unequal numbers of tokens.
    pub uneven: bool,
}

impl Columns {
    /// Number of tiles for each matrix, and tokens computed in them per token.
    ///
    /// Experts' tiles are as wide as the mean number of tokens of an expert (`mmq.cu`, `ncols_opt`). Half of the experts have
    /// more than that and take one more tile.
    fn tiles(self) -> (f64, f64) {
        let full = libm::ceil(self.tokens / TILE).max(1.0);
        if self.uneven && self.tokens > 1.0 { (full + 0.5, (full + 0.5) / full) } else { (full, 1.0) }
    }
}

impl UnitTimes {
    /// Time of a multiply on a device.
    fn time(self, flops: Flops, columns: Columns, device: &Device) -> Seconds {
        let peak = device.instructions.operands().map(|operands| {
            let rate = device.rate(operands).get();
            // Vector units multiply four 8-bit integers for each 32-bit float; AMX is not used.
            let dot = device.instructions == Instructions::Dot;
            let peak = if dot { rate.min(DOT_PRODUCT * device.vector.get()) } else { rate };
            let newer =
                |cycles: &f64| device.instructions == Instructions::Mma && peak > 1.01 * MMA_PEAK * cycles;
            device.cycles.filter(newer).map_or(peak, |cycles| MMA_SYNC * cycles)
        });
        let matrix = peak.map_or(0.0, |peak| self.matrix / peak);
        let (tiles, wider) = columns.tiles();
        // Kernels for the other instructions are fitted without tiles.
        let (wider, unpacked) = match device.instructions {
            Instructions::Mma | Instructions::Wmma => (wider, tiles * TILE / columns.tokens.max(1.0)),
            Instructions::Dot | Instructions::Half | Instructions::Vector => (1.0, 1.0),
        };
        Seconds::new(flops.get() * (matrix * wider + self.vector * unpacked / device.vector.get()))
    }
}

/// Reading of weights by a [`Backend`] in steps without prompts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Achieved fraction of the DRAM bandwidth.
    pub dram: f64,
    /// Time per multiply in addition to reading its weights, s: launches of its kernels and of those around it.
    pub launch: Seconds,
}

/// Least capacity of an L2 behind which CUDA kernels read weights at [`Dequantising::cached`] of the DRAM bandwidth: that of the
/// GeForce RTX 4060 Ti. GPUs with GDDR have as much since Ada.
const LARGE_CACHE: Bytes = Bytes::from_mb(32.0);

/// Constants of the kernels of one library. `make engines` fits their values, which are in `inference::llamacpp` and
/// `inference::mlx`, to rows in `tests/measured/local.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dequantising {
    /// Reading of weights with CUDA.
    pub cuda: Reading,
    /// Fraction of the DRAM bandwidth at which CUDA kernels read weights on devices with a large L2 (`LARGE_CACHE`).
    pub cached: f64,
    /// Reading of weights with HIP.
    pub hip: Reading,
    /// Maximum bytes of weights that a compute unit reads per clock cycle in steps without prompts, with
    /// [`Backend::HipWide`]: kernels written for waves of 32 lanes leave part of such a wave idle.
    pub wide_cycle: f64,
    /// Reading of weights with Metal.
    pub metal: Reading,
    /// Reading of weights with Vulkan.
    pub vulkan: Reading,
    /// Reading of weights by the threads of one socket of a Xeon.
    pub xeon: Reading,
    /// Maximum bytes of quantised weights that a multiprocessor reads per clock cycle in steps without prompts, with CUDA on
    /// devices with matrix units.
    pub cycle: f64,
    /// The maximum for 16-bit weights, which need no unpacking; `None` where DRAM alone limits them.
    pub cycle16: Option<f64>,
    /// Cycles of a multiprocessor for each quantised weight and each token of a step after the first, in kernels of up to eight
    /// tokens, with CUDA on devices with matrix units.
    pub token: f64,
    /// Maximum bytes of quantised weights per FLOP of the vector units, with CUDA on devices without matrix units. Vector
    /// units unpack the weights there, and they are slow relative to the DRAM bandwidth of these devices.
    pub unpacked: f64,
    /// Times with [`Instructions::Mma`]; `None` for versions until May 2024, which unpack weights for a 16-bit multiply of
    /// the device's library.
    pub mma: Option<UnitTimes>,
    /// Times with [`Instructions::Wmma`].
    pub wmma: UnitTimes,
    /// Times with [`Instructions::Dot`]. All of the time is attributed to the dot products.
    pub dot: UnitTimes,
    /// Times with [`Instructions::Dot`] in the threads of one socket of a Xeon.
    pub xeon_dot: UnitTimes,
    /// Times with [`Instructions::Half`].
    pub half: UnitTimes,
    /// Times with [`Instructions::Vector`].
    pub vector: UnitTimes,
}

impl Dequantising {
    /// Reading of weights by a device's backend.
    pub fn reading(&self, device: &Device) -> Reading {
        let large = device.l2.is_some_and(|cache| cache.capacity >= LARGE_CACHE);
        let reading = match device.backend {
            Backend::Cuda if large => Reading { dram: self.cached, ..self.cuda },
            Backend::Cuda | Backend::Other => self.cuda,
            Backend::Hip => self.hip,
            // HIP compiles the kernels of CUDA, so that it launches as many.
            Backend::HipWide => Reading { launch: self.hip.launch.max(self.cuda.launch), ..self.hip },
            Backend::Metal => self.metal,
            Backend::Vulkan => self.vulkan,
            Backend::Xeon => self.xeon,
        };
        // The kernels run on one socket.
        Reading { dram: reading.dram / device.sockets, ..reading }
    }

    /// Minimum time in which the multiprocessors read and unpack weights in a step without prompts. `wide` is true for 16-bit
    /// weights.
    pub fn unpacking(&self, device: &Device, weights: Bytes, wide: bool) -> Seconds {
        let matrix = matches!(device.instructions, Instructions::Mma | Instructions::Half);
        let limit = match device.backend {
            Backend::Cuda if matrix => {
                let cycle = if wide { self.cycle16 } else { Some(self.cycle) };
                device.cycles.zip(cycle).map(|(cycles, cycle)| cycles * cycle)
            }
            Backend::HipWide => device.cycles.map(|cycles| cycles * self.wide_cycle),
            // Without dot products, weights are unpacked to 16 bits, two of them per vector lane.
            Backend::Cuda if !wide && device.instructions == Instructions::Vector => {
                Some(device.vector16.get() * self.unpacked)
            }
            Backend::Cuda if !wide => Some(device.vector.get() * self.unpacked),
            _ => None,
        };
        limit.map_or(Seconds::ZERO, |limit| weights / Bandwidth::new(limit))
    }

    /// Time that each token after the first adds to a matrix-vector kernel (at most eight tokens) with quantised weights.
    pub fn further_tokens(&self, flops: Flops, columns: Columns, device: &Device) -> Seconds {
        let cycles = device.cycles.filter(|_| {
            device.backend == Backend::Cuda
                && device.instructions == Instructions::Mma
                && columns.tokens > 1.0
        });
        let products = flops.get() / 2.0 * (1.0 - columns.tokens.recip());
        cycles.map_or(Seconds::ZERO, |cycles| Seconds::new(products * self.token / cycles))
    }

    /// Time in which prompts are multiplied by quantised weights; `None` if the engine uses the device's library for it.
    pub fn time(&self, flops: Flops, columns: Columns, device: &Device) -> Option<Seconds> {
        let times = match device.instructions {
            Instructions::Mma => self.mma?,
            Instructions::Wmma => self.wmma,
            Instructions::Dot if device.backend == Backend::Xeon => self.xeon_dot,
            Instructions::Dot => self.dot,
            Instructions::Half => self.half,
            Instructions::Vector => self.vector,
        };
        Some(times.time(flops, columns, device) * device.sockets)
    }
}
