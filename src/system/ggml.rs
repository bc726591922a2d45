//! Multiplies of GGML, the library of llama.cpp: rates by the instructions and the backend that it has for a device.
//!
//! For the tokens of a prompt GGML packs the activations into 8-bit integers and unpacks the weights in vector units. Such a
//! multiply thus takes time in both units of a multiprocessor: `1 / rate = matrix / peak + vector / vector peak`.

use super::{Device, Precision};
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// The interface through which GGML's kernels run on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// CUDA, on NVIDIA's GPUs.
    Cuda,
    /// HIP, on AMD's devices.
    Hip,
    /// Metal, on Apple's devices.
    Metal,
    /// Vulkan, on Intel's GPUs.
    Vulkan,
    /// Any other, of which nothing was fitted.
    Other,
}

impl Backend {
    /// The backend for a device's vendor.
    pub fn of(accelerator: &Accelerator) -> Self {
        let family = |name: &str| accelerator.architecture.starts_with(name);
        match accelerator.vendor.as_str() {
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
    /// Multiply-adds of the vector units: Apple's `simdgroup_matrix`, Intel's GPUs by Vulkan, GPUs without `dp4a`.
    Vector,
}

impl Instructions {
    /// The instructions that GGML's kernels use on a device (ggml-org/llama.cpp@00dc8057, ggml/src/ggml-cuda/mmq.cuh and
    /// ggml/src/ggml-metal).
    pub fn of(accelerator: &Accelerator) -> Self {
        let rates = &accelerator.matrix_tflops;
        let halves = rates.fp16.or(rates.bf16).is_some_and(|rate| rate > 2.5 * accelerator.vector_tflops);
        let family = |name: &str| accelerator.architecture.starts_with(name);
        match (accelerator.vendor.as_str(), rates.int8) {
            ("AMD", Some(_)) if family("RDNA3") || family("RDNA4") || family("CDNA") => Self::Wmma,
            // Dot products have four times the rate of FP32, matrix units more.
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

/// Time of GGML's kernels in the two units of a multiprocessor, in multiples of the time at their peak rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitTimes {
    /// In the matrix units, or for dot products at the peak rate of 8-bit integers.
    pub matrix: f64,
    /// In the vector units.
    pub vector: f64,
}

impl UnitTimes {
    /// Rate at which weights are multiplied on a device.
    pub fn rate(self, device: &Device) -> FlopRate {
        let peak = device.instructions.operands().map(|operands| device.rate(operands));
        let matrix = peak.map_or(0.0, |peak| self.matrix / peak.get());
        FlopRate::new((matrix + self.vector / device.vector.get()).recip())
    }
}

/// How a [`Backend`] reads weights in steps without prompts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Share of the DRAM bandwidth.
    pub dram: f64,
    /// Time per multiply beside reading its weights: launches of its kernels and of those around it.
    pub launch: Seconds,
}

/// Constants of GGML's multiplies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ggml {
    /// Reading by CUDA.
    pub cuda: Reading,
    /// Reading by HIP.
    pub hip: Reading,
    /// Reading by Metal.
    pub metal: Reading,
    /// Reading by Vulkan.
    pub vulkan: Reading,
    /// Maximum bytes of weights per multiprocessor and clock cycle by CUDA on devices with matrix units, in steps without
    /// prompts.
    pub cycle: f64,
    /// Maximum bytes of quantised weights per FLOP of the vector units by CUDA on other devices, which unpack them with as
    /// many instructions but have fewer vector units per byte of bandwidth.
    pub unpacked: f64,
    /// For [`Instructions::Mma`]; `None` before June 2024, when weights were unpacked for a library's 16-bit multiply.
    pub mma: Option<UnitTimes>,
    /// For [`Instructions::Wmma`].
    pub wmma: UnitTimes,
    /// For [`Instructions::Dot`]; all of its time is at the rate of 8-bit integers.
    pub dot: UnitTimes,
    /// For [`Instructions::Half`].
    pub half: UnitTimes,
    /// For [`Instructions::Vector`].
    pub vector: UnitTimes,
}

impl Ggml {
    /// How a device's backend reads weights.
    pub const fn reading(&self, device: &Device) -> Reading {
        match device.backend {
            Backend::Cuda | Backend::Other => self.cuda,
            Backend::Hip => self.hip,
            Backend::Metal => self.metal,
            Backend::Vulkan => self.vulkan,
        }
    }

    /// Minimum time in which multiprocessors take in weights in a step without prompts.
    pub fn unpacking(&self, device: &Device, weights: Bytes, wide: bool) -> Seconds {
        let matrix = matches!(device.instructions, Instructions::Mma | Instructions::Half);
        let limit = match device.backend {
            Backend::Cuda if matrix => device.cycles.map(|cycles| cycles * self.cycle),
            // Without dot products weights are unpacked to 16 bits, two in a lane.
            Backend::Cuda if !wide && device.instructions == Instructions::Vector => {
                Some(device.vector16.get() * self.unpacked)
            }
            Backend::Cuda if !wide => Some(device.vector.get() * self.unpacked),
            _ => None,
        };
        limit.map_or(Seconds::ZERO, |limit| weights / Bandwidth::new(limit))
    }

    /// Rate at which quantised weights are multiplied by the tokens of a prompt, if GGML has kernels of its own for it.
    pub fn rate(&self, device: &Device) -> Option<FlopRate> {
        let times = match device.instructions {
            Instructions::Mma => self.mma?,
            Instructions::Wmma => self.wmma,
            Instructions::Dot => self.dot,
            Instructions::Half => self.half,
            Instructions::Vector => self.vector,
        };
        Some(times.rate(device))
    }
}
