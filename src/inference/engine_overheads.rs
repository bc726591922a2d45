//! The overheads of each serving engine, as fitted by `make engines`.

use super::engine::Engine;
use super::llamacpp;
use super::masked::{Masked, Sharing};
use super::mlx;
use super::multiplies::Multiplies;
use super::overheads::{CacheRoom, EngineOverheads, PromptSteps};
use crate::catalog::Accelerator;
use crate::order::median;
use crate::system::{Assumed, AssumptionSet};
use crate::units::{Bytes, Seconds};
use crate::workload::AttentionKernel;

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
            unfused: Seconds::new(median(&|overheads| overheads.unfused.get())),
            first: median(&|overheads| overheads.first),
            slots: median(&|overheads| overheads.slots),
            room: CacheRoom::UpTo(0.9),
            multiplies: Multiplies { prompts, wide_prompts: prompts, ..Multiplies::SAME },
            ..Self::NONE
        }
    }
}

/// `arrival` and `first` are fitted together: the pair of a grid with the smallest error of TTFT on the fitted rows.
const VLLM: EngineOverheads = EngineOverheads {
    step: Seconds::from_micros(679.6),
    request: Seconds::from_micros(22.31),
    arrival: Seconds::from_micros(19_630.0),
    token: Seconds::from_micros(9.389),
    unfused: Seconds::from_micros(30.9),
    first: 1.5,
    slots: 1024.0,
    room: CacheRoom::UpTo(0.9),
    ..EngineOverheads::NONE
};

/// SGLang's scheduler is written in Python and overlaps with the kernels. The last fit gives 1.719 for prompts, with which TPOT
/// falls where the request rate comes near saturation (`tools/tests/it/serving.rs`), so that factor is of the fit before it. `unfused`
/// is fitted alone, with the other times of the fit before. A fit of all times has the same error (20.1 %), with 8.1 µs for `request` and
/// 56.4 ms for `arrival`.
const SGLANG: EngineOverheads = EngineOverheads {
    step: Seconds::from_micros(500.0),
    request: Seconds::from_micros(36.14),
    arrival: Seconds::from_micros(44_960.0),
    first: 1.5,
    unfused: Seconds::from_micros(31.2),
    prompt_steps: PromptSteps::Separate,
    room: CacheRoom::UpTo(0.85),
    multiplies: Multiplies { prompts: 1.669, wide_prompts: 1.669, ..Multiplies::SAME },
    ..EngineOverheads::NONE
};

/// The C++ runtime of all compiled engines. It allocates several copies of the logits for the largest batch. `make engines` fits
/// `step` to static batches of 0.7 to 0.10, and `stream_layer` and `sampling` to one in eight of the published runs of `trtllm-bench`
/// 0.11 to 0.15 (continuous batching).
const TENSORRT: EngineOverheads = EngineOverheads {
    step: Seconds::from_micros(324.0),
    stream_layer: Seconds::from_micros(73.1),
    slots: 2048.0,
    prompt_steps: PromptSteps::Whole,
    sampling: Bytes::new(24.4),
    reserves: true,
    masked: Some(MASKED),
    ..EngineOverheads::NONE
};

/// [`TENSORRT`] with decode attention in which only the given GQA groups share one read of the KV cache.
const fn sharing(sharing: Sharing) -> EngineOverheads {
    EngineOverheads { masked: Some(Masked { sharing, ..MASKED }), ..TENSORRT }
}

/// Decode attention of compiled engines: fractions of bandwidths, fitted by `make engines` to static batches of TensorRT-LLM 0.5 to
/// 0.10, and `shared` to the same runs of `trtllm-bench` as `stream_layer`. The kernel of FasterTransformer, the engine before, has the
/// same `dram` and `l2`.
const MASKED: Masked = Masked { sharing: Sharing::All, dram: 0.9078, l2: 0.4378, shared: 0.4983 };

/// FasterTransformer samples each request by kernels of its own.
const FASTERTRANSFORMER: EngineOverheads = EngineOverheads {
    request: Seconds::from_micros(72.5),
    prompts: AttentionKernel::Unfused,
    masked: Some(Masked { sharing: Sharing::None, ..MASKED }),
    ..EngineOverheads::NONE
};

impl Engine {
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
            Self::Vllm => VLLM,
            // Times of the fit to rows of all versions, as versions before 0.14 have seven fitted rows, too few for four times.
            Self::Vllm013 => EngineOverheads {
                step: Seconds::from_micros(2170.0),
                request: Seconds::from_micros(20.28),
                arrival: Seconds::from_micros(17_620.0),
                token: Seconds::from_micros(11.17),
                unfused: Seconds::ZERO,
                ..VLLM
            },
            // All but one of the fitted rows on GPUs are mixtures with 58 to 75 layers of experts. They determine the sum of both times,
            // about 138 ms; the arrival is that of the version before.
            Self::Sglang => EngineOverheads { experts: Seconds::from_micros(1_600.0), ..SGLANG },
            // Six rows are left of an earlier fit. They do not determine these times.
            Self::Sglang056 => EngineOverheads {
                request: Seconds::from_micros(33.3),
                multiplies: Multiplies::SAME,
                ..SGLANG
            },
            Self::Trtllm => EngineOverheads {
                holds: true,
                arrival: Seconds::from_micros(26_660.0),
                // 96.15 ms with the 58 layers of experts of DeepSeek-V3, the model of most fitted rows.
                experts: Seconds::from_micros(1_658.0),
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
