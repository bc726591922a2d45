//! Published runs with which models are compared: the plan of each, and the measured values.

use crate::catalog;
use crate::plan::Plan;
use crate::training::TrainingRecipe;
use crate::units::Amount;
use crate::workload::{AttentionKernel, Recompute};

/// A training step whose time was measured on A100 with 80 GB.
#[derive(Clone, Debug)]
pub struct TrainingRun {
    /// Name in lists.
    pub name: String,
    /// The model's catalogue id.
    pub model: &'static str,
    /// Parallelism plan.
    pub plan: Plan,
    /// GPUs.
    pub gpus: u32,
    /// Sequences per step.
    pub batch: u32,
    /// The step, s.
    pub seconds: f64,
}

impl TrainingRun {
    /// Training recipe: 2048 tokens with dropout, attention without a fused kernel.
    pub fn recipe(&self) -> TrainingRecipe {
        recipe(self.batch)
    }
}

/// Recipe of both papers' runs, with a batch of this many sequences.
pub fn recipe(batch: u32) -> TrainingRecipe {
    TrainingRecipe {
        batch,
        sequence: 2048,
        attention: AttentionKernel::Unfused,
        dropout: true,
        ..TrainingRecipe::default()
    }
}

/// A model of Korthikanti et al. 2022 (arXiv 2205.05198): its plan, and what the paper prints.
#[derive(Clone, Copy, Debug)]
pub struct Megatron {
    /// Catalogue id.
    pub id: &'static str,
    /// Parallelism plan, with sequence parallelism and selective recomputation.
    pub plan: Plan,
    /// GPUs.
    pub gpus: u32,
    /// Sequences per step.
    pub batch: u32,
    /// Weights, gradients and optimizer state of the layers' matrices, GiB.
    pub state_gib: f64,
    /// Activations with tensor parallelism alone, GiB.
    pub tensor_gib: f64,
    /// Activations with sequence parallelism and selective recomputation, GiB.
    pub selective_gib: f64,
    /// Activations over those with tensor parallelism alone, %: sequence parallelism, selective recomputation, both,
    /// full recomputation.
    pub percent: [f64; 4],
    /// Step with full recomputation, then with sequence parallelism and selective recomputation, s.
    pub seconds: [f64; 2],
}

impl Megatron {
    /// The size, e.g. `22B`.
    pub fn size(&self) -> String {
        self.id.trim_start_matches("megatron-").to_uppercase()
    }

    /// The plan with full recomputation, which was measured without sequence parallelism.
    pub const fn full(&self) -> Plan {
        Plan { sequence_parallel: false, recompute: Recompute::Full, ..self.plan }
    }
}

fn plan(pipeline: u32, interleave: u32, microbatch: u32) -> Plan {
    Plan { tensor: 8, pipeline, interleave, microbatch, zero: 0, ..Plan::default() }
}

/// The four models of Korthikanti et al. 2022.
pub fn megatron() -> [Megatron; 4] {
    let case = |id, plan: Plan, batch, memory: [f64; 3], percent, seconds| Megatron {
        id,
        plan,
        gpus: 8 * plan.pipeline,
        batch,
        state_gib: memory[0],
        tensor_gib: memory[1],
        selective_gib: memory[2],
        percent,
        seconds,
    };
    let (small, medium, large) =
        ([66.84, 49.42, 16.18, 7.64], [62.04, 56.53, 18.49, 8.71], [58.31, 62.04, 20.27, 9.42]);
    [
        case("megatron-22b", plan(1, 1, 4), 4, [45.5625, 59.25, 9.5625], small, [1.42, 1.10]),
        case("megatron-175b", plan(8, 3, 1), 64, [45.5625, 66.84375, 12.3516], medium, [18.13, 13.75]),
        case("megatron-530b", plan(35, 3, 1), 280, [31.6406, 114.0234, 23.0762], large, [49.05, 37.83]),
        case("megatron-1t", plan(64, 1, 1), 512, [32.9590, 131.25, 26.5625], large, [94.42, 71.49]),
    ]
}

/// The eight steps of Korthikanti et al. 2022, Table 5.
pub fn steps() -> Vec<TrainingRun> {
    let runs = |case: Megatron| {
        [case.full(), case.plan].into_iter().zip(case.seconds).map(move |(plan, seconds)| {
            let kind = if plan.recompute == Recompute::Full { "full" } else { "selective" };
            TrainingRun {
                name: format!(
                    "Megatron {}, {} A100, {kind} recomputation",
                    case.size(),
                    Amount::count(case.gpus)
                ),
                model: case.id,
                plan,
                gpus: case.gpus,
                batch: case.batch,
                seconds,
            }
        })
    };
    megatron().into_iter().flat_map(runs).collect()
}

/// The three largest runs of Narayanan et al. 2021 (arXiv 2104.04473), Table 1, which arXiv 2407.14645 predicts too,
/// with full recomputation. The table does not state the number of chunks per stage; one is assumed.
pub fn replicated() -> [TrainingRun; 3] {
    let case = |model: &'static str, gpus, pipeline, batch, seconds| {
        let plan = Plan { sequence_parallel: false, recompute: Recompute::Full, ..plan(pipeline, 1, 1) };
        let whose = catalog::architecture(model).map_or(model, |known| &known.name);
        let name = format!("{whose}, {} A100, full recomputation", Amount::count(gpus));
        TrainingRun { name, model, plan, gpus, batch, seconds }
    };
    [
        case("narayanan-310.1b", 1920, 16, 2160, 37.6),
        case("narayanan-529.6b", 2520, 35, 2520, 54.1),
        case("narayanan-1008.0b", 3072, 64, 3072, 102.6),
    ]
}

/// The 530B model of Korthikanti et al. 2022 with eight replicas, section 6.3.
pub fn data_parallel() -> TrainingRun {
    TrainingRun {
        name: "Megatron 530B, 2,240 A100, 8 replicas, selective recomputation".to_owned(),
        model: "megatron-530b",
        plan: plan(35, 3, 1),
        gpus: 2240,
        batch: 2240,
        seconds: 39.15,
    }
}

/// Source of the latencies of [`LATENCIES`].
pub const QUOTED: &str =
    "NVIDIA's Llama-2 latencies as quoted beside arXiv 2407.14645: batch 1, 200 tokens in and out, 16 bits";

/// Tensor-parallel GPUs of [`LATENCIES`].
pub const WIDTHS: [u32; 4] = [1, 2, 4, 8];

/// Model, device, and request latencies in s on [`WIDTHS`] GPUs; `None` if not measured.
pub const LATENCIES: [(&str, &str, [Option<f64>; 4]); 6] = [
    ("llama-2-7b", "a100-sxm-80gb", [Some(2.19), Some(1.544), Some(1.28), Some(1.187)]),
    ("llama-2-7b", "h100-sxm", [Some(1.44), Some(1.143), Some(0.924), Some(0.828)]),
    ("llama-2-13b", "a100-sxm-80gb", [Some(3.884), Some(2.499), Some(1.894), Some(1.693)]),
    ("llama-2-13b", "h100-sxm", [Some(2.396), Some(1.717), Some(1.431), Some(1.201)]),
    ("llama-2-70b", "a100-sxm-80gb", [None, Some(10.5), Some(6.403), Some(4.735)]),
    ("llama-2-70b", "h100-sxm", [None, Some(6.267), Some(4.1226), Some(3.202)]),
];
