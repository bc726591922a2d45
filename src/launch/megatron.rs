//! Megatron-LM: `pretrain_gpt.py`.

use super::flag::Arguments;
use super::found::Found;
use super::line::Line;
use super::megatron_flags::FLAGS;
use super::writer::Writer;
use super::{megatron_layout, megatron_model, torchrun};
use crate::catalog::Shape;
use crate::plan::{Schedule, TensorKind};
use crate::scenario::Given;
use crate::system::Precision;
use crate::workload::{ContextKind, ExpertDispatch, Recompute};

/// Modules of `--recompute-modules` whose outputs [`Recompute::Outputs`] discards.
const MODULES: [&str; 3] = ["layernorm", "moe_act", "mla_up_proj"];

/// Writes the command that runs a question's training job.
pub(super) fn write(writer: &mut Writer<'_>) {
    let question = writer.question;
    let plan = question.parallelism;
    connections(writer);
    let mut line = torchrun::start(writer, "pretrain_gpt.py");
    megatron_model::write(writer, &mut line);
    writer.fields(&mut line, FLAGS);
    if plan.tensor_overlap {
        // The overlap applies to the collectives of sequence parallelism.
        if plan.sequence_parallel && plan.tensor > 1 {
            line.switch("--tp-comm-overlap");
        } else {
            writer.note(
                "Megatron-LM overlaps tensor-parallel communication only if sequence parallelism is on",
            );
        }
    }
    if plan.expert_overlap && plan.expert > 1 {
        // Megatron Core refuses the overlap beside a pipeline without virtual stages, and beside full recomputation.
        if plan.overlapping_share(1 << 16) > 0.0 && plan.recompute != Recompute::Full {
            line.switch("--overlap-moe-expert-parallel-comm");
        } else {
            writer.note(
                "Megatron-LM overlaps all-to-alls only under 1F1B with virtual stages, and without full recomputation",
            );
        }
    }
    match megatron_layout::of(question) {
        Some(layout) => line.value("--pipeline-model-parallel-layout", layout),
        None if plan.interleave > 1 => {
            line.value("--num-virtual-stages-per-pipeline-rank", plan.interleave);
        }
        None => {}
    }
    sharding(writer, &mut line);
    match (plan.recompute, plan.recompute_layers) {
        (Recompute::None, _) => {}
        (Recompute::Selective, _) => line.value("--recompute-granularity", "selective"),
        (Recompute::Outputs, _) => {
            line.value("--recompute-granularity", "selective");
            let model = question.architecture().ok();
            let has = |module: &str| match module {
                "moe_act" => model.as_ref().is_some_and(|model| model.moe.is_some()),
                "mla_up_proj" => model.as_ref().is_some_and(|model| model.mla.is_some()),
                _ => true,
            };
            let modules: Vec<&str> = MODULES.into_iter().filter(|module| has(module)).collect();
            line.values("--recompute-modules", &modules);
        }
        (Recompute::Operators, _) => writer.lacks("parallelism.recompute"),
        (Recompute::Full, layers) => {
            line.value("--recompute-granularity", "full");
            line.value("--recompute-method", if layers.is_some() { "block" } else { "uniform" });
            line.value("--recompute-num-layers", layers.unwrap_or(1));
        }
    }
    if plan.context > 1 {
        line.value(
            "--cp-comm-type",
            match plan.context_kind {
                ContextKind::Overlapped | ContextKind::Ring => "p2p",
                // Transformer Engine's spelling; Megatron-LM passes the value through.
                ContextKind::Gather => "all_gather",
                ContextKind::Ulysses => "a2a",
            },
        );
    }
    if plan.expert > 1 {
        line.value(
            "--moe-token-dispatcher-type",
            match plan.expert_dispatch {
                ExpertDispatch::AllToAll => "alltoall",
                ExpertDispatch::DeepEp => "flex",
            },
        );
    }
    if plan.offload.optimizer {
        line.switch("--optimizer-cpu-offload");
        line.switch("--use-precision-aware-optimizer");
        if plan.zero == 0 {
            line.switch("--use-distributed-optimizer");
            writer.note("Megatron-LM offloads the optimizer only with --use-distributed-optimizer (ZeRO-1)");
        }
    }
    for (path, set) in [
        ("parallelism.offload.activations", plan.offload.activations),
        ("parallelism.offload.weights", plan.offload.weights),
        ("parallelism.schedule", plan.schedule != Schedule::Alternating),
        ("parallelism.tensor_kind", plan.tensor_kind != TensorKind::Line),
        ("recipe.prediction", question.recipe.predicts()),
    ] {
        if set {
            writer.lacks(path);
        }
    }
    writer.recipe();
    format(writer, &mut line);
    if !question.recipe.dropout {
        line.value("--attention-dropout", 0);
        line.value("--hidden-dropout", 0);
    }
    writer.command(&line);
}

/// Sets `CUDA_DEVICE_MAX_CONNECTIONS`. Before Blackwell, Megatron-LM requires 1 with tensor or context parallelism; its FSDP
/// requires any other value.
fn connections(writer: &mut Writer<'_>) {
    let plan = writer.question.parallelism;
    let device = writer.question.system.accelerator().ok();
    let older = device
        .is_some_and(|device| ["Volta", "Ampere", "Ada", "Hopper"].contains(&device.architecture.as_str()));
    if plan.zero >= 2 {
        writer.line("unset CUDA_DEVICE_MAX_CONNECTIONS");
    } else if older && (plan.tensor > 1 || plan.context > 1) {
        writer.line("export CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
}

/// Appends the flags that shard weights, gradients and optimizer states over data-parallel replicas.
fn sharding(writer: &mut Writer<'_>, line: &mut Line) {
    let plan = writer.question.parallelism;
    match plan.zero {
        0 => {}
        1 => line.switch("--use-distributed-optimizer"),
        stage => {
            line.switch("--use-megatron-fsdp");
            let what = if stage == 2 { "optim_grads" } else { "optim_grads_params" };
            line.value("--data-parallel-sharding-strategy", what);
            line.switch("--use-distributed-optimizer");
            line.value("--ckpt-format", "fsdp_dtensor");
        }
    }
    if plan.data_overlap && plan.zero > 0 {
        line.switch("--overlap-param-gather");
    }
    let stage = plan.tensor * plan.context * plan.pipeline;
    if let Some(group) = plan.shard_group.filter(|group| *group > 0) {
        let replicas = writer.question.system.gpus / stage.max(1);
        line.value("--num-distributed-optimizer-instances", (replicas / group).max(1));
    }
}

/// Appends the flags for the number format of matrix multiplies.
fn format(writer: &mut Writer<'_>, line: &mut Line) {
    match writer.question.recipe.precision {
        Precision::Fp16 => line.switch("--fp16"),
        Precision::Tf32 => writer.note("Megatron-LM trains in 32 bits if no format flag is given"),
        Precision::Bf16 => line.switch("--bf16"),
        Precision::Fp8 => {
            line.switch("--bf16");
            line.value("--fp8-format", "hybrid");
            if writer.question.parallelism.recompute == Recompute::Outputs {
                // Delayed scaling, the default, refuses to recompute these modules.
                line.value("--fp8-recipe", "tensorwise");
            }
        }
        Precision::Fp8Block | Precision::Mxfp8 => {
            let recipe =
                if writer.question.recipe.precision == Precision::Mxfp8 { "mxfp8" } else { "blockwise" };
            line.switch("--bf16");
            line.value("--fp8-format", "e4m3");
            line.value("--fp8-recipe", recipe);
        }
        Precision::Fp4 => {
            line.switch("--bf16");
            line.value("--fp4-format", "e2m1");
        }
        _ => writer.lacks("recipe.precision"),
    }
}

/// Reads a training command.
pub(super) fn read(given: &Arguments, before: &[String], found: &mut Found<'_>) {
    torchrun::read(before, found);
    match Shape::of(|name| given.number(&format!("--{}", name.replace('_', "-")))).map(|shape| shape.model())
    {
        Some(Ok(model)) => found.facts.text("model", &model.id),
        Some(Err(why)) => found.remark(why),
        None => {}
    }
    let zero = match given.text("--data-parallel-sharding-strategy") {
        _ if given.has("--use-torch-fsdp2") => 3.0,
        Some("optim_grads_params") => 3.0,
        Some("optim_grads") => 2.0,
        Some("optim") => 1.0,
        _ => f64::from(u8::from(given.has("--use-distributed-optimizer"))),
    };
    found.facts.whole("parallelism.zero", zero);
    let modules = || given.list("--recompute-modules");
    for module in modules().filter(|module| *module != "core_attn" && !MODULES.contains(module)) {
        found.remark(format!("recomputation of `{module}` is not modelled"));
    }
    let outputs = modules().any(|module| MODULES.contains(&module));
    let recompute = match given.text("--recompute-granularity") {
        Some("full") => "full",
        Some("selective") if outputs => "outputs",
        Some("selective") => "selective",
        _ if given.has("--recompute-activations") => "selective",
        _ => "none",
    };
    found.facts.text("parallelism.recompute", recompute);
    if given.text("--recompute-method") == Some("block") {
        found.facts.whole("parallelism.recompute_layers", given.number("--recompute-num-layers"));
    }
    if given.degree("--context-parallel-size") > 1.0 {
        found.facts.text(
            "parallelism.context_kind",
            match given.text("--cp-comm-type") {
                Some("all_gather" | "allgather") => "gather",
                Some("a2a") => "ulysses",
                _ => "ring",
            },
        );
    }
    let dispatch =
        if given.text("--moe-token-dispatcher-type") == Some("flex") { "deep_ep" } else { "all_to_all" };
    found.facts.text("parallelism.expert_dispatch", dispatch);
    found.facts.set("parallelism.tensor_overlap", Given::Switch(given.has("--tp-comm-overlap")));
    let overlapped = given.has("--overlap-moe-expert-parallel-comm");
    found.facts.set("parallelism.expert_overlap", Given::Switch(overlapped));
    let offload = given.has("--optimizer-cpu-offload");
    found.facts.set("parallelism.offload.optimizer", Given::Switch(offload));
    found.facts.text("recipe.precision", precision(given));
    let dropped = |name: &str| given.number(name).unwrap_or(0.1) > 0.0;
    let dropout = dropped("--attention-dropout") || dropped("--hidden-dropout");
    found.facts.set("recipe.dropout", Given::Switch(dropout));
    let stages = given.degree("--pipeline-model-parallel-size");
    let per_chunk = given.number("--num-layers-per-virtual-pipeline-stage").filter(|layers| *layers >= 1.0);
    let virtual_stages = given.degree("--num-virtual-stages-per-pipeline-rank");
    found.facts.whole("parallelism.interleave", virtual_stages);
    if let Some(positions) =
        given.text("--pipeline-model-parallel-layout").and_then(megatron_layout::positions)
    {
        found.facts.whole("parallelism.interleave", libm::floor(f64::from(positions) / stages).max(1.0));
    }
    let scenario = found.scenario();
    let of_model = || scenario.architecture().ok().map(|model| f64::from(model.layers));
    if let (Some(per_chunk), Some(layers)) = (per_chunk, given.number("--num-layers").or_else(of_model)) {
        let chunks = libm::round(layers / stages / per_chunk);
        found.facts.whole("parallelism.interleave", chunks.max(1.0));
    }
    let instances = given.degree("--num-distributed-optimizer-instances");
    if instances > 1.0 {
        let stage =
            given.degree("--tensor-model-parallel-size") * given.degree("--context-parallel-size") * stages;
        found.facts.whole("parallelism.shard_group", f64::from(scenario.system.gpus) / stage / instances);
    }
}

/// The number format of matrix multiplies, as the word of `recipe.precision`.
fn precision(given: &Arguments) -> &'static str {
    match (given.text("--fp4-format"), given.text("--fp8-format"), given.text("--fp8-recipe")) {
        (Some(_), ..) => "fp4",
        (_, Some(_), Some("mxfp8")) => "mxfp8",
        (_, Some(_), Some("blockwise")) => "fp8block",
        (_, Some(_), _) => "fp8",
        _ if given.has("--bf16") => "bf16",
        _ if given.has("--fp16") => "fp16",
        _ => "tf32",
    }
}
