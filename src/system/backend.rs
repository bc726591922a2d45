//! The interface through which kernels of GGML and MLX, which dequantise weights as they multiply, run on a device.

use crate::catalog::Accelerator;

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
