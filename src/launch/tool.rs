//! Serving and training software whose launch commands are written and read.

use crate::inference::Engine;
use crate::order;
use crate::scenario::{Scenario, View};
use crate::training::Framework;

/// Serving or training software with a table of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `vllm serve`.
    Vllm,
    /// `sglang.launch_server`.
    Sglang,
    /// `trtllm-serve`.
    Trtllm,
    /// `llama-server`.
    Llamacpp,
    /// `mlx_lm.server`.
    Mlx,
    /// `trl sft`, which trains adapters.
    Trl,
    /// Megatron-LM's `pretrain_gpt.py`.
    Megatron,
    /// `run_recipe.py` of Megatron-Bridge (NeMo).
    Bridge,
    /// torchtitan's `run_train.sh`.
    Torchtitan,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 9] = [
        Self::Vllm,
        Self::Sglang,
        Self::Trtllm,
        Self::Llamacpp,
        Self::Mlx,
        Self::Trl,
        Self::Megatron,
        Self::Bridge,
        Self::Torchtitan,
    ];

    /// Name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::Trtllm => "TensorRT-LLM",
            Self::Llamacpp => "llama.cpp",
            Self::Mlx => "MLX",
            Self::Trl => "TRL",
            Self::Megatron => "Megatron-LM",
            Self::Bridge => "Megatron-Bridge (NeMo)",
            Self::Torchtitan => "torchtitan",
        }
    }

    /// Repository and commit, or release, from which the flags were taken.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Vllm => "vllm-project/vllm@00193b82",
            Self::Sglang => "sgl-project/sglang@004813e1",
            Self::Trtllm => "NVIDIA/TensorRT-LLM@00209af1",
            Self::Llamacpp => "ggml-org/llama.cpp@00dc8057",
            Self::Mlx => "ml-explore/mlx-lm@d78bf58e",
            Self::Trl => "TRL 1.16.0, Transformers 5.24.0, Accelerate 1.15.0",
            Self::Megatron => "NVIDIA/Megatron-LM@d98e8a64 (2026-08-22)",
            Self::Bridge => "NVIDIA-NeMo/Megatron-Bridge@067f987d",
            Self::Torchtitan => "pytorch/torchtitan@b5bcd76c (0.2.2)",
        }
    }

    /// The view that predicts its speed.
    pub const fn view(self) -> View {
        match self {
            Self::Vllm | Self::Sglang | Self::Trtllm | Self::Llamacpp | Self::Mlx => View::Inference,
            Self::Trl | Self::Megatron | Self::Bridge | Self::Torchtitan => View::Training,
        }
    }

    /// The tools that can run a question, beginning with the one that the question names, which is among them even if it
    /// cannot: its command then says why. Only llama.cpp runs GGUF formats and layers on the CPU. Only MLX runs its
    /// own formats. No tool here runs ExLlama's formats. Only TRL trains adapters.
    pub fn of(question: &Scenario) -> Vec<Self> {
        let load = &question.inference;
        let gguf = load.precision.is_gguf() || load.gpu_layers.is_some() || load.cpu_experts > 0;
        let (mlx, exl) = (load.precision.is_mlx(), load.precision.is_exl());
        let own = Self::named_by(question);
        let device = question.system.accelerator().ok();
        let apple = device.as_ref().is_some_and(|device| device.vendor == "Apple");
        // A device that is not known to be NVIDIA's has TensorRT-LLM only if the question names it.
        let nvidia = device.as_ref().is_some_and(|device| device.vendor == "NVIDIA");
        let takes = |tool: Self| match tool {
            Self::Trl => question.recipe.frozen,
            Self::Megatron | Self::Bridge | Self::Torchtitan => !question.recipe.frozen,
            tool if Some(tool) == own => true,
            Self::Llamacpp => gguf && !mlx && !exl,
            Self::Mlx => mlx || (apple && !gguf && Engine::Mlx.loads(load.precision)),
            Self::Vllm | Self::Sglang => !apple && !gguf && !mlx && !exl,
            Self::Trtllm => nvidia && !gguf && !mlx && !exl,
        };
        let mut tools: Vec<Self> =
            Self::ALL.into_iter().filter(|tool| tool.view() == question.view && takes(*tool)).collect();
        order::sort(&mut tools, |a, b| (Some(*b) == own).cmp(&(Some(*a) == own)));
        tools
    }

    /// Programs of the tool, as one or two words. The first word is matched against the end of a word of the command;
    /// the tool's arguments follow.
    pub(super) const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Vllm => &["vllm serve", "vllm.entrypoints.openai.api_server", "vllm/vllm-openai"],
            Self::Sglang => &["sglang.launch_server", "sglang serve"],
            Self::Trtllm => &["trtllm-serve serve", "trtllm-serve"],
            Self::Llamacpp => &["llama-server", "llama-cli"],
            Self::Mlx => &["mlx_lm.server", "mlx_lm server", "mlx_lm.generate", "mlx_lm generate"],
            Self::Trl => &["trl sft", "trl/scripts/sft.py"],
            Self::Megatron => &["pretrain_gpt.py", "pretrain_mamba.py"],
            Self::Bridge => &["run_recipe.py"],
            Self::Torchtitan => &["run_train.sh", "torchtitan.train"],
        }
    }

    /// The tool that a question names as its engine or framework.
    pub(super) fn named_by(question: &Scenario) -> Option<Tool> {
        if question.view == View::Training {
            return match question.recipe.framework {
                Framework::Megatron => Some(Tool::Megatron),
                Framework::Nemo => Some(Tool::Bridge),
                Framework::Transformers => Some(Tool::Trl),
                Framework::Compiled => Some(Tool::Torchtitan),
                Framework::Typical
                | Framework::Fused
                | Framework::Eager
                | Framework::None
                | Framework::Composer
                | Framework::Nanotron => None,
            };
        }
        match question.inference.engine {
            Engine::Vllm | Engine::Vllm013 => Some(Tool::Vllm),
            Engine::Sglang | Engine::Sglang056 => Some(Tool::Sglang),
            Engine::Trtllm | Engine::Trtllm10 => Some(Tool::Trtllm),
            Engine::Llamacpp | Engine::LlamacppFlash | Engine::Llamafile | Engine::Llamacpp24 => {
                Some(Tool::Llamacpp)
            }
            Engine::Mlx => Some(Tool::Mlx),
            Engine::None
            | Engine::Typical
            | Engine::Tensorrt
            | Engine::Tensorrt08
            | Engine::Tensorrt05
            | Engine::Fastertransformer
            | Engine::Megatron => None,
        }
    }

    /// Path of the field that names the tool: the engine or the training framework.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::Vllm | Self::Sglang | Self::Trtllm | Self::Llamacpp | Self::Mlx => "inference.engine",
            Self::Trl | Self::Megatron | Self::Bridge | Self::Torchtitan => "recipe.framework",
        }
    }

    /// The tool's word in that field. Torchtitan has no fitted overheads, so it takes the typical ones. TRL runs on Transformers.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::Trtllm => "trtllm",
            Self::Llamacpp => "llamacpp",
            Self::Mlx => "mlx",
            Self::Trl => "transformers",
            Self::Megatron => "megatron",
            Self::Bridge => "nemo",
            Self::Torchtitan => "typical",
        }
    }

    /// Returns true if an absent flag means the tool's default instead of the value in a recipe file.
    pub(super) const fn has_defaults(self) -> bool {
        !matches!(self, Self::Bridge)
    }

    /// The serving engine whose devices and formats are known.
    pub(super) const fn engine(self) -> Option<Engine> {
        match self {
            Self::Mlx => Some(Engine::Mlx),
            Self::Vllm => Some(Engine::Vllm),
            Self::Sglang => Some(Engine::Sglang),
            Self::Trtllm => Some(Engine::Trtllm),
            Self::Llamacpp | Self::Trl | Self::Megatron | Self::Bridge | Self::Torchtitan => None,
        }
    }
}
