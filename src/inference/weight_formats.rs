//! Formats of weights for which serving engines have kernels on a device.
//!
//! Kernels are those that the projects document:
//! - vLLM: docs/features/quantization/README.md at vllm-project/vllm@83f591d7 (one table of formats by hardware; FP8 from Turing on
//!   with 16-bit operands, "Turing does not support Marlin MXFP4"; no INT8 on compute capability 10.0 and later),
//!   `supported_quantization` of vllm/platforms/rocm.py at @001eda31, MXFP4 on AMD's and Intel's GPUs in vllm-project/recipes,
//!   OpenAI/GPT-OSS.md, and layers/quantization/mxfp4.py at @007d5005; TPU: vllm-project/tpu-inference, layers/vllm/quantization;
//! - `SGLang`: docs/advanced_features/quantization.md at sgl-project/sglang@0f4513c2 (one table by vendor), `get_min_capability` of
//!   its fp8.py and mxfp4.py (80), docs/platforms/cpu_server.md at @06a974da (INT8 and FP8 with AMX);
//! - TensorRT-LLM: "Hardware Support Matrix" of docs/source/features/quantization.md at NVIDIA/TensorRT-LLM@09d4c79b, and MXFP4
//!   on Hopper in its deployment guide for gpt-oss.

use super::engine::{Engine, is_since};
use crate::catalog::{Accelerator, Class};
use crate::system::Precision;

/// Engines that are tried where the question names none.
const NAMED: [Engine; 5] = [Engine::Vllm, Engine::Sglang, Engine::Trtllm, Engine::Llamacpp, Engine::Mlx];

impl Engine {
    /// Returns true if the engine has kernels for weights of a format on a device, or if the device's vendor is unknown. Operands
    /// may have 16 bits. Where the question names no engine, any engine with such kernels counts.
    pub fn loads_on(self, format: Precision, device: &Accelerator) -> bool {
        let engine = self.product();
        if !engine.is_named() {
            // ExLlama is not modelled as an engine.
            let takes = |named: &Self| named.runs_on(device) && named.loads_on(format, device);
            return format.is_exl() || NAMED.iter().any(takes);
        }
        let known = !matches!(device.vendor.as_str(), "" | "Generic");
        self.loads(format)
            && match engine {
                Self::Vllm if known => has_vllm(format, device),
                Self::Sglang if known => has_sglang(format, device),
                Self::Trtllm if known => has_tensorrt_llm(format, device),
                _ => true,
            }
    }

    /// Formats of weights for which the engine has no kernels on a device.
    pub fn unread_on(self, device: &Accelerator) -> Vec<Precision> {
        Precision::ALL.into_iter().filter(|format| !self.loads_on(*format, device)).collect()
    }
}

fn has_vllm(format: Precision, device: &Accelerator) -> bool {
    use Precision as P;
    let rates = &device.matrix_tflops;
    let (turing, ampere) = (is_since("Turing", device), is_since("Ampere", device));
    let tpu = device.vendor == "Google";
    match format {
        P::Fp8 | P::Fp8Block => rates.fp8.is_some() || turing,
        P::Fp4 => rates.fp4.is_some() || turing || tpu || has_petit(device),
        P::Mxfp4 => rates.fp4.is_some() || ampere || tpu || is_gpu_of("Intel", device) || has_mx(device),
        P::Int4 | P::Awq => device.vendor != "AWS" && device.architecture != "Neoverse V2",
        P::Int8 => !is_since("Blackwell", device),
        format if of_own_kernels(format) => turing || is_gpu_of("AMD", device),
        _ => true,
    }
}

fn has_sglang(format: Precision, device: &Accelerator) -> bool {
    use Precision as P;
    let rates = &device.matrix_tflops;
    let (turing, ampere) = (is_since("Turing", device), is_since("Ampere", device));
    let (amd, ascend) = (is_gpu_of("AMD", device), device.vendor == "Huawei");
    let amx = device.vendor == "Intel" && device.class == Class::Cpu;
    match format {
        P::Fp8 | P::Fp8Block => rates.fp8.is_some() || ampere || amx,
        P::Fp4 => rates.fp4.is_some() || has_petit(device),
        P::Mxfp4 => rates.fp4.is_some() || ampere || device.architecture == "CDNA3",
        P::Int4 | P::Awq => turing || amd || ascend,
        P::Int8 => turing || amd || ascend || amx,
        format if of_own_kernels(format) => turing,
        _ => true,
    }
}

fn has_tensorrt_llm(format: Precision, device: &Accelerator) -> bool {
    use Precision as P;
    let rates = &device.matrix_tflops;
    match format {
        P::Fp8 => rates.fp8.is_some(),
        P::Fp8Block => is_since("Hopper", device) && !device.has_units_of_ada(),
        P::Fp4 => rates.fp4.is_some(),
        P::Mxfp4 => is_since("Hopper", device),
        P::Int4 | P::Awq => !is_since("Blackwell", device),
        _ => true,
    }
}

fn is_gpu_of(vendor: &str, device: &Accelerator) -> bool {
    let gaudi = device.architecture.starts_with("Gaudi");
    device.vendor == vendor && device.class != Class::Cpu && !gaudi
}

/// Returns true for AMD's GPUs without FP4 units on which vLLM multiplies MXFP4.
fn has_mx(device: &Accelerator) -> bool {
    matches!(device.architecture.as_str(), "CDNA3" | "RDNA4")
}

/// Returns true for AMD's GPUs on which Petit (causalflow-ai/petit-kernel) multiplies weights of NVIDIA's FP4.
fn has_petit(device: &Accelerator) -> bool {
    matches!(device.architecture.as_str(), "CDNA2" | "CDNA3")
}

/// Returns true for formats whose kernels come from other projects: bitsandbytes and GGML.
const fn of_own_kernels(format: Precision) -> bool {
    matches!(format, Precision::Nf4 | Precision::Nf4Double) || format.is_gguf()
}
