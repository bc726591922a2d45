//! Questions for which a tool has no command, and why.

use std::fmt;

use super::Tool;
use super::pool::Pool;
use super::role::Role;
use crate::catalog::Accelerator;
use crate::inference::Engine;
use crate::scenario::{Scenario, View, fields};
use crate::system::Precision;

/// Rows and columns of a block of FP8 weights that share a scale.
const BLOCK: u32 = 128;

/// Why a tool has no command for a question. Its `Display` is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The tool does not run on this device.
    Device(Tool, String),
    /// The tool has no kernels for weights of this format on this device.
    Format(Tool, Precision, String),
    /// The tool's command trains whole models, and the question trains adapters.
    Adapters(Tool),
    /// The tool's command trains adapters, and the question trains the whole model.
    Whole(Tool),
    /// The tool rejects a combination of settings when it starts. The text continues a sentence that begins with its name.
    Rule(Tool, &'static str),
    /// The tool does not load experts whose part on a GPU is not a whole number of FP8 blocks.
    Blocks(Tool, Blocks),
}

/// Experts whose shards are not a whole number of FP8 blocks wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    /// Inner width of an expert.
    width: u32,
    /// GPUs that shard an expert.
    shards: u32,
    /// GPUs of a server, over which whole experts can be distributed.
    gpus: u32,
    /// Role of the server.
    role: Role,
}

impl Refusal {
    /// Why the tool has no command for the question; `None` if it has one.
    pub(super) fn of(question: &Scenario, tool: Tool) -> Option<Self> {
        if tool.view() == View::Training {
            return match (tool, question.recipe.frozen) {
                (Tool::Trl, false) => Some(Self::Whole(tool)),
                (Tool::Trl, true) | (_, false) => rule(question, tool).map(|rule| Self::Rule(tool, rule)),
                (_, true) => Some(Self::Adapters(tool)),
            };
        }
        let own = question.system.accelerator().ok();
        let mut devices = own.iter().chain(question.prefill_device(&question.inference));
        let format = question.inference.precision;
        let unfit = |engine: Engine, device: &Accelerator| {
            let name = || device.name.clone();
            if !engine.runs_on(device) {
                return Some(Self::Device(tool, name()));
            }
            // The command leaves out formats that the engine reads on no device, and says so.
            (engine.loads(format) && !engine.loads_on(format, device))
                .then(|| Self::Format(tool, format, name()))
        };
        if let Some(engine) = tool.engine()
            && let Some(refusal) = devices.find_map(|device| unfit(engine, device))
        {
            return Some(refusal);
        }
        let blocks = || Blocks::of(question, tool).map(|blocks| Self::Blocks(tool, blocks));
        rule(question, tool).map(|rule| Self::Rule(tool, rule)).or_else(blocks)
    }

    /// What to change, or further facts: sentences without a full stop.
    pub(super) fn notes(&self) -> Vec<String> {
        let Self::Blocks(_, blocks) = self else { return Vec::new() };
        let path = match blocks.role {
            Role::Prefill => "inference.prefill_expert",
            Role::Both | Role::Decode => "inference.expert",
        };
        let field = fields::field(path).map(|field| format!("{} ({})", field.name(), field.key));
        let field = field.unwrap_or_default();
        vec![
            format!(
                "Use expert parallelism, so that each GPU has whole experts: set {field} to {}",
                blocks.gpus
            ),
            format!(
                "The server would stop with \"not divisible by weight quantization block_n = {BLOCK}\" (vllm-project/vllm#17569)"
            ),
        ]
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(Tool::Mlx, device) => {
                write!(to, "MLX is predicted for Apple's GPUs only, and {device} is not one of them")
            }
            Self::Device(tool, device) => write!(to, "{} does not run on {device}", tool.name()),
            Self::Format(tool, format, device) => {
                let format = format.name().trim_end_matches(" weights");
                write!(to, "{} does not read weights in {format} on {device}", tool.name())
            }
            Self::Adapters(tool) => {
                write!(to, "the command of {} trains all weights, not adapters", tool.name())
            }
            Self::Whole(tool) => {
                write!(to, "the command of {} trains adapters, not all weights", tool.name())
            }
            Self::Rule(tool, rule) => write!(to, "{} {rule}", tool.name()),
            Self::Blocks(tool, Blocks { width, shards, .. }) => write!(
                to,
                "{} does not load experts of width {width} in FP8 blocks of {BLOCK} sharded over {shards} GPUs, {} each",
                tool.name(),
                f64::from(*width) / f64::from(*shards)
            ),
        }
    }
}

/// The combination of settings that the tool rejects, if the question has one.
fn rule(question: &Scenario, tool: Tool) -> Option<&'static str> {
    let (plan, load) = (question.parallelism, &question.inference);
    match tool {
        Tool::Megatron if plan.tensor > 1 && !plan.sequence_parallel && question.has_experts() => {
            Some("requires sequence parallelism to train mixtures of experts with tensor parallelism")
        }
        Tool::Sglang if load.mixed && load.pipeline > 1 => {
            Some("mixes prompts into decode steps only without pipeline parallelism")
        }
        Tool::Vllm
            if load.token_budget.zip(load.max_sequences).is_some_and(|(tokens, most)| tokens < most) =>
        {
            Some("starts only with at least as many tokens as requests in a step")
        }
        _ => None,
    }
}

impl Blocks {
    /// The first pool of servers with such shards. vLLM and SGLang compare the inner width of an expert
    /// on a GPU with the block when they create its weights. vLLM shards experts over all GPUs of a server or over none.
    fn of(question: &Scenario, tool: Tool) -> Option<Self> {
        let load = &question.inference;
        if load.precision != Precision::Fp8Block || !matches!(tool, Tool::Vllm | Tool::Sglang) {
            return None;
        }
        let width = question.architecture().ok()?.moe?.ffn;
        Pool::of(load).into_iter().find_map(|pool| {
            let context = if tool == Tool::Vllm { load.context } else { 1 };
            let gpus = pool.tensor.saturating_mul(pool.data).saturating_mul(context).max(1);
            let shards = match (tool, pool.expert) {
                (Tool::Vllm, groups) if groups > 1 => 1,
                (_, groups) => (gpus / groups.max(1)).max(1),
            };
            let whole = width.is_multiple_of(shards) && (width / shards).is_multiple_of(BLOCK);
            (!whole).then_some(Self { width, shards, gpus, role: pool.role })
        })
    }
}
