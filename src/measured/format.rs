//! The benchmark and log formats that can be read.

use crate::scenario::View;

/// The software that wrote a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `vllm bench serve --save-result`.
    VllmServe,
    /// SGLang's `bench_serving`, or another client with the same output.
    SglangServing,
    /// SGLang's `bench_one_batch`.
    OneBatch,
    /// `trtllm-bench`.
    Trtllm,
    /// AIPerf or genai-perf.
    Aiperf,
    /// GuideLLM.
    Guidellm,
    /// An aggregated point of InferenceX.
    InferenceX,
    /// `llama-bench`.
    LlamaBench,
    /// The summary of MLPerf Inference.
    Mlperf,
    /// A log of Megatron-LM or of software built on it.
    Megatron,
    /// A log of torchtitan.
    Torchtitan,
    /// A log of nanotron.
    Nanotron,
    /// A log of DeepSpeed.
    Deepspeed,
    /// A log of MaxText.
    Maxtext,
    /// A log of Composer.
    Composer,
    /// A log of the Hugging Face Trainer or of software built on it.
    Trainer,
    /// A trace of PyTorch's profiler (Kineto).
    Kineto,
    /// The kernel summary of Nsight Systems.
    Nsys,
    /// The log of an SGLang server.
    SglangServer,
    /// A report of llm-d-benchmark.
    Llmd,
    /// Console output of an Unsloth notebook.
    Unsloth,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 21] = [
        Self::VllmServe,
        Self::SglangServing,
        Self::OneBatch,
        Self::Trtllm,
        Self::Aiperf,
        Self::Guidellm,
        Self::InferenceX,
        Self::LlamaBench,
        Self::Mlperf,
        Self::Megatron,
        Self::Torchtitan,
        Self::Nanotron,
        Self::Deepspeed,
        Self::Maxtext,
        Self::Composer,
        Self::Trainer,
        Self::Kineto,
        Self::Nsys,
        Self::SglangServer,
        Self::Llmd,
        Self::Unsloth,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VllmServe => "vllm bench serve",
            Self::SglangServing => "SGLang bench_serving",
            Self::OneBatch => "SGLang bench_one_batch",
            Self::Trtllm => "trtllm-bench",
            Self::Aiperf => "AIPerf or genai-perf",
            Self::Guidellm => "GuideLLM",
            Self::InferenceX => "InferenceX",
            Self::LlamaBench => "llama-bench",
            Self::Mlperf => "MLPerf Inference",
            Self::Megatron => "Megatron-LM",
            Self::Torchtitan => "torchtitan",
            Self::Nanotron => "nanotron",
            Self::Deepspeed => "DeepSpeed",
            Self::Maxtext => "MaxText",
            Self::Composer => "Composer",
            Self::Trainer => "Hugging Face Trainer",
            Self::Kineto => "PyTorch profiler",
            Self::Nsys => "nsys stats",
            Self::SglangServer => "SGLang server log",
            Self::Llmd => "llm-d-benchmark",
            Self::Unsloth => "Unsloth",
        }
    }

    /// The view that predicts the measured quantities: Training or Inference. Readers of profiles decide it by the
    /// kernels instead.
    pub const fn view(self) -> View {
        match self {
            Self::Megatron
            | Self::Torchtitan
            | Self::Nanotron
            | Self::Deepspeed
            | Self::Maxtext
            | Self::Composer
            | Self::Trainer
            | Self::Kineto
            | Self::Nsys
            | Self::Unsloth => View::Training,
            Self::VllmServe
            | Self::SglangServing
            | Self::OneBatch
            | Self::Trtllm
            | Self::Aiperf
            | Self::Guidellm
            | Self::InferenceX
            | Self::LlamaBench
            | Self::Mlperf
            | Self::SglangServer
            | Self::Llmd => View::Inference,
        }
    }

    /// The software's name in links, if its overheads are modelled.
    pub(super) const fn software(self) -> Option<&'static str> {
        Some(match self {
            Self::VllmServe => "vllm",
            Self::SglangServing | Self::OneBatch | Self::SglangServer => "sglang",
            Self::LlamaBench => "llamacpp",
            Self::Megatron => "megatron",
            Self::Nanotron => "nanotron",
            Self::Composer => "composer",
            Self::Trainer | Self::Unsloth => "transformers",
            // JAX compiles a step into one program, so that the host launches no operators.
            Self::Maxtext => "none",
            _ => return None,
        })
    }
}
