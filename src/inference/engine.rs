//! Serving engines and the overheads of each.

use super::llamacpp;
use super::masked::{Masked, Sharing};
use super::mlx;
use super::multiplies::Multiplies;
use super::overheads::{CacheRoom, EngineOverheads, PromptSteps};
use crate::catalog::Accelerator;
use crate::order::median;
use crate::system::{Assumed, AssumptionSet, KernelLibrary, Precision, ScanLibrary};
use crate::units::Seconds;
use crate::workload::AttentionKernel;

/// Serving software, by the design of its scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Kernels alone: no host.
    #[default]
    None,
    /// Other software, with the median overheads of current engines.
    Typical,
    /// vLLM from 0.8 on: chunked prefill joins decode steps.
    Vllm,
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

impl EngineOverheads {
    /// An engine that none of these is: the median of each of their times, and prompts that join running requests.
    pub fn middle(of: &[Engine]) -> Self {
        let median = |value: &dyn Fn(&Self) -> f64| {
            let mut values: Vec<f64> = of.iter().map(|engine| value(&engine.overheads())).collect();
            median(&mut values)
        };
        let prompts = median(&|overheads| overheads.multiplies.prompts);
        Self {
            step: Seconds::new(median(&|overheads| overheads.step.get())),
            request: Seconds::new(median(&|overheads| overheads.request.get())),
            arrival: Seconds::new(median(&|overheads| overheads.arrival.get())),
            token: Seconds::new(median(&|overheads| overheads.token.get())),
            experts: Seconds::new(median(&|overheads| overheads.experts.get())),
            slots: median(&|overheads| overheads.slots),
            room: CacheRoom::UpTo(0.9),
            multiplies: Multiplies { prompts, wide_prompts: prompts, ..Multiplies::SAME },
            ..Self::NONE
        }
    }
}

/// SGLang's scheduler is written in Python and overlaps with the kernels. The last fit gives 1.719 for prompts, with which TPOT
/// falls where the request rate comes near saturation (`tools/tests/it/serving.rs`), so that factor is of the fit before it.
const SGLANG: EngineOverheads = EngineOverheads {
    step: Seconds::from_micros(500.0),
    request: Seconds::from_micros(36.14),
    arrival: Seconds::from_micros(178_000.0),
    prompt_steps: PromptSteps::Separate,
    room: CacheRoom::UpTo(0.85),
    multiplies: Multiplies { prompts: 1.669, wide_prompts: 1.669, ..Multiplies::SAME },
    ..EngineOverheads::NONE
};

/// The C++ runtime of all compiled engines.
const TENSORRT: EngineOverheads = EngineOverheads {
    step: Seconds::from_micros(324.0),
    slots: 2048.0,
    prompt_steps: PromptSteps::Whole,
    reserves: true,
    masked: Some(MASKED),
    ..EngineOverheads::NONE
};

/// [`TENSORRT`] with decode attention in which only the given GQA groups share one read of the KV cache.
const fn sharing(sharing: Sharing) -> EngineOverheads {
    EngineOverheads { masked: Some(Masked { sharing, ..MASKED }), ..TENSORRT }
}

/// Decode attention of TensorRT-LLM 0.5 to 0.10: fractions of bandwidths, fitted by `make engines` to static batches.
/// FasterTransformer's kernel, its predecessor, uses them too.
const MASKED: Masked = Masked { sharing: Sharing::All, dram: 0.9078, l2: 0.4378 };

/// FasterTransformer samples each request by kernels of its own.
const FASTERTRANSFORMER: EngineOverheads = EngineOverheads {
    request: Seconds::from_micros(72.5),
    prompts: AttentionKernel::Unfused,
    masked: Some(Masked { sharing: Sharing::None, ..MASKED }),
    ..EngineOverheads::NONE
};

/// Returns true for GPUs that today's engines do not support: NVIDIA's before compute capability 7.0 and AMD's consumer GPUs before
/// RDNA3 (requirements of vLLM 0.24, docs/getting_started/installation/gpu).
fn precedes_engines(device: &Accelerator) -> bool {
    let architecture = device.architecture.as_str();
    matches!(architecture, "Pascal" | "Maxwell" | "RDNA" | "RDNA2") || architecture.starts_with("GCN")
}

impl Engine {
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
    pub const ALL: [Self; 17] = [
        Self::None,
        Self::Typical,
        Self::Vllm,
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
        matches!(self, Self::Vllm | Self::Sglang | Self::Sglang056)
    }

    /// Returns true if the engine supports disaggregated prefill, or if there is none, only kernels.
    pub const fn disaggregates(self) -> bool {
        matches!(
            self,
            Self::None
                | Self::Typical
                | Self::Vllm
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
            Self::Vllm | Self::Sglang => vendor != "Apple" && !precedes_engines(device),
            Self::Trtllm => unknown || (vendor == "NVIDIA" && !precedes_engines(device)),
            _ => unknown || vendor == "NVIDIA",
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

    /// Returns true if a scheduler divides prompts that arrive together over steps of limited size; others read them at once.
    pub const fn schedules(self) -> bool {
        !matches!(self, Self::None | Self::Fastertransformer | Self::Megatron)
    }

    /// The software that this is a version of: its current one.
    #[must_use]
    pub const fn product(self) -> Self {
        match self {
            Self::Sglang056 => Self::Sglang,
            Self::LlamacppFlash | Self::Llamafile | Self::Llamacpp24 => Self::Llamacpp,
            Self::Trtllm10 | Self::Tensorrt | Self::Tensorrt08 | Self::Tensorrt05 => Self::Trtllm,
            other => other,
        }
    }

    /// Engines in their current versions, whose medians are the overheads of other software.
    pub const CURRENT: [Self; 3] = [Self::Vllm, Self::Sglang, Self::Trtllm];

    /// Overheads of the engine on a device: none unless the constants are the calibrated ones.
    pub fn overheads_on(self, assumed: &Assumed, accelerator: &Accelerator) -> EngineOverheads {
        match assumed.set {
            AssumptionSet::Calibrated => self.overheads().corrected(&assumed.corrections_of(accelerator)),
            _ => EngineOverheads::NONE,
        }
    }

    /// Overheads of the engine.
    pub fn overheads(self) -> EngineOverheads {
        match self {
            Self::None => EngineOverheads::NONE,
            Self::Typical => EngineOverheads::middle(&Self::CURRENT),
            Self::Vllm => EngineOverheads {
                step: Seconds::from_micros(2170.0),
                request: Seconds::from_micros(20.28),
                arrival: Seconds::from_micros(29_620.0),
                token: Seconds::from_micros(11.17),
                slots: 1024.0,
                room: CacheRoom::UpTo(0.9),
                ..EngineOverheads::NONE
            },
            Self::Sglang => SGLANG,
            // Six rows are left of an earlier fit. They do not determine these times.
            Self::Sglang056 => EngineOverheads {
                arrival: Seconds::from_micros(44_960.0),
                request: Seconds::from_micros(33.3),
                multiplies: Multiplies::SAME,
                ..SGLANG
            },
            Self::Trtllm => EngineOverheads {
                holds: true,
                arrival: Seconds::from_micros(26_660.0),
                experts: Seconds::from_micros(96_150.0),
                slots: 2048.0,
                prompt_steps: PromptSteps::Whole,
                ..EngineOverheads::NONE
            },
            Self::Trtllm10 => EngineOverheads {
                holds: true,
                step: Seconds::from_micros(389.3),
                request: Seconds::from_micros(18.32),
                arrival: Seconds::from_micros(101_000.0),
                slots: 2048.0,
                prompt_steps: PromptSteps::Whole,
                ..EngineOverheads::NONE
            },
            Self::Tensorrt => TENSORRT,
            Self::Tensorrt08 => sharing(Sharing::Eights),
            Self::Tensorrt05 => sharing(Sharing::None),
            Self::Fastertransformer => FASTERTRANSFORMER,
            Self::Megatron => {
                EngineOverheads { layer: Seconds::from_micros(353.0), pass: 2.0, ..FASTERTRANSFORMER }
            }
            Self::Llamacpp => llamacpp::CURRENT,
            Self::LlamacppFlash => llamacpp::FLASH,
            Self::Llamafile => llamacpp::LLAMAFILE,
            Self::Llamacpp24 => llamacpp::MAY_2024,
            Self::Mlx => mlx::MLX,
        }
    }
}
