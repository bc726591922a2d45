//! Reads launch commands into a question.

use super::flag::{Arguments, Flag, Sets};
use super::found::Found;
use super::shell::{Invocation, invocations};
use super::{
    Tool, bridge, client, llamacpp, megatron, megatron_flags, mlx, sglang, torchtitan, trl, trtllm, vllm,
};
use crate::scenario::{Facts, Scenario, names};

/// The settings read from launch commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Launched {
    /// The software that the commands start.
    pub tool: Tool,
    /// The scenario fields that the commands set.
    pub facts: Facts,
    /// Remarks on arguments that set no field: one sentence each, without a full stop.
    pub remarks: Vec<String>,
}

impl Launched {
    /// The current scenario with the fields of the commands replaced.
    pub fn applied_to(&self, current: &Scenario) -> Scenario {
        let mut scenario = Scenario { view: self.tool.view(), ..current.clone() };
        self.facts.apply(&mut scenario);
        scenario
    }
}

/// Reads the launch commands of a text; `None` if it has none. Fields that no command sets are taken from `current`. If
/// commands start several tools, only those of the first tool are read.
pub fn read(current: &Scenario, text: &str) -> Option<Launched> {
    let mut found = Found::new(current);
    let mut tool = None;
    for invocation in invocations(text) {
        if llamacpp::read_bench(&invocation.words, &mut found) || client::read(&invocation, &mut found) {
            continue;
        }
        let Some((started, before, after)) = tool_of(&invocation) else { continue };
        if tool.is_some_and(|first| first != started) {
            continue;
        }
        tool = Some(started);
        let given = Arguments::of(flags(started), after);
        server(started, &invocation, before, &given, &mut found);
    }
    let (facts, remarks) = found.into_parts();
    tool.map(|tool| Launched { tool, facts, remarks })
}

/// Reads the arguments of one training job of a tool that has defaults.
pub(super) fn read_arguments(current: &Scenario, tool: Tool, given: &Arguments) -> Launched {
    let mut found = Found::new(current);
    server(tool, &Invocation::default(), &[], given, &mut found);
    let (facts, remarks) = found.into_parts();
    Launched { tool, facts, remarks }
}

/// Reads the command of one server or training job.
fn server(tool: Tool, invocation: &Invocation, before: &[String], given: &Arguments, found: &mut Found<'_>) {
    match tool {
        Tool::Vllm => vllm::read(given, invocation, found),
        Tool::Sglang => sglang::read(given, invocation, found),
        Tool::Trtllm => trtllm::read(given, invocation, found),
        Tool::Llamacpp => llamacpp::read(given, found),
        Tool::Mlx => mlx::read(given, before, found),
        Tool::Trl => trl::read(given, before, found),
        Tool::Megatron => megatron::read(given, before, found),
        Tool::Bridge => bridge::read(given, before, found),
        Tool::Torchtitan => torchtitan::read(given, invocation, before, found),
    }
    found.fields(tool, flags(tool), given);
    found.engine(tool);
    let beyond: Vec<&str> = given
        .known()
        .filter(|(flag, _)| matches!(flag.sets, Sets::Beyond | Sets::BeyondSwitch))
        .filter_map(|(flag, _)| flag.names.first().copied())
        .collect();
    if !beyond.is_empty() {
        found.remark(format!("These flags affect speed but are not modelled: {}", beyond.join(", ")));
    }
    let unknown = || given.unknown.iter().filter(|name| !name.trim_matches('-').is_empty());
    if unknown().next().is_some() {
        let unknown: Vec<String> = unknown().map(|name| names::shown(name)).collect();
        found.remark(format!(
            "These {} flags are unknown and were ignored: {}",
            tool.name(),
            unknown.join(", ")
        ));
    }
}

/// The flags of a tool.
const fn flags(tool: Tool) -> &'static [Flag] {
    match tool {
        Tool::Vllm => vllm::FLAGS,
        Tool::Sglang => sglang::FLAGS,
        Tool::Trtllm => trtllm::FLAGS,
        Tool::Llamacpp => llamacpp::FLAGS,
        Tool::Mlx => mlx::FLAGS,
        Tool::Trl => trl::FLAGS,
        Tool::Megatron => megatron_flags::FLAGS,
        Tool::Bridge => bridge::FLAGS,
        Tool::Torchtitan => torchtitan::FLAGS,
    }
}

/// The tool that a command starts, the words before its program, and the words after it.
fn tool_of(invocation: &Invocation) -> Option<(Tool, &[String], &[String])> {
    let words = &invocation.words;
    for (tool, program) in
        Tool::ALL.into_iter().flat_map(|tool| tool.programs().iter().map(move |one| (tool, *one)))
    {
        let (first, second) =
            program.split_once(' ').map_or((program, None), |(first, second)| (first, Some(second)));
        for (place, word) in words.iter().enumerate() {
            let begins = word.split(':').next().is_some_and(|word| word.ends_with(first));
            let goes_on = second.is_none_or(|second| words.get(place + 1).is_some_and(|next| next == second));
            if begins && goes_on {
                let after = place + 1 + usize::from(second.is_some());
                return Some((tool, words.get(..place)?, words.get(after..)?));
            }
        }
    }
    None
}
