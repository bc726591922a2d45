//! torchtitan: `run_train.sh`.

use super::flag::Sets::{Beyond, Degree, Neutral, NeutralSwitch, Value, Word};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::shell::Invocation;
use super::torchrun::{self, Nodes};
use super::writer::Writer;
use crate::scenario::fields::Value as FieldValue;
use crate::system::Precision;

/// Subcommands of activation checkpointing, of which one ends the command, and their words of `parallelism.recompute`.
const RECOMPUTE: [(&str, &str); 4] = [
    ("activation-checkpoint:none", "none"),
    ("activation-checkpoint:selective", "operators"),
    ("activation-checkpoint:selective", "selective"),
    ("activation-checkpoint:full", "full"),
];

const SCHEDULES: &[(&str, &str)] =
    &[("1F1B", "1f1b"), ("Interleaved1F1B", "1f1b"), ("GPipe", "gpipe"), ("ZBVZeroBubble", "zbh1")];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--parallelism.tensor_parallel_degree"], Degree("parallelism.tensor")),
    flag(&["--parallelism.pipeline_parallel_degree"], Degree("parallelism.pipeline")),
    flag(&["--parallelism.context_parallel_degree"], Degree("parallelism.context")),
    flag(&["--parallelism.expert_parallel_degree"], Degree("parallelism.expert")),
    flag(&["--parallelism.pipeline_parallel_schedule"], Word("parallelism.schedule", SCHEDULES)),
    flag(&["--parallelism.data_parallel_shard_degree"], Value),
    flag(&["--parallelism.data_parallel_replicate_degree"], Value),
    flag(&["--training.max_context_length", "--training.seq_len"], Value),
    flag(&["--training.num_tokens_per_microbatch_per_dp_rank"], Value),
    flag(&["--training.num_tokens_per_train_step"], Value),
    flag(&["--training.local_batch_size"], Value),
    flag(&["--training.global_batch_size"], Value),
    flag(&["--training.steps"], Neutral),
    flag(&["--training.dtype"], Neutral),
    flag(&["--job.config_file"], Neutral),
    flag(&["--model.flavor"], Value),
    flag(&["--model.name"], Neutral),
    flag(&["--module"], Neutral),
    flag(&["--config"], Neutral),
    flag(&["--compile.enable"], NeutralSwitch),
    flag(&["--parallelism.fsdp_reshard_after_forward"], Beyond),
    flag(&["--parallelism.pipeline_parallel_layers_per_stage"], Beyond),
    flag(&["--parallelism.num_pp_microbatches"], Neutral),
    flag(&["--training.disable_cuda_graphs"], NeutralSwitch),
];

/// Writes the command that runs a question's training job.
pub(super) fn write(writer: &mut Writer<'_>) {
    let (question, plan) = (writer.question, writer.question.parallelism);
    let (gpus, batch, sequence) = (question.system.gpus, question.recipe.batch, question.recipe.sequence);
    let stage = (plan.tensor * plan.context * plan.pipeline).max(1);
    let replicas = (gpus / stage).max(1);
    writer.note("Replace MODULE and CONFIG with your model's module and configuration");
    let mut line = start(writer);
    writer.fields(&mut line, FLAGS);
    // FSDP2 shards over data-parallel and context-parallel ranks; `replicate` is the number of full copies (HSDP).
    let shard = if plan.zero >= 2 { plan.shard_group.unwrap_or(replicas).max(1) } else { 1 };
    line.value("--parallelism.data_parallel_shard_degree", shard);
    line.degree("--parallelism.data_parallel_replicate_degree", (replicas / shard).max(1));
    if matches!(plan.zero, 1 | 2) {
        writer.lacks("parallelism.zero");
    }
    let tokens = |sequences: u32| u64::from(sequences) * u64::from(sequence);
    line.value("--training.max_context_length", sequence);
    line.value("--training.num_tokens_per_microbatch_per_dp_rank", tokens(plan.microbatch));
    line.value("--training.num_tokens_per_train_step", tokens(batch));
    if plan.pipeline > 1 {
        // The default, 1, accumulates gradients over pipelines of one microbatch each.
        line.value("--parallelism.num_pp_microbatches", (batch / (replicas * plan.microbatch).max(1)).max(1));
    }
    if plan.pipeline > 1 || plan.expert > 1 {
        // CUDA graphs support neither pipelines nor most token dispatchers.
        line.switch("--training.disable_cuda_graphs");
    }
    if plan.interleave > 1 {
        writer.lacks("parallelism.interleave");
    }
    if question.recipe.precision != Precision::Bf16 {
        writer.note("Set formats other than BF16 by converters in the configuration: they have no flags");
    }
    writer.recipe();
    let policy = question.at("parallelism.recompute").and_then(FieldValue::as_text);
    match RECOMPUTE.iter().find(|(_, word)| Some(*word) == policy) {
        Some((subcommand, _)) => line.switch(subcommand),
        None => writer.lacks("parallelism.recompute"),
    }
    writer.command(&line);
}

/// The start of the command. `run_train.sh` is for one node: its processes meet on `localhost`. On several nodes, `torchrun`
/// starts the same module, as in torchtitan's `multinode_trainer.slurm`.
fn start(writer: &mut Writer<'_>) -> Line {
    let Nodes { count, each } = Nodes::of(writer);
    if count == 1 {
        return Line::new(format!("MODULE=MODULE CONFIG=CONFIG NGPU={each} ./run_train.sh"));
    }
    torchrun::start(writer, "-m torchtitan.train --module MODULE --config CONFIG")
}

/// Reads a training command.
pub(super) fn read(given: &Arguments, invocation: &Invocation, before: &[String], found: &mut Found<'_>) {
    torchrun::read(before, found);
    let gpus = invocation.variables.get("NGPU").and_then(|text| text.parse::<f64>().ok());
    if gpus.is_some() {
        found.facts.whole("system.gpus", gpus);
    }
    found.model(given.text("--model.flavor").unwrap_or(""));
    // Without a subcommand, the policy of the configuration applies.
    let policy = RECOMPUTE.iter().find(|(subcommand, _)| given.words.iter().any(|word| word == subcommand));
    if let Some((_, policy)) = policy {
        found.facts.text("parallelism.recompute", *policy);
    }
    let sequence = given.number("--training.max_context_length");
    found.facts.whole("recipe.sequence", sequence);
    let sequences = |name: &str| given.number(name).zip(sequence).map(|(tokens, length)| tokens / length);
    let micro = sequences("--training.num_tokens_per_microbatch_per_dp_rank");
    found
        .facts
        .whole("parallelism.microbatch", micro.or_else(|| given.number("--training.local_batch_size")));
    let batch = sequences("--training.num_tokens_per_train_step").filter(|batch| *batch > 0.0);
    found.facts.whole("recipe.batch", batch.or_else(|| given.number("--training.global_batch_size")));
    // The default, -1, shards over all data-parallel ranks.
    let shard = given.number("--parallelism.data_parallel_shard_degree").unwrap_or(-1.0);
    found.facts.whole("parallelism.zero", if shard as i64 == 1 { 0.0 } else { 3.0 });
    if shard > 1.0 && given.degree("--parallelism.data_parallel_replicate_degree") > 1.0 {
        found.facts.whole("parallelism.shard_group", shard);
    }
}
