//! Reads launch commands into a question.

use super::flag::{Arguments, Sets, is_on};
use super::pool::Role;
use super::shell::{Invocation, invocations};
use super::{Tool, bridge, client, llamacpp, megatron, mlx, sglang, torchtitan, trl, trtllm, vllm, weights};
use crate::scenario::fields::Value;
use crate::scenario::{Facts, Given, Scenario, names};

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

/// The settings collected while commands are read.
pub(super) struct Found<'a> {
    /// The scenario before the commands.
    pub(super) current: &'a Scenario,
    /// The scenario fields found so far.
    pub(super) facts: Facts,
    remarks: Vec<String>,
}

impl Found<'_> {
    /// Adds a remark: a sentence without a full stop on an argument that sets no field.
    pub(super) fn remark(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Sets the model by its name, or adds a remark if the catalogue does not have it.
    pub(super) fn model(&mut self, name: &str) {
        match names::model(name) {
            Some(id) => self.facts.text("model", id),
            None if name.is_empty() => {}
            None => self.remark(format!(
                "The model {} is not in the catalogue: choose another, or open its config.json",
                names::shown(name)
            )),
        }
    }

    /// Sets the model and the number format of its weights. The format is that of a flag, else that in the checkpoint's
    /// name, else the model's published one.
    pub(super) fn checkpoint(&mut self, name: &str, flags: [Option<&str>; 2]) {
        self.model(name);
        let format = weights::read(flags, name, self.scenario().native_precision());
        self.facts.text("inference.precision", format);
    }

    /// The current scenario with the fields found so far.
    pub(super) fn scenario(&self) -> Scenario {
        let mut scenario = self.current.clone();
        self.facts.apply(&mut scenario);
        scenario
    }

    /// Returns true if the model of the commands is a mixture of experts.
    pub(super) fn has_experts(&self) -> bool {
        self.scenario().has_experts()
    }

    /// Returns true if the model of the commands has prediction modules (MTP).
    pub(super) fn has_modules(&self) -> bool {
        self.scenario().architecture().is_ok_and(|model| model.prediction.is_some())
    }

    /// Sets the engine or framework of the tool, unless the question already names one of its versions.
    pub(super) fn engine(&mut self, tool: Tool) {
        let seen = Scenario { view: tool.view(), ..self.current.clone() };
        if Tool::named_by(&seen) != Some(tool) {
            self.facts.text(tool.field(), tool.word());
        }
    }

    /// Sets the fields that map to a single flag in the tool's table.
    fn fields(&mut self, tool: Tool, given: &Arguments) {
        let complete = tool.has_defaults();
        for flag in tool.flags() {
            let Some(name) = flag.names.first() else { continue };
            let last = given.known().filter(|(known, _)| known.names == flag.names).last();
            match flag.sets {
                // The tool's module may have found the degree by another flag.
                Sets::Degree(path) if last.is_some() || (complete && self.facts.get(path).is_none()) => {
                    self.facts.whole(path, given.degree(name));
                }
                Sets::Number(path) => self.facts.number(path, given.number(name)),
                Sets::Limit(path) => self.limit(path, given.number(name)),
                Sets::Word(path, pairs) => self.word(path, pairs, (name, given.text(name)), complete),
                Sets::Switch(path, on, off) if complete || last.is_some() => {
                    let set = last.is_some_and(|(_, value)| is_on(value));
                    self.facts.set(path, if set { on.given() } else { off.given() });
                }
                _ => {}
            }
        }
    }

    /// Sets an optional field to a positive number; without one the field is left out.
    pub(super) fn limit(&mut self, path: &'static str, number: Option<f64>) {
        match number.filter(|number| *number > 0.0) {
            Some(number) => self.facts.number(path, number),
            None if self.current.at(path) == Some(Value::Absent) => {}
            None => self.facts.set(path, Given::Absent),
        }
    }

    /// Sets the prefix cache in host memory, GiB per GPU, of a server that prefills; none if the command does not state it.
    pub(super) fn host_cache(&mut self, role: Role, gib: Option<f64>) {
        let path = "inference.host_cache_gib";
        let stated = gib.filter(|gib| *gib > 0.0);
        if role != Role::Decode && (stated.is_some() || self.current.inference.host_cache_gib > 0.0) {
            self.facts.number(path, stated.unwrap_or(0.0));
        }
    }

    fn word(
        &mut self,
        path: &'static str,
        pairs: &[(&str, &'static str)],
        (name, given): (&str, Option<&str>),
        complete: bool,
    ) {
        let wanted = given.or_else(|| pairs.first().filter(|_| complete).map(|(first, _)| *first));
        let Some(wanted) = wanted else { return };
        match pairs.iter().find(|(word, _)| word.eq_ignore_ascii_case(wanted)) {
            Some((_, word)) => self.facts.set(path, Given::Text((*word).to_owned())),
            None => self.remark(format!("{name} {} is not modelled", names::shown(wanted))),
        }
    }
}

/// Reads the launch commands of a text; `None` if it has none. Fields that no command sets are taken from `current`. If
/// commands start several tools, only those of the first tool are read.
pub fn read(current: &Scenario, text: &str) -> Option<Launched> {
    let mut found = Found { current, facts: Facts::default(), remarks: Vec::new() };
    let mut tool = None;
    for invocation in invocations(text) {
        if client::read(&invocation, &mut found) {
            continue;
        }
        let Some((started, before, after)) = tool_of(&invocation) else { continue };
        if tool.is_some_and(|first| first != started) {
            continue;
        }
        tool = Some(started);
        let given = Arguments::of(started.flags(), after);
        server(started, &invocation, before, &given, &mut found);
    }
    let Found { facts, remarks, .. } = found;
    tool.map(|tool| Launched { tool, facts, remarks })
}

/// Reads the arguments of one training job of a tool that has defaults.
pub(super) fn read_arguments(current: &Scenario, tool: Tool, given: &Arguments) -> Launched {
    let mut found = Found { current, facts: Facts::default(), remarks: Vec::new() };
    server(tool, &Invocation::default(), &[], given, &mut found);
    let Found { facts, remarks, .. } = found;
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
    found.fields(tool, given);
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

/// Number of copies of a server, from `REPLICAS=…` before its command; 1 if absent.
pub(super) fn replicas(invocation: &Invocation) -> u32 {
    let stated = invocation.variables.get("REPLICAS").and_then(|text| text.parse().ok());
    stated.filter(|count| *count > 0).unwrap_or(1)
}

impl Tool {
    /// Path of the field that names the tool: the engine or the training framework.
    const fn field(self) -> &'static str {
        match self {
            Self::Vllm | Self::Sglang | Self::Trtllm | Self::Llamacpp | Self::Mlx => "inference.engine",
            Self::Trl | Self::Megatron | Self::Bridge | Self::Torchtitan => "recipe.framework",
        }
    }

    /// The tool's word in that field. Torchtitan has no fitted overheads, so it takes the typical ones. TRL runs on Transformers.
    const fn word(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::Trtllm => "trtllm",
            Self::Llamacpp => "llamacpp",
            Self::Mlx => "mlx",
            Self::Trl => "transformers",
            Self::Megatron => "megatron",
            Self::Bridge => "nemo",
            Self::Torchtitan => "typical",
        }
    }

    /// Returns true if an absent flag means the tool's default instead of the value in a recipe file.
    pub(super) const fn has_defaults(self) -> bool {
        !matches!(self, Self::Bridge)
    }
}
