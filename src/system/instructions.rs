//! The instructions of a device in which GGML multiplies quantised weights.

use super::precision::Precision;
use crate::catalog::Accelerator;

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
            // `dp4a` has four times the FP32 rate; matrix units have more. Blackwell Ultra and Rubin have few integer units, but
            // FP8 units, which only devices with `mma.sync` have.
            ("NVIDIA", Some(int8)) if int8 > 4.5 * accelerator.vector_tflops || rates.fp8.is_some() => {
                Self::Mma
            }
            ("Intel", _) if family("Xe") => Self::Vector,
            (_, None) | ("Apple", _) if halves => Self::Half,
            (_, None) | ("Apple", _) => Self::Vector,
            _ => Self::Dot,
        }
    }

    /// Format whose peak matrix rate bounds these instructions; `None` for the vector units.
    pub(super) const fn operands(self) -> Option<Precision> {
        match self {
            Self::Mma | Self::Wmma | Self::Dot => Some(Precision::Int8),
            Self::Half => Some(Precision::Fp16),
            Self::Vector => None,
        }
    }
}
