//! Serving software: what its host takes beside the kernels, and how it fills a step.

use serde::{Deserialize, Serialize};

use crate::units::Seconds;

/// Serving software, by the design of its scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Kernels alone: no host.
    #[default]
    None,
    /// vLLM from 0.8 on: chunked prefill joins decode steps.
    Vllm,
    /// SGLang from 0.5 on: prefill steps go before decode steps.
    Sglang,
    /// TensorRT-LLM from 1.0 on: a Python runtime on PyTorch.
    Trtllm,
    /// TensorRT-LLM before 1.0: a compiled engine under a C++ runtime.
    Tensorrt,
    /// FasterTransformer and what was built on it, to 2023.
    Fastertransformer,
    /// llama.cpp with its own kernels.
    Llamacpp,
}

/// What an engine adds to the kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// Host time of a step that no kernel hides: scheduling, inputs, sampling.
    pub step: Seconds,
    /// The same for each request in the step.
    pub request: Seconds,
    /// Time from a request's arrival to its first step and from its last to the client: tokenisation, transport.
    pub arrival: Seconds,
    /// Most tokens in one step, prompts included.
    pub budget: f64,
    /// Most requests in one step of one attention replica.
    pub slots: f64,
    /// Whether a step may hold prompts and running requests together.
    pub mixes: bool,
    /// Time of its kernels over that of the calibrated libraries', in steps with prompts and in steps without.
    pub kernels: [f64; 2],
}

impl Overheads {
    /// No host at all.
    pub const NONE: Self = Self {
        step: Seconds::ZERO,
        request: Seconds::ZERO,
        arrival: Seconds::ZERO,
        budget: 8192.0,
        slots: 65_536.0,
        mixes: true,
        kernels: [1.0, 1.0],
    };
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Vllm,
        Self::Sglang,
        Self::Trtllm,
        Self::Tensorrt,
        Self::Fastertransformer,
        Self::Llamacpp,
    ];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None: kernels alone",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::Trtllm => "TensorRT-LLM",
            Self::Tensorrt => "TensorRT-LLM before 1.0",
            Self::Fastertransformer => "FasterTransformer",
            Self::Llamacpp => "llama.cpp",
        }
    }

    /// Its overheads.
    pub const fn overheads(self) -> Overheads {
        match self {
            Self::None => Overheads::NONE,
            Self::Vllm => Overheads {
                step: Seconds::from_micros(1000.0),
                request: Seconds::from_micros(10.0),
                arrival: Seconds::from_micros(20_000.0),
                slots: 1024.0,
                ..Overheads::NONE
            },
            Self::Sglang => Overheads {
                step: Seconds::from_micros(500.0),
                request: Seconds::from_micros(10.0),
                arrival: Seconds::from_micros(20_000.0),
                mixes: false,
                ..Overheads::NONE
            },
            Self::Trtllm => Overheads {
                step: Seconds::from_micros(500.0),
                request: Seconds::from_micros(10.0),
                arrival: Seconds::from_micros(20_000.0),
                slots: 2048.0,
                ..Overheads::NONE
            },
            Self::Tensorrt => Overheads {
                step: Seconds::from_micros(200.0),
                request: Seconds::from_micros(2.0),
                slots: 2048.0,
                ..Overheads::NONE
            },
            Self::Fastertransformer => Overheads::NONE,
            Self::Llamacpp => Overheads { kernels: [1.5, 1.2], mixes: false, ..Overheads::NONE },
        }
    }
}
