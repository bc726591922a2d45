//! TRL: `trl sft`, which trains adapters with Hugging Face's Transformers and PEFT.

use super::flag::Sets::{Beyond, BeyondSwitch, Neutral, NeutralSwitch, Number, Present, Switch, Value, Word};
use super::flag::{Arguments, Flag, Is, flag};
use super::found::Found;
use super::line::Line;
use super::torchrun::Nodes;
use super::writer::Writer;
use crate::plan::TensorKind;
use crate::scenario::Given;
use crate::system::Precision;
use crate::training::{Gradients, Optimizer};
use crate::workload::{Recompute, Targets};

/// Whether layers run again from their inputs in the backward pass. TRL does so by default.
const RECOMPUTE: &[(&str, &str)] = &[("True", "full"), ("False", "none")];

/// Implementations of attention. The default calls `PyTorch`'s own kernel.
const ATTENTION: &[(&str, &str)] =
    &[("sdpa", "flash"), ("flash_attention_2", "flash2"), ("eager", "unfused")];

/// Every matrix but the output head, as PEFT names it.
const ALL: &str = "all-linear";

/// Projections of attention in Llama and most other models.
const PROJECTIONS: [&str; 4] = ["q_proj", "k_proj", "v_proj", "o_proj"];

/// Degrees of parallelism that Transformers' trainer does not have.
const DEGREES: [&str; 5] = [
    "parallelism.tensor",
    "parallelism.pipeline",
    "parallelism.context",
    "parallelism.expert",
    "parallelism.interleave",
];

/// Configurations of Accelerate that TRL brings, and the ZeRO stage of each.
const STAGES: [(&str, f64); 4] = [("multi_gpu", 0.0), ("zero1", 1.0), ("zero2", 2.0), ("zero3", 3.0)];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--model_name_or_path"], Value),
    flag(&["--per_device_train_batch_size"], Number("parallelism.microbatch")),
    flag(&["--gradient_accumulation_steps"], Value),
    flag(&["--max_length", "--max_seq_length"], Number("recipe.sequence")),
    flag(&["--lora_r"], Number("recipe.rank")),
    flag(&["--use_peft"], Present),
    flag(&["--lora_target_modules"], Value),
    flag(&["--load_in_4bit"], Present),
    flag(&["--load_in_8bit"], Present),
    flag(&["--bnb_4bit_quant_type"], Value),
    flag(&["--use_bnb_nested_quant"], Present),
    flag(&["--bnb_4bit_quant_storage"], Neutral),
    flag(&["--optim"], Value),
    flag(&["--gradient_checkpointing"], Word("parallelism.recompute", RECOMPUTE)),
    flag(&["--attn_implementation"], Word("recipe.attention", ATTENTION)),
    flag(
        &["--activation_offloading"],
        Switch("parallelism.offload.activations", Is::Set(true), Is::Set(false)),
    ),
    flag(&["--bf16"], Value),
    flag(&["--fp16"], Present),
    flag(&["--dtype", "--torch_dtype"], Value),
    flag(&["--accelerate_config"], Value),
    flag(&["--num_processes"], Value),
    flag(&["--num_machines"], Neutral),
    flag(&["--machine_rank"], Neutral),
    flag(&["--main_process_ip"], Neutral),
    flag(&["--main_process_port"], Neutral),
    flag(&["--lora_dropout"], Neutral),
    flag(&["--lora_alpha"], Neutral),
    flag(&["--max_steps"], Neutral),
    flag(&["--num_train_epochs"], Neutral),
    flag(&["--learning_rate"], Neutral),
    flag(&["--lr_scheduler_type"], Neutral),
    flag(&["--warmup_steps"], Neutral),
    flag(&["--weight_decay"], Neutral),
    flag(&["--dataset_name"], Neutral),
    flag(&["--dataset_config"], Neutral),
    flag(&["--dataset_text_field"], Neutral),
    flag(&["--output_dir"], Neutral),
    flag(&["--logging_steps"], Neutral),
    flag(&["--save_steps"], Neutral),
    flag(&["--eval_strategy"], Neutral),
    flag(&["--eval_steps"], Neutral),
    flag(&["--eos_token"], Neutral),
    flag(&["--packing_strategy"], Neutral),
    flag(&["--packing"], NeutralSwitch),
    flag(&["--push_to_hub"], NeutralSwitch),
    flag(&["--trust_remote_code"], NeutralSwitch),
    flag(&["--lora_target_parameters"], Beyond),
    flag(&["--lora_modules_to_save"], Beyond),
    flag(&["--loss_type"], Beyond),
    flag(&["--tf32"], Beyond),
    flag(&["--use_dora"], BeyondSwitch),
    flag(&["--use_liger_kernel"], BeyondSwitch),
    flag(&["--padding_free"], BeyondSwitch),
];

/// Writes the command that trains a question's adapters.
pub(super) fn write(writer: &mut Writer<'_>) {
    let recipe = writer.question.recipe;
    writer.model("");
    writer.line("DATASET=trl-lib/Capybara  # set to the path or Hugging Face name of your data");
    let mut line = Line::new("trl sft");
    processes(writer, &mut line);
    line.variable("--model_name_or_path", "$MODEL");
    line.variable("--dataset_name", "$DATASET");
    // Sequences are cut where one is full, so that each has the length that is predicted.
    line.switch("--packing");
    line.value("--packing_strategy", "wrapped");
    line.switch("--use_peft");
    // TRL drops out inputs of adapters by default; no part of the prediction does.
    line.value("--lora_dropout", 0);
    match recipe.targets {
        Targets::Linear => line.value("--lora_target_modules", ALL),
        Targets::Attention => {
            line.switch(&format!("--lora_target_modules {}", PROJECTIONS.join(" ")));
            writer.note("Replace the names after --lora_target_modules by those of your model's attention projections");
        }
    }
    let quantised = base(writer, &mut line);
    writer.fields(&mut line, FLAGS);
    optimizer(writer, &mut line, quantised);
    format(writer, &mut line);
    steps(writer, &mut line);
    lacking(writer, quantised);
    writer.note(
        "Megatron-LM, Megatron-Bridge and torchtitan are left out: the commands that this page writes for them train all weights",
    );
    writer.command(&line);
}

/// Appends the configuration of Accelerate and the number of GPUs.
fn processes(writer: &mut Writer<'_>, line: &mut Line) {
    let (gpus, zero) = (writer.question.system.gpus, writer.question.parallelism.zero);
    let Nodes { count, .. } = Nodes::of(writer);
    let stage = STAGES.iter().find(|(_, stage)| (stage - f64::from(zero)).abs() < 0.5);
    let several = stage.map_or("multi_gpu", |(name, _)| name);
    line.value("--accelerate_config", if gpus > 1 { several } else { "single_gpu" });
    line.value("--num_processes", gpus);
    if count > 1 {
        writer.line(&format!("RANK=0  # start it on {count} nodes ({gpus} GPUs): ranks 0 to {}", count - 1));
        writer.line("HEAD=HOST  # set to the address of the node of rank 0");
        line.value("--num_machines", count);
        line.variable("--machine_rank", "$RANK");
        line.variable("--main_process_ip", "$HEAD");
        line.value("--main_process_port", 29500);
    }
}

/// Appends the flags for the format of frozen weights. Returns true if bitsandbytes quantises them.
fn base(writer: &mut Writer<'_>, line: &mut Line) -> bool {
    let sharded = writer.question.parallelism.zero == 3 && writer.question.system.gpus > 1;
    match writer.question.recipe.base {
        Precision::Nf4 | Precision::Nf4Double => {
            line.switch("--load_in_4bit");
            if writer.question.recipe.base == Precision::Nf4Double {
                line.switch("--use_bnb_nested_quant");
            }
            if sharded {
                // ZeRO-3 shards weights of floating-point types only.
                line.value("--bnb_4bit_quant_storage", "bfloat16");
            }
            true
        }
        Precision::Int8 => {
            line.switch("--load_in_8bit");
            true
        }
        Precision::Bf16 => false,
        _ => {
            writer.lacks("recipe.base");
            false
        }
    }
}

/// Appends the optimizer. Its state has the format of the adapters: 16 bits beside quantised weights, where TRL casts them, and
/// 32 bits otherwise.
fn optimizer(writer: &mut Writer<'_>, line: &mut Line, quantised: bool) {
    let asked = writer.question.recipe.optimizer;
    line.value(
        "--optim",
        match asked {
            Optimizer::Adam8 => "adamw_8bit",
            Optimizer::Plain => "sgd",
            Optimizer::Adam | Optimizer::Adam16 | Optimizer::Momentum => "adamw_torch_fused",
        },
    );
    let fits = match asked {
        Optimizer::Adam8 | Optimizer::Plain => true,
        Optimizer::Adam => !quantised,
        Optimizer::Adam16 => quantised,
        Optimizer::Momentum => false,
    };
    if !fits {
        writer.lacks("recipe.optimizer");
    }
}

/// Appends the format of weights that are not quantised and of multiplies.
fn format(writer: &mut Writer<'_>, line: &mut Line) {
    match writer.question.recipe.precision {
        Precision::Fp16 => {
            line.value("--dtype", "float16");
            line.switch("--fp16");
        }
        asked => {
            // TRL loads weights in 32 bits by default.
            line.value("--dtype", "bfloat16");
            line.value("--bf16", "True");
            if asked != Precision::Bf16 {
                writer.lacks("recipe.precision");
            }
        }
    }
}

/// Appends the numbers of microbatches and of steps.
fn steps(writer: &Writer<'_>, line: &mut Line) {
    let (recipe, plan) = (writer.question.recipe, writer.question.parallelism);
    let replicas = u64::from(writer.question.system.gpus) * u64::from(plan.microbatch);
    line.value("--gradient_accumulation_steps", (u64::from(recipe.batch) / replicas.max(1)).max(1));
    let tokens = f64::from(recipe.batch) * f64::from(recipe.sequence);
    line.value("--max_steps", libm::ceil(recipe.tokens / tokens.max(1.0)).max(1.0));
}

/// Notes what the command does not set.
fn lacking(writer: &mut Writer<'_>, quantised: bool) {
    let (recipe, plan) = (writer.question.recipe, writer.question.parallelism);
    let summed = if quantised { Gradients::Bf16 } else { Gradients::Fp32 };
    for (path, set) in [
        ("parallelism.tensor", plan.tensor > 1),
        ("parallelism.pipeline", plan.pipeline > 1),
        ("parallelism.context", plan.context > 1),
        ("parallelism.expert", plan.expert > 1),
        ("parallelism.tensor_kind", plan.tensor_kind != TensorKind::Line),
        ("parallelism.shard_group", plan.shard_group.is_some()),
        ("parallelism.data_overlap", !plan.data_overlap && writer.question.system.gpus > 1),
        (
            "parallelism.recompute_layers",
            plan.recompute == Recompute::Full && plan.recompute_layers.is_some(),
        ),
        ("parallelism.offload.weights", plan.offload.weights),
        ("parallelism.offload.optimizer", plan.offload.optimizer),
        ("recipe.gradients", recipe.gradients != summed),
        ("recipe.loss_chunks", recipe.loss_chunks > 1),
        ("recipe.dropout", recipe.dropout),
    ] {
        if set {
            writer.lacks(path);
        }
    }
}

/// Reads a command. Transformers trains without tensor, pipeline, context or expert parallelism.
/// `accelerate launch` has the number of GPUs before the script, `trl sft` after it.
pub(super) fn read(given: &Arguments, before: &[String], found: &mut Found<'_>) {
    let launcher = Arguments::of(FLAGS, before);
    found.model(given.text("--model_name_or_path").unwrap_or(""));
    for path in DEGREES {
        found.facts.whole(path, 1.0);
    }
    found.facts.set("parallelism.sequence_parallel", Given::Switch(false));
    let stating = if given.has("--num_processes") { given } else { &launcher };
    let gpus = stating.degree("--num_processes");
    found.facts.whole("system.gpus", stating.number("--num_processes"));
    let config = given.text("--accelerate_config");
    let stage = STAGES.iter().find(|(name, _)| Some(*name) == config).map(|(_, stage)| *stage);
    found.facts.whole("parallelism.zero", stage);
    let micro = given.degree("--per_device_train_batch_size");
    let steps = given.degree("--gradient_accumulation_steps");
    found.facts.whole("recipe.batch", micro * steps * gpus);
    found.facts.set("recipe.frozen", Given::Switch(given.has("--use_peft")));
    let all = given.text("--lora_target_modules").is_none_or(|name| name == ALL);
    let attention = !all && given.list("--lora_target_modules").all(|name| PROJECTIONS.contains(&name));
    found.facts.text("recipe.targets", if attention { "attention" } else { "linear" });
    if !all && !attention {
        found.remark(
            "Adapters on any set of matrices other than attention's are read as adapters on all matrices",
        );
    }
    let base = match (given.has("--load_in_4bit"), given.has("--load_in_8bit")) {
        (true, _) if given.has("--use_bnb_nested_quant") => "nf4_double",
        (true, _) => "nf4",
        (_, true) => "int8",
        _ => "bf16",
    };
    found.facts.text("recipe.base", base);
    let quantised = base != "bf16";
    found.facts.text("recipe.gradients", if quantised { "bf16" } else { "fp32" });
    let optimizer = match given.text("--optim") {
        Some(name) if name.contains("8bit") => "adam8",
        Some("sgd") => "plain",
        Some(name) if name.contains("32bit") => "adam",
        _ if quantised => "adam16",
        _ => "adam",
    };
    found.facts.text("recipe.optimizer", optimizer);
    found.facts.text("recipe.precision", if given.has("--fp16") { "fp16" } else { "bf16" });
}
