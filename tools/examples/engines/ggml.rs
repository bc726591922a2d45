//! Fitted constants of GGML's kernels, which are part of the overheads of llama.cpp.

use foretoken::inference::EngineOverheads;
use foretoken::system::Ggml;
use foretoken::units::Seconds;

use super::Constant;

/// Defines a constant of [`Ggml`] by its name, the kernels and the field.
macro_rules! ggml {
    ($name:literal, mma.$field:ident) => {
        Constant {
            name: $name,
            get: |o: &EngineOverheads| {
                o.multiplies.ggml.and_then(|ggml| ggml.mma).map_or(0.0, |mma| mma.$field)
            },
            set: |o: &mut EngineOverheads, value| {
                if let Some(mma) = o.multiplies.ggml.as_mut().and_then(|ggml| ggml.mma.as_mut()) {
                    mma.$field = value;
                }
            },
        }
    };
    ($name:literal, $kernels:ident.$field:ident) => {
        Constant {
            name: $name,
            get: |o: &EngineOverheads| o.multiplies.ggml.map_or(0.0, |ggml| ggml.$kernels.$field),
            set: |o: &mut EngineOverheads, value| {
                if let Some(ggml) = &mut o.multiplies.ggml {
                    ggml.$kernels.$field = value;
                }
            },
        }
    };
    ($name:literal, launch of $backend:ident) => {
        Constant {
            name: $name,
            get: |o: &EngineOverheads| o.multiplies.ggml.map_or(0.0, |ggml| ggml.$backend.launch.get()),
            set: |o: &mut EngineOverheads, value| {
                if let Some(ggml) = &mut o.multiplies.ggml {
                    ggml.$backend.launch = Seconds::new(value);
                }
            },
        }
    };
}

/// Maximum bytes of weights per multiprocessor and clock cycle by CUDA, on devices with matrix units.
pub(super) const CYCLE: Constant = Constant {
    name: "CUDA, bytes per multiprocessor and cycle",
    get: |o| o.multiplies.ggml.map_or(0.0, |ggml| ggml.cycle),
    set: |o, value| o.multiplies.ggml = o.multiplies.ggml.map(|ggml| Ggml { cycle: value, ..ggml }),
};

/// Maximum bytes of weights per FLOP of the vector units by CUDA, on devices without matrix units.
const UNPACKED: Constant = Constant {
    name: "CUDA without matrix units, bytes per FLOP of vector units",
    get: |o| o.multiplies.ggml.map_or(0.0, |ggml| ggml.unpacked),
    set: |o, value| o.multiplies.ggml = o.multiplies.ggml.map(|ggml| Ggml { unpacked: value, ..ggml }),
};

/// Fraction of the DRAM bandwidth at which CUDA kernels read weights.
pub(super) const CUDA_DRAM: Constant = ggml!("CUDA, share of DRAM bandwidth", cuda.dram);
/// Time per multiply by CUDA in addition to reading its weights, s.
pub(super) const CUDA_LAUNCH: Constant = ggml!("CUDA, time per multiply, s", launch of cuda);

/// Constants fitted to rows of `llama-bench`.
pub(super) const CONSTANTS: [Constant; 17] = [
    CYCLE,
    UNPACKED,
    CUDA_DRAM,
    CUDA_LAUNCH,
    ggml!("HIP, share of DRAM bandwidth", hip.dram),
    ggml!("HIP, time per multiply, s", launch of hip),
    ggml!("Metal, share of DRAM bandwidth", metal.dram),
    ggml!("Metal, time per multiply, s", launch of metal),
    ggml!("Vulkan, share of DRAM bandwidth", vulkan.dram),
    ggml!("Vulkan, time per multiply, s", launch of vulkan),
    ggml!("mma, time in matrix units", mma.matrix),
    ggml!("mma, time in vector units", mma.vector),
    ggml!("wmma, time in matrix units", wmma.matrix),
    ggml!("wmma, time in vector units", wmma.vector),
    ggml!("dot products, time", dot.matrix),
    ggml!("16 bits in matrix units, time", half.matrix),
    ggml!("vector units, time", vector.vector),
];
