//! Megatron-Bridge (NeMo): `run_recipe.py` with a recipe name and dotted overrides.

use super::flag::Sets::{Degree, Neutral, Number, Switch, Value, Word};
use super::flag::{Arguments, Flag, Is, flag};
use super::found::Found;
use super::torchrun;
use super::writer::Writer;

const RECOMPUTE: &[(&str, &str)] = &[("null", "none"), ("selective", "selective"), ("full", "full")];

const MIXED: &[(&str, &str)] = &[
    ("bf16_mixed", "bf16"),
    ("fp16_mixed", "fp16"),
    ("bf16_with_fp8_current_scaling_mixed", "fp8"),
    ("bf16_with_fp8_delayed_scaling_mixed", "fp8"),
    ("bf16_with_mxfp8_mixed", "mxfp8"),
    ("bf16_with_fp8_subchannel_scaling_mixed", "fp8block"),
    ("bf16_with_nvfp4_mixed", "fp4"),
];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--recipe"], Value),
    flag(&["--dataset"], Neutral),
    flag(&["model.tensor_model_parallel_size"], Degree("parallelism.tensor")),
    flag(&["model.pipeline_model_parallel_size"], Degree("parallelism.pipeline")),
    flag(&["model.context_parallel_size"], Degree("parallelism.context")),
    flag(&["model.expert_model_parallel_size"], Degree("parallelism.expert")),
    flag(&["model.expert_tensor_parallel_size"], Number("parallelism.expert_tensor")),
    flag(
        &["model.sequence_parallel"],
        Switch("parallelism.sequence_parallel", Is::Set(true), Is::Set(false)),
    ),
    flag(&["model.recompute_granularity"], Word("parallelism.recompute", RECOMPUTE)),
    flag(&["model.seq_length"], Number("recipe.sequence")),
    flag(&["train.micro_batch_size"], Number("parallelism.microbatch")),
    flag(&["train.global_batch_size"], Number("recipe.batch")),
    flag(&["ddp.overlap_grad_reduce"], Switch("parallelism.data_overlap", Is::Set(true), Is::Set(false))),
    flag(
        &["comm_overlap.tp_comm_overlap"],
        Switch("parallelism.tensor_overlap", Is::Set(true), Is::Set(false)),
    ),
    flag(
        &["comm_overlap.overlap_moe_expert_parallel_comm"],
        Switch("parallelism.expert_overlap", Is::Set(true), Is::Set(false)),
    ),
    flag(&["optimizer.use_distributed_optimizer"], Value),
    flag(&["mixed_precision"], Word("recipe.precision", MIXED)),
    flag(&["dataset.sequence_length"], Neutral),
];

/// Writes the command that runs a question's training job.
pub(super) fn write(writer: &mut Writer<'_>) {
    let question = writer.question;
    writer.placeholder("RECIPE", "", "the recipe in megatron.bridge.recipes");
    let mut line = torchrun::start(writer, "scripts/training/run_recipe.py");
    line.variable("--recipe", "$RECIPE");
    writer.note("Recipes have names such as llama32_1b_pretrain_config");
    writer.fields(&mut line, FLAGS);
    writer.recipe();
    match question.parallelism.zero {
        0 => line.value("optimizer.use_distributed_optimizer", "false"),
        1 => line.value("optimizer.use_distributed_optimizer", "true"),
        _ => writer.lacks("parallelism.zero"),
    }
    writer.command(&line);
}

/// Reads a training command. Settings that the command does not override are in the recipe file, which is not available
/// here; they keep the question's values.
pub(super) fn read(given: &Arguments, before: &[String], found: &mut Found<'_>) {
    torchrun::read(before, found);
    found.model(given.text("--recipe").unwrap_or(""));
    if let Some(sharded) = given.text("optimizer.use_distributed_optimizer") {
        found.facts.whole("parallelism.zero", f64::from(u8::from(!sharded.eq_ignore_ascii_case("false"))));
    }
}
