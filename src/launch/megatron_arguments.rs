//! The arguments that Megatron-LM prints when a job starts, by the names of its argument parser.

use std::collections::BTreeMap;

use super::flag::{Arguments, Sets};
use super::megatron_flags::FLAGS;
use super::read::{Launched, read_arguments};
use super::tool::Tool;
use crate::scenario::{Facts, Scenario};

/// Arguments whose names differ from their flags, with the flags. The vocabulary is padded to a multiple of the tensor
/// parallelism; if its own size is printed too, that comes later and wins.
const RENAMED: [(&str, &str); 3] =
    [("fp8", "--fp8-format"), ("fp4", "--fp4-format"), ("padded_vocab_size", "--vocab-size")];

/// Fields that follow from several arguments, with the arguments of which at least one has to be printed.
const COMBINED: [(&str, &[&str]); 10] = [
    (
        "parallelism.zero",
        &["use_distributed_optimizer", "data_parallel_sharding_strategy", "use_torch_fsdp2"],
    ),
    ("parallelism.recompute", &["recompute_granularity", "recompute_activations"]),
    ("parallelism.context_kind", &["cp_comm_type"]),
    ("parallelism.expert_dispatch", &["moe_token_dispatcher_type"]),
    ("parallelism.expert_overlap", &["overlap_moe_expert_parallel_comm"]),
    ("parallelism.offload.optimizer", &["optimizer_cpu_offload"]),
    ("recipe.precision", &["bf16", "fp16", "fp8", "fp4"]),
    ("recipe.dropout", &["attention_dropout", "hidden_dropout"]),
    (
        "parallelism.interleave",
        &[
            "num_virtual_stages_per_pipeline_rank",
            "num_layers_per_virtual_pipeline_stage",
            "pipeline_model_parallel_layout",
        ],
    ),
    ("recipe.framework", &[]),
];

/// Reads printed arguments, by names with underscores, like a command with the same flags. Arguments without a flag in the
/// table are ignored, and fields whose arguments are not printed are left out: a log may hold a part of the list.
pub fn megatron_arguments(printed: &BTreeMap<&str, &str>) -> Launched {
    let words: Vec<String> = printed.iter().filter_map(|(name, value)| word(name, value)).collect();
    let given = Arguments::of(FLAGS, &words);
    let launched = read_arguments(&Scenario::default(), Tool::Megatron, &given);
    let mut facts = Facts::default();
    for fact in launched.facts.iter().filter(|fact| is_printed(fact.path, printed)) {
        facts.set(fact.path, fact.value.clone());
    }
    Launched { facts, ..launched }
}

/// An argument as the flag that sets it; `None` if it is unset or has no flag in the table.
fn word(name: &str, value: &str) -> Option<String> {
    if matches!(value, "" | "None" | "none" | "False" | "[]") {
        return None;
    }
    let flag = RENAMED.iter().find(|(argument, _)| *argument == name).map(|(_, flag)| (*flag).to_owned());
    let flag = flag.unwrap_or_else(|| format!("--{}", name.replace('_', "-")));
    let known = FLAGS.iter().any(|row| row.names.contains(&flag.as_str()));
    known.then(|| format!("{flag}={value}"))
}

/// Returns true if an argument that sets a field is printed.
fn is_printed(path: &str, printed: &BTreeMap<&str, &str>) -> bool {
    if let Some((_, names)) = COMBINED.iter().find(|(of, _)| *of == path) {
        return names.iter().any(|name| printed.contains_key(name));
    }
    let sets = |row: &&super::flag::Flag| matches!(row.sets, Sets::Degree(of) | Sets::Number(of) | Sets::Switch(of, ..) if of == path);
    let Some(row) = FLAGS.iter().find(sets) else { return true };
    let named = |flag: &&str| printed.contains_key(flag.trim_start_matches('-').replace('-', "_").as_str());
    row.names.iter().any(named)
}
