//! Serving engines.

use super::llamacpp;
use super::mlx;
use crate::catalog::{Accelerator, Class};
use crate::system::{KernelLibrary, Precision, ScanLibrary};
use crate::workload::ExpertExchange;

/// Serving software, by the design of its scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Kernels alone: no host.
    #[default]
    None,
    /// Other software, with the median overheads of current engines.
    Typical,
    /// vLLM from 0.14 on: the scheduler prepares a step while the one before runs (asynchronous scheduling, the default since
    /// vllm-project/vllm#27614), and chunked prefill joins decode steps.
    Vllm,
    /// vLLM 0.8 to 0.13, whose GPUs wait for the scheduler between steps.
    Vllm013,
    /// SGLang from 0.5.8 on: prefill steps go before decode steps.
    Sglang,
    /// SGLang 0.5 to 0.5.6.
    Sglang056,
    /// TensorRT-LLM from 1.1 on: a Python runtime on PyTorch.
    Trtllm,
    /// TensorRT-LLM 1.0 and its candidates.
    Trtllm10,
    /// TensorRT-LLM 0.11 to 0.x: a compiled engine under a C++ runtime.
    Tensorrt,
    /// TensorRT-LLM 0.7 to 0.10: its decode attention shares keys among eight heads of 128 alone.
    Tensorrt08,
    /// TensorRT-LLM to 0.6: its decode attention reads the keys for each query head anew.
    Tensorrt05,
    /// FasterTransformer and what was built on it, to 2023.
    Fastertransformer,
    /// Megatron-LM's own generation: two requests at a time go through the model.
    Megatron,
    /// llama.cpp since June 2024, whose kernels multiply 8-bit integers in matrix units, without flash attention.
    Llamacpp,
    /// llama.cpp since June 2024, with flash attention.
    LlamacppFlash,
    /// llamafile 0.9, built on llama.cpp of August 2024.
    Llamafile,
    /// llama.cpp before June 2024.
    Llamacpp24,
    /// MLX on Apple's devices (mlx-lm and servers built on it).
    Mlx,
}

/// Generations of NVIDIA's GPUs by which kernels differ, oldest first.
const GENERATIONS: [&str; 7] = ["Volta", "Turing", "Ampere", "Ada Lovelace", "Hopper", "Blackwell", "Rubin"];

/// Returns true if a device is a GPU of this generation of NVIDIA's or a later one.
pub(super) fn is_since(generation: &str, device: &Accelerator) -> bool {
    GENERATIONS.iter().skip_while(|name| **name != generation).any(|name| *name == device.architecture)
}

/// Returns true for GPUs that today's engines do not support: NVIDIA's before compute capability 7.5, and AMD's before RDNA3 and
/// CDNA2 (vllm-project/vllm@0487d5c2 and @06d0369d, docs/getting_started/installation/gpu.cuda.inc.md and gpu.rocm.inc.md;
/// `SGLang`'s attention kernels take compute capability 7.5 too, sgl-project/sglang, docs/get_started/install.md).
fn precedes_engines(device: &Accelerator) -> bool {
    let architecture = device.architecture.as_str();
    matches!(architecture, "Volta" | "Pascal" | "Maxwell" | "RDNA" | "RDNA2" | "CDNA")
        || architecture.starts_with("GCN")
}

impl Engine {
    /// The engine of a version of vLLM, from its first two numbers. Asynchronous scheduling is the default from 0.14 on.
    pub const fn of_vllm(major: u32, minor: u32) -> Self {
        if major == 0 && minor < 14 { Self::Vllm013 } else { Self::Vllm }
    }

    /// The engine of a version of TensorRT-LLM, from its first two numbers. From 1.1 on its models run on PyTorch.
    pub const fn of_tensorrt_llm(major: u32, minor: u32) -> Self {
        match (major, minor) {
            (0, ..=6) => Self::Tensorrt05,
            (0, ..=10) => Self::Tensorrt08,
            (0, _) => Self::Tensorrt,
            (1, 0) => Self::Trtllm10,
            _ => Self::Trtllm,
        }
    }

    /// All engines.
    pub const ALL: [Self; 18] = [
        Self::None,
        Self::Typical,
        Self::Vllm,
        Self::Vllm013,
        Self::Sglang,
        Self::Sglang056,
        Self::Trtllm,
        Self::Trtllm10,
        Self::Tensorrt,
        Self::Tensorrt08,
        Self::Tensorrt05,
        Self::Fastertransformer,
        Self::Megatron,
        Self::Llamacpp,
        Self::LlamacppFlash,
        Self::Llamafile,
        Self::Llamacpp24,
        Self::Mlx,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None: kernels alone",
            Self::Typical => "Other software: typical",
            Self::Vllm => "vLLM",
            Self::Vllm013 => "vLLM 0.8 to 0.13",
            Self::Sglang => "SGLang",
            Self::Sglang056 => "SGLang 0.5 to 0.5.6",
            Self::Trtllm => "TensorRT-LLM",
            Self::Trtllm10 => "TensorRT-LLM 1.0",
            Self::Tensorrt => "TensorRT-LLM 0.11 and later",
            Self::Tensorrt08 => "TensorRT-LLM 0.7 to 0.10",
            Self::Tensorrt05 => "TensorRT-LLM to 0.6",
            Self::Fastertransformer => "FasterTransformer",
            Self::Megatron => "Megatron-LM",
            Self::Llamacpp => "llama.cpp",
            Self::LlamacppFlash => "llama.cpp with flash attention",
            Self::Llamafile => "llamafile 0.9",
            Self::Llamacpp24 => "llama.cpp to May 2024",
            Self::Mlx => "MLX",
        }
    }

    /// Library of the engine's recurrences. TensorRT-LLM's kernels of gated delta nets are nearer to Triton's than to
    /// vLLM's: 0.10 of the matrix rate on Hopper and 0.053 on Blackwell with many heads (ai-dynamo/aiconfigurator@095f58a,
    /// `gdn_perf` of 1.3.0rc20).
    pub const fn scans(self) -> ScanLibrary {
        match self {
            Self::Sglang | Self::Sglang056 | Self::Trtllm | Self::Trtllm10 => ScanLibrary::Triton,
            Self::None
            | Self::Typical
            | Self::Vllm
            | Self::Vllm013
            | Self::Tensorrt
            | Self::Tensorrt08
            | Self::Tensorrt05
            | Self::Fastertransformer
            | Self::Megatron
            | Self::Llamacpp
            | Self::LlamacppFlash
            | Self::Llamafile
            | Self::Llamacpp24
            | Self::Mlx => ScanLibrary::Vllm,
        }
    }

    /// Library of the engine's multiplies in narrow formats. TensorRT-LLM's was measured in version 1.3; earlier versions are predicted
    /// better with the usual one (docs/method/calibration.md).
    pub const fn multiplies_by(self) -> KernelLibrary {
        match self {
            Self::Trtllm => KernelLibrary::TensorRtLlm,
            Self::Sglang | Self::Sglang056 => KernelLibrary::Sglang,
            _ => KernelLibrary::Usual,
        }
    }

    /// Returns true if a lower tier of the prefix cache has a copy of what the GPUs have: vLLM copies blocks as they are filled
    /// (docs/features/kv_offloading_usage), `SGLang` writes them through (`--hicache-write-policy write_through`). Others move blocks
    /// down when they are evicted, as TensorRT-LLM does.
    pub const fn copies_to_host(self) -> bool {
        matches!(self.product(), Self::Vllm | Self::Sglang)
    }

    /// Returns true if the engine supports disaggregated prefill, or if there is none, only kernels.
    pub const fn disaggregates(self) -> bool {
        matches!(
            self,
            Self::None
                | Self::Typical
                | Self::Vllm
                | Self::Vllm013
                | Self::Sglang
                | Self::Sglang056
                | Self::Trtllm
                | Self::Trtllm10
        )
    }

    /// Returns true if the engine serves weights of 4-bit integers (AWQ, GPTQ) and an FP8 KV cache beside the other formats.
    pub const fn quantizes(self) -> bool {
        !matches!(self.product(), Self::Llamacpp | Self::Mlx | Self::Fastertransformer | Self::Megatron)
    }

    /// Matrix rate that the engine's kernels reach with 16-bit operands on a device, as a fraction of the rate of the
    /// libraries whose kernels were measured.
    pub fn halves_share(self, accelerator: &Accelerator) -> f64 {
        if self.product() == Self::Llamacpp { llamacpp::halves_share(accelerator) } else { 1.0 }
    }

    /// Returns true for an engine of local inference, whose kernels dequantise weights as they multiply: llama.cpp, MLX.
    pub const fn is_local(self) -> bool {
        matches!(self.product(), Self::Llamacpp | Self::Mlx)
    }

    /// Returns true if the engine has kernels for a device, or if the device's vendor is unknown.
    pub fn runs_on(self, device: &Accelerator) -> bool {
        let vendor = device.vendor.as_str();
        let unknown = matches!(vendor, "" | "Generic");
        match self.product() {
            Self::None | Self::Typical => true,
            // GGML has no interface for TPU, Trainium, Inferentia and Gaudi.
            Self::Llamacpp => {
                !matches!(vendor, "Google" | "AWS") && !device.architecture.starts_with("Gaudi")
            }
            Self::Mlx => unknown || vendor == "Apple",
            Self::Vllm => vendor != "Apple" && !precedes_engines(device),
            // Its platforms are GPUs, TPU, Ascend and CPUs with AMX (docs.sglang.io, hardware-platforms/overview).
            Self::Sglang => {
                let others = matches!(vendor, "Apple" | "AWS") || device.architecture.starts_with("Gaudi");
                let amx = unknown || vendor == "Intel" || device.class != Class::Cpu;
                !others && amx && !precedes_engines(device)
            }
            // Releases up to 0.10 had experimental kernels for Volta and Turing, later ones begin with Ampere
            // (nvidia.github.io/TensorRT-LLM, supported-hardware, and 0.18.2, support-matrix).
            Self::Trtllm => {
                let early = matches!(self, Self::Tensorrt08 | Self::Tensorrt05);
                unknown || is_since(if early { "Volta" } else { "Ampere" }, device)
            }
            _ => unknown || (vendor == "NVIDIA" && device.class != Class::Cpu),
        }
    }

    /// Returns true if the engine reads weights of a format.
    pub const fn loads(self, format: Precision) -> bool {
        use Precision as P;
        match self.product() {
            Self::None | Self::Typical => true,
            Self::Llamacpp => {
                format.is_gguf() || matches!(format, P::Bf16 | P::Fp16 | P::Tf32 | P::Mxfp4 | P::Fp4)
            }
            Self::Mlx => mlx::loads(format),
            Self::Vllm | Self::Sglang => !format.is_mlx() && !format.is_exl(),
            _ => !format.is_gguf() && !format.is_mlx() && !format.is_exl(),
        }
    }

    /// Returns true if this is an engine, not the lack of one or any.
    pub const fn is_named(self) -> bool {
        !matches!(self, Self::None | Self::Typical)
    }

    /// Returns true if a scheduler divides prompts that arrive together over steps of limited size; others read them at once.
    pub const fn schedules(self) -> bool {
        !matches!(self, Self::None | Self::Fastertransformer | Self::Megatron)
    }

    /// How tokens of attention replicas come to their experts, in prefill or in decoding. SGLang's guide for DeepSeek's models recommends
    /// DeepEP inside a server too (`--moe-a2a-backend deepep`). vLLM's default there is an all-gather (`allgather_reducescatter`), as
    /// is TensorRT-LLM's (`select_alltoall_method_type`).
    pub(super) fn exchange(self, prefill: bool) -> ExpertExchange {
        match self.product() {
            Self::Trtllm => ExpertExchange::Fused,
            Self::Sglang if prefill => ExpertExchange::Sent,
            _ => ExpertExchange::Grouped,
        }
    }

    /// The software that this is a version of: its current one.
    #[must_use]
    pub const fn product(self) -> Self {
        match self {
            Self::Vllm013 => Self::Vllm,
            Self::Sglang056 => Self::Sglang,
            Self::LlamacppFlash | Self::Llamafile | Self::Llamacpp24 => Self::Llamacpp,
            Self::Trtllm10 | Self::Tensorrt | Self::Tensorrt08 | Self::Tensorrt05 => Self::Trtllm,
            other => other,
        }
    }
}
