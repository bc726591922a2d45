//! Fitted constants of kernels that dequantise weights, which are part of the overheads of llama.cpp and MLX.

use foretoken::inference::EngineOverheads;
use foretoken::units::Seconds;

use super::Constant;

/// Defines a constant of [`Dequantising`](foretoken::system::Dequantising) by its name, the kernels and the field.
macro_rules! kernels {
    ($name:literal, mma.$field:ident) => {
        Constant {
            name: $name,
            fitted_to: super::any,
            get: |o: &EngineOverheads| {
                o.multiplies.dequantising.and_then(|kernels| kernels.mma).map_or(0.0, |mma| mma.$field)
            },
            set: |o: &mut EngineOverheads, value| {
                if let Some(mma) = o.multiplies.dequantising.as_mut().and_then(|kernels| kernels.mma.as_mut())
                {
                    mma.$field = value;
                }
            },
        }
    };
    ($name:literal, $kernels:ident.$field:ident) => {
        Constant {
            name: $name,
            fitted_to: super::any,
            get: |o: &EngineOverheads| {
                o.multiplies.dequantising.map_or(0.0, |kernels| kernels.$kernels.$field)
            },
            set: |o: &mut EngineOverheads, value| {
                if let Some(kernels) = &mut o.multiplies.dequantising {
                    kernels.$kernels.$field = value;
                }
            },
        }
    };
    ($name:literal, $field:ident) => {
        Constant {
            name: $name,
            fitted_to: super::any,
            get: |o: &EngineOverheads| o.multiplies.dequantising.map_or(0.0, |kernels| kernels.$field),
            set: |o: &mut EngineOverheads, value| {
                if let Some(kernels) = &mut o.multiplies.dequantising {
                    kernels.$field = value;
                }
            },
        }
    };
    ($name:literal, launch of $backend:ident) => {
        Constant {
            name: $name,
            fitted_to: super::any,
            get: |o: &EngineOverheads| {
                o.multiplies.dequantising.map_or(0.0, |kernels| kernels.$backend.launch.get())
            },
            set: |o: &mut EngineOverheads, value| {
                if let Some(kernels) = &mut o.multiplies.dequantising {
                    kernels.$backend.launch = Seconds::new(value);
                }
            },
        }
    };
}

/// Maximum bytes of weights per multiprocessor and clock cycle by CUDA, on devices with matrix units.
pub(super) const CYCLE: Constant = kernels!("CUDA, bytes per multiprocessor and cycle", cycle);

/// Maximum bytes of weights per FLOP of the vector units by CUDA, on devices without matrix units.
const UNPACKED: Constant = kernels!("CUDA without matrix units, bytes per FLOP of vector units", unpacked);

/// Fraction of the DRAM bandwidth at which CUDA kernels read weights.
pub(super) const CUDA_DRAM: Constant = kernels!("CUDA, share of DRAM bandwidth", cuda.dram);
/// Fraction of the DRAM bandwidth at which CUDA kernels read weights on devices with a large L2.
const CACHED: Constant = kernels!("CUDA with a large L2, share of DRAM bandwidth", cached);

/// Time per multiply by CUDA in addition to reading its weights, s.
pub(super) const CUDA_LAUNCH: Constant = kernels!("CUDA, time per multiply, s", launch of cuda);

/// Constants fitted to rows of `llama-bench`.
pub(super) const CONSTANTS: [Constant; 18] = [
    CYCLE,
    UNPACKED,
    CUDA_DRAM,
    CACHED,
    CUDA_LAUNCH,
    HIP_DRAM,
    HIP_LAUNCH,
    METAL_DRAM,
    METAL_LAUNCH,
    kernels!("Vulkan, share of DRAM bandwidth", vulkan.dram),
    kernels!("Vulkan, time per multiply, s", launch of vulkan),
    kernels!("mma, time in matrix units", mma.matrix),
    kernels!("mma, time in vector units", mma.vector),
    WMMA_MATRIX,
    WMMA_VECTOR,
    DOT,
    kernels!("16 bits in matrix units, time", half.matrix),
    VECTOR,
];

/// Constants fitted to rows of LocalScore.
pub(super) const LLAMAFILE: [Constant; 10] = [
    CYCLE,
    CUDA_LAUNCH,
    HIP_DRAM,
    HIP_LAUNCH,
    METAL_DRAM,
    METAL_LAUNCH,
    WMMA_MATRIX,
    WMMA_VECTOR,
    DOT,
    VECTOR,
];

/// Constants fitted to rows of MLX, which are of devices without matrix units.
pub(super) const MLX: [Constant; 2] = [METAL_LAUNCH, VECTOR];

const HIP_DRAM: Constant = kernels!("HIP, share of DRAM bandwidth", hip.dram);
const HIP_LAUNCH: Constant = kernels!("HIP, time per multiply, s", launch of hip);
const WMMA_MATRIX: Constant = kernels!("wmma, time in matrix units", wmma.matrix);
const WMMA_VECTOR: Constant = kernels!("wmma, time in vector units", wmma.vector);
const DOT: Constant = kernels!("dot products, time", dot.matrix);
const METAL_DRAM: Constant = kernels!("Metal, share of DRAM bandwidth", metal.dram);
const METAL_LAUNCH: Constant = kernels!("Metal, time per multiply, s", launch of metal);
const VECTOR: Constant = kernels!("vector units, time", vector.vector);
