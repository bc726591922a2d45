//! Rows of fine-tuning (`finetune.jsonl`): full, with adapters, and with adapters beside quantised weights.
//!
//! A row that does not state a setting has the default of its software, named where it is used below.

use serde::Deserialize;

use super::{ReadError, device, json_lines};
use foretoken::catalog::{self, Architecture};
use foretoken::plan::Plan;
use foretoken::scenario::{Choice, Scenario, SystemChoice, View};
use foretoken::system::Precision;
use foretoken::training::{Framework, Gradients, Optimizer, TrainingRecipe};
use foretoken::validation::{Case, Family, Quantity, Question, Skip, Tier};
use foretoken::workload::{AttentionKernel, Recompute, Targets};

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Row {
    id: String,
    framework: String,
    /// Implementation inside LLaMA-Factory: Transformers, with FlashAttention-2, or Unsloth.
    #[serde(rename = "impl")]
    implementation: String,
    model: String,
    method: String,
    precision: String,
    gpu: String,
    gpus: Option<u32>,
    batch_per_gpu: Option<u32>,
    grad_accum: Option<u32>,
    gbs: Option<u32>,
    mbs: Option<u32>,
    seq: Option<u32>,
    seq_max: Option<u32>,
    tp: Option<u32>,
    pp: Option<u32>,
    vp: Option<u32>,
    compile: bool,
    recompute: Option<String>,
    /// Step of torchtune's table of techniques, each added to those before it.
    step: String,
    lora_rank: Option<u32>,
    targets: serde_json::Value,
    oom: Option<bool>,
    tokens_per_s: Option<f64>,
    tokens_per_s_per_gpu: Option<f64>,
    peak_mem_per_gpu_gib: Option<f64>,
    peak_mem_active_gib: Option<f64>,
    peak_mem_gb: Option<f64>,
    mem_max_gib: Option<f64>,
    note: String,
    source: String,
}

/// Returns true if a line is a row of this format.
pub fn is_row(line: &str) -> bool {
    line.contains("\"kind\": \"finetune\"")
}

/// The cases of a file.
///
/// # Errors
/// The number of a line that is no JSON object.
pub fn cases(text: &str) -> Result<Vec<Case>, ReadError> {
    Ok(json_lines(text)?.iter().map(case).collect())
}

fn case(row: &Row) -> Case {
    let question = scenario(row).and_then(|scenario| {
        if too_fast(row, &scenario) {
            return Err(Skip::Defect("faster than the device's peak: another device, or other tokens"));
        }
        Ok(scenario)
    });
    let mixture = catalog::model_named(&row.model).is_some_and(|model| model.moe.is_some());
    Case {
        id: row.id.clone(),
        source: row.framework.to_lowercase().replace(' ', "-"),
        origin: row.source.clone(),
        device: catalog::device_named(&row.gpu).map_or_else(|| row.gpu.clone(), str::to_owned),
        model: row.model.clone(),
        family: if mixture { Family::Moe } else { Family::Dense },
        precision: if row.precision.is_empty() { "BF16".to_owned() } else { row.precision.clone() },
        tier: Tier::A,
        question: question.map(Box::new).map(Question::Scenario),
        measured: measured(row),
        used_in_fit: false,
    }
}

/// Measured quantities of a row.
fn measured(row: &Row) -> Vec<(Quantity, f64)> {
    const GB_IN_GIB: f64 = 1e9 / 1_073_741_824.0;
    let memory = row.peak_mem_per_gpu_gib.or(row.peak_mem_active_gib).or(row.mem_max_gib);
    let memory = memory.or(row.peak_mem_gb.map(|memory| memory * GB_IN_GIB));
    let quantities = [
        (Quantity::TokensPerSecondPerGpu, row.tokens_per_s_per_gpu.filter(|_| row.seq.is_some())),
        (Quantity::TokensPerSecond, row.tokens_per_s.filter(|_| row.seq.is_some())),
        (Quantity::PeakMemory, memory),
        (Quantity::Fits, row.oom.map(|oom| f64::from(u8::from(!oom)))),
    ];
    quantities.into_iter().filter_map(|(quantity, value)| Some((quantity, value?))).collect()
}

/// Returns true if the step's operations, recomputation included, exceed the device's peak.
fn too_fast(row: &Row, scenario: &Scenario) -> bool {
    let gpus = row.gpus.map_or(1.0, f64::from);
    let Some(rate) = row.tokens_per_s.or(row.tokens_per_s_per_gpu.map(|rate| rate * gpus)) else {
        return false;
    };
    let share = scenario.with_training(|job| {
        let estimate = job.estimate();
        estimate.hfu * rate / estimate.tokens_per_second
    });
    share.is_ok_and(|share| share > 1.0)
}

/// The scenario of a row.
fn scenario(row: &Row) -> Result<Scenario, Skip> {
    let frozen = match row.method.as_str() {
        "full" | "sft" => false,
        "lora" | "qlora" => true,
        _ => return Err(Skip::NotModelled("adapters of another kind than LoRA".to_owned())),
    };
    // LLaMA-Factory and torchtune recompute every layer by default (`disable_gradient_checkpointing: false`,
    // `enable_activation_checkpointing: True` in the recipes of commit bd2a0fc7).
    let ladder = ["+packed", "+compile", "+chunked cross entropy"];
    let by_default = || match row.framework.as_str() {
        "torchtune" => !ladder.contains(&row.step.as_str()),
        "LLaMA-Factory" => true,
        _ => false,
    };
    let recomputes = row.recompute.as_ref().map_or_else(by_default, |recompute| recompute == "full");
    let unsloth = row.implementation.contains("Unsloth");
    let compiled = row.compile || !matches!(row.step.as_str(), "" | "+packed");
    let software = match row.framework.as_str() {
        // torchtune computes the loss in chunks.
        "torchtune" if compiled => Framework::Fused,
        "Transformers" if compiled => Framework::Compiled,
        "LLaMA-Factory" if unsloth => Framework::Fused,
        "Megatron-Bridge" => Framework::Nemo,
        "PEFT MetaMathQA" | "Transformers" => Framework::Transformers,
        // LLaMA-Factory's rows are of April 2024, a major version of Transformers before the one that was measured.
        "torchtune" | "LLaMA-Factory" => Framework::Eager,
        _ => Framework::Typical,
    };
    let system = system(row)?;
    let chunked = row.framework == "torchtune" && !matches!(row.step.as_str(), "+packed" | "+compile");
    let plan = Plan {
        tensor: row.tp.unwrap_or(1),
        pipeline: row.pp.unwrap_or(1),
        interleave: row.vp.unwrap_or(1),
        sequence_parallel: row.tp.is_some_and(|degree| degree > 1),
        tensor_overlap: row.tp.is_some_and(|degree| degree > 1),
        // FSDP, or Megatron's distributed optimizer.
        zero: if software == Framework::Nemo {
            1
        } else if system.gpus > 1 {
            3
        } else {
            0
        },
        microbatch: row.batch_per_gpu.or(row.mbs).ok_or(Skip::Missing("batch"))?,
        recompute: if recomputes { Recompute::Full } else { Recompute::None },
        ..Plan::default()
    };
    let rounds = row.grad_accum.unwrap_or(1);
    // torchtune's single-device recipes for full fine-tuning keep 8-bit moments and free gradients at once.
    let released = row.framework == "torchtune" && !frozen && row.step.is_empty();
    let recipe = TrainingRecipe {
        batch: row.gbs.unwrap_or(plan.microbatch * rounds * system.gpus),
        sequence: row.seq.or(row.seq_max).ok_or(Skip::Missing("sequence length"))?,
        precision: if row.precision.contains("FP8") { Precision::Fp8 } else { Precision::Bf16 },
        // PyTorch 2.11 runs cuDNN's kernels for Hopper; the other rows are of devices and versions with FlashAttention 2.
        attention: if row.framework == "Transformers" {
            AttentionKernel::Flash
        } else {
            AttentionKernel::Flash2
        },
        gradients: if released { Gradients::Released } else { Gradients::Bf16 },
        optimizer: match (software, released) {
            (Framework::Nemo, _) => Optimizer::Adam,
            (_, true) => Optimizer::Adam8,
            (_, false) => Optimizer::Adam16,
        },
        // torchtune's `LinearCrossEntropyLoss`.
        loss_chunks: if chunked { 8 } else { 1 },
        frozen,
        rank: row.lora_rank.unwrap_or(8),
        targets: targets(row)?,
        // Both torchtune and LLaMA-Factory quantise the scales too.
        base: if row.method == "qlora" { Precision::Nf4Double } else { Precision::Bf16 },
        framework: software,
        ..TrainingRecipe::default()
    };
    let offloaded = row.note.contains("CPU offload") || row.step == "+activation offloading";
    if offloaded {
        return Err(Skip::NotModelled("offload by another rule than whole tensors".to_owned()));
    }
    let model = catalog::model_named(row.model.trim_start_matches("meta-llama/"));
    let model: Choice<Architecture> =
        Choice::Named(model.ok_or(Skip::Missing("the model's shape"))?.id.clone());
    let scenario =
        Scenario { view: View::Training, model, system, parallelism: plan, recipe, ..Scenario::default() };
    Ok(if released { paged(scenario) } else { scenario })
}

/// The scenario with the optimizer's state on the host if it does not fit: bitsandbytes' paged optimizers move it there.
fn paged(scenario: Scenario) -> Scenario {
    let fits = scenario.with_training(|job| job.memory().fits());
    let mut paged = scenario.clone();
    paged.parallelism.offload.optimizer = true;
    if fits == Ok(false) { paged } else { scenario }
}

/// Matrices with adapters: those that the row names, or all of the layers (torchtune's and LLaMA-Factory's default).
fn targets(row: &Row) -> Result<Targets, Skip> {
    let text = row.targets.to_string();
    let mlp = ["up_proj", "gate_proj", "down_proj"].iter().any(|name| text.contains(name));
    match (text.contains("q_proj") || text.contains("q,v"), mlp) {
        (true, false) => Ok(Targets::Attention),
        (false, true) => Err(Skip::NotModelled("adapters of the feed-forward block alone".to_owned())),
        _ => Ok(Targets::Linear),
    }
}

fn system(row: &Row) -> Result<SystemChoice, Skip> {
    let absent = || match row.gpu.as_str() {
        "" => Skip::Missing("hardware.gpu"),
        gpu => Skip::NotModelled(gpu.to_owned()),
    };
    let mut system = device::system(&row.gpu.replace("RTX4090", "RTX 4090")).ok_or_else(absent)?;
    system.gpus = row.gpus.unwrap_or(1);
    Ok(system)
}
