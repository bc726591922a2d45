//! The interface through which kernels of GGML and MLX, which dequantise weights as they multiply, run on a device.

use crate::catalog::{Accelerator, Class};

/// The interface through which kernels that dequantise run on a device.
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
    /// Threads of a Xeon with AMX.
    Xeon,
    /// Any other interface, other CPUs among them. It reads weights with the constants of CUDA, because none were fitted.
    Other,
}

impl Backend {
    /// The backend for a device's vendor.
    pub fn of(accelerator: &Accelerator) -> Self {
        let family = |name: &str| accelerator.architecture.starts_with(name);
        if accelerator.class == Class::Cpu {
            return if accelerator.vendor == "Intel" { Self::Xeon } else { Self::Other };
        }
        match accelerator.vendor.as_str() {
            "AMD" if family("GCN") || family("CDNA") => Self::HipWide,
            "AMD" => Self::Hip,
            "Apple" => Self::Metal,
            "Intel" if family("Xe") => Self::Vulkan,
            "NVIDIA" => Self::Cuda,
            _ => Self::Other,
        }
    }
}
