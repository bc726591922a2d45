//! Kernels that dequantise weights as they multiply: those of GGML, the library of llama.cpp, and of MLX. Their rates depend on the
//! instructions and the interface that they have for a device.
//!
//! For prompts, GGML packs the activations into 8-bit integers and unpacks the weights in the vector units, once for each tile of
//! tokens. A multiply thus takes time in the matrix units, which grows with the tokens, and in the vector units, which grows with
//! the tiles.

use super::{Device, Precision};
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Bytes, Flops, Seconds};

/// The interface through which such kernels run on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// CUDA, on NVIDIA's GPUs.
    Cuda,
    /// HIP, on AMD's devices of RDNA.
    Hip,
    /// HIP, on AMD's devices whose waves have 64 lanes: GCN and CDNA.
    HipWide,
    /// Metal, on Apple's devices.
    Metal,
    /// Vulkan, on Intel's GPUs.
    Vulkan,
    /// Any other interface. It reads weights with the constants of CUDA, because none were fitted.
    Other,
}

impl Backend {
    /// The backend for a device's vendor.
    pub fn of(accelerator: &Accelerator) -> Self {
        let family = |name: &str| accelerator.architecture.starts_with(name);
        match accelerator.vendor.as_str() {
            "AMD" if family("GCN") || family("CDNA") => Self::HipWide,
            "AMD" if !family("Zen") => Self::Hip,
            "Apple" => Self::Metal,
            "Intel" if family("Xe") => Self::Vulkan,
            "NVIDIA" if !family("Neoverse") => Self::Cuda,
            _ => Self::Other,
        }
    }
}

/// Instructions in which GGML multiplies quantised weights by activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// NVIDIA's matrix instructions on 8-bit integers (`mma.sync`), since Turing.
    Mma,
    /// AMD's matrix instructions on 8-bit integers (`v_wmma`, `v_mfma`), since RDNA3 and CDNA.
    Wmma,
    /// Dot products of four 8-bit integers in the vector units (`dp4a`, `v_dot4`).
    Dot,
    /// Matrix instructions on 16-bit floats, for which weights are unpacked first.
    Half,
    /// Multiply-adds of the vector units: Apple's `simdgroup_matrix`, Vulkan on Intel's GPUs, GPUs without `dp4a`.
    Vector,
}

impl Instructions {
    /// The instructions that GGML's kernels use on a device (ggml-org/llama.cpp@00dc8057, `ggml/src/ggml-cuda/mmq.cuh`,
    /// `ggml/src/ggml-metal`).
    pub fn of(accelerator: &Accelerator) -> Self {
        let rates = &accelerator.matrix_tflops;
        let halves = rates.fp16.or(rates.bf16).is_some_and(|rate| rate > 2.5 * accelerator.vector_tflops);
        let family = |name: &str| accelerator.architecture.starts_with(name);
        match (accelerator.vendor.as_str(), rates.int8) {
            ("AMD", Some(_)) if family("RDNA3") || family("RDNA4") || family("CDNA") => Self::Wmma,
            // `dp4a` has four times the FP32 rate; matrix units have more. The rate tells them apart.
            ("NVIDIA", Some(int8)) if int8 > 4.5 * accelerator.vector_tflops => Self::Mma,
            ("Intel", _) if family("Xe") => Self::Vector,
            (_, None) | ("Apple", _) if halves => Self::Half,
            (_, None) | ("Apple", _) => Self::Vector,
            _ => Self::Dot,
        }
    }

    /// Format whose peak matrix rate bounds these instructions; `None` for the vector units.
    const fn operands(self) -> Option<Precision> {
        match self {
            Self::Mma | Self::Wmma | Self::Dot => Some(Precision::Int8),
            Self::Half => Some(Precision::Fp16),
            Self::Vector => None,
        }
    }
}

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

/// What `mma.sync` reaches on those devices, fitted to the prompts of Llama-3.1-8B in `Q4_K_M` on an H100
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
    /// Largest tiles of a matrix's tokens, and the share by which their tokens exceed them.
    ///
    /// Experts' tiles are as wide as their mean number of tokens (`mmq.cu`, `ncols_opt`). Half of the experts have more, and
    /// need another one.
    fn tiles(self) -> (f64, f64) {
        let full = libm::ceil(self.tokens / TILE).max(1.0);
        if self.uneven && self.tokens > 1.0 { (full + 0.5, (full + 0.5) / full) } else { (full, 1.0) }
    }
}

impl UnitTimes {
    /// Time of a multiply on a device.
    fn time(self, flops: Flops, columns: Columns, device: &Device) -> Seconds {
        let peak = device.instructions.operands().map(|operands| {
            let peak = device.rate(operands).get();
            let newer =
                |cycles: &f64| device.instructions == Instructions::Mma && peak > 1.01 * MMA_PEAK * cycles;
            device.cycles.filter(newer).map_or(peak, |cycles| MMA_SYNC * cycles)
        });
        let matrix = peak.map_or(0.0, |peak| self.matrix / peak);
        let (tiles, wider) = columns.tiles();
        // Only these kernels are known to have such tiles.
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
    /// Times with [`Instructions::Half`].
    pub half: UnitTimes,
    /// Times with [`Instructions::Vector`].
    pub vector: UnitTimes,
}

impl Dequantising {
    /// Reading of weights by a device's backend.
    pub fn reading(&self, device: &Device) -> Reading {
        let large = device.l2.is_some_and(|cache| cache.capacity >= LARGE_CACHE);
        match device.backend {
            Backend::Cuda if large => Reading { dram: self.cached, ..self.cuda },
            Backend::Cuda | Backend::Other => self.cuda,
            Backend::Hip => self.hip,
            // HIP compiles the kernels of CUDA, so that it launches as many.
            Backend::HipWide => Reading { launch: self.hip.launch.max(self.cuda.launch), ..self.hip },
            Backend::Metal => self.metal,
            Backend::Vulkan => self.vulkan,
        }
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

    /// Time that the tokens of a step after the first add to a multiply of at most eight by quantised weights.
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
            Instructions::Dot => self.dot,
            Instructions::Half => self.half,
            Instructions::Vector => self.vector,
        };
        Some(times.time(flops, columns, device))
    }
}
