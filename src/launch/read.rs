//! A launch command as a question.

use super::flag::{Arguments, Sets, is_on};
use super::shell::{Invocation, invocations};
use super::{Tool, bridge, client, llamacpp, megatron, sglang, torchtitan, trtllm, vllm, weights};
use crate::scenario::{Facts, Given, Scenario, names};

/// What launch commands say.
#[derive(Clone, Debug, PartialEq)]
pub struct Launched {
    /// The software that they start.
    pub tool: Tool,
    /// The fields of the scenario that they give.
    pub facts: Facts,
    /// What they say beside that, in sentences without a full stop.
    pub remarks: Vec<String>,
}

impl Launched {
    /// The scenario with what the commands say in place of what it said before.
    pub fn applied_to(&self, current: &Scenario) -> Scenario {
        let mut scenario = Scenario { view: self.tool.view(), ..current.clone() };
        self.facts.apply(&mut scenario);
        scenario
    }
}

/// What the commands of a text say so far.
pub(super) struct Found<'a> {
    /// The question that the commands change.
    pub(super) current: &'a Scenario,
    /// The fields of the scenario.
    pub(super) facts: Facts,
    remarks: Vec<String>,
}

impl Found<'_> {
    /// A sentence on what the commands say beside fields.
    pub(super) fn remark(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// The model of a name, if the catalogue has it; otherwise says so.
    pub(super) fn model(&mut self, name: &str) {
        match names::model(name) {
            Some(id) => self.facts.text("model", id),
            None if name.is_empty() => {}
            None => self.remark(format!(
                "The catalogue lacks the model {}: choose it, or open its config.json",
                names::shown(name)
            )),
        }
    }

    /// The model and the format of its weights: that of a flag, else that in the checkpoint's name, else the model's own.
    pub(super) fn checkpoint(&mut self, name: &str, flags: [Option<&str>; 2]) {
        self.model(name);
        let format = weights::read(flags, name, self.scenario().native_precision());
        self.facts.text("inference.precision", format);
    }

    /// The scenario with the fields that are known so far.
    pub(super) fn scenario(&self) -> Scenario {
        let mut scenario = self.current.clone();
        self.facts.apply(&mut scenario);
        scenario
    }

    /// Returns true if the commands' model has experts.
    pub(super) fn has_experts(&self) -> bool {
        self.scenario().has_experts()
    }

    /// The engine that a server is, unless the question names another version of it.
    pub(super) fn engine(&mut self, tool: Tool) {
        let seen = Scenario { view: tool.view(), ..self.current.clone() };
        if Tool::named_by(&seen) != Some(tool) {
            self.facts.text(tool.field(), tool.word());
        }
    }

    /// The fields that have one flag each, by a tool's table.
    fn fields(&mut self, tool: Tool, given: &Arguments) {
        let complete = tool.has_defaults();
        for flag in tool.flags() {
            let Some(name) = flag.names.first() else { continue };
            let last = given.known().filter(|(known, _)| known.names == flag.names).last();
            match flag.sets {
                Sets::Degree(path) if complete || last.is_some() => {
                    self.facts.whole(path, given.degree(name));
                }
                Sets::Number(path) => self.facts.number(path, given.number(name)),
                Sets::Word(path, pairs) => self.word(path, pairs, (name, given.text(name)), complete),
                Sets::Switch(path, on, off) if complete || last.is_some() => {
                    let set = last.is_some_and(|(_, value)| is_on(value));
                    self.facts.set(path, if set { on.given() } else { off.given() });
                }
                _ => {}
            }
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
            None => self.remark(format!("The model lacks {name} {}", names::shown(wanted))),
        }
    }
}

/// Reads the launch commands of a text on top of the current question; `None` where there are none.
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

/// Reads the arguments of one server or trainer.
fn server(tool: Tool, invocation: &Invocation, before: &[String], given: &Arguments, found: &mut Found<'_>) {
    match tool {
        Tool::Vllm => vllm::read(given, invocation, found),
        Tool::Sglang => sglang::read(given, invocation, found),
        Tool::Trtllm => trtllm::read(given, invocation, found),
        Tool::Llamacpp => llamacpp::read(given, found),
        Tool::Megatron => megatron::read(given, before, found),
        Tool::Bridge => bridge::read(given, before, found),
        Tool::Torchtitan => torchtitan::read(given, invocation, found),
    }
    found.fields(tool, given);
    found.engine(tool);
    let beyond: Vec<&str> = given
        .known()
        .filter(|(flag, _)| matches!(flag.sets, Sets::Beyond | Sets::BeyondSwitch))
        .filter_map(|(flag, _)| flag.names.first().copied())
        .collect();
    if !beyond.is_empty() {
        found.remark(format!("These change the speed and are not in the model: {}", beyond.join(", ")));
    }
    if !given.unknown.is_empty() {
        let unknown: Vec<String> = given.unknown.iter().map(|name| names::shown(name)).collect();
        found.remark(format!(
            "{} has no such flags in the table, they were passed over: {}",
            tool.name(),
            unknown.join(", ")
        ));
    }
}

/// The tool that a command starts, the words before its own arguments, and those.
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

/// Replicas that a text says of the server that follows.
pub(super) fn replicas(invocation: &Invocation) -> u32 {
    let stated = invocation.variables.get("REPLICAS").and_then(|text| text.parse().ok());
    stated.filter(|count| *count > 0).unwrap_or(1)
}

impl Tool {
    /// The field that names a tool.
    const fn field(self) -> &'static str {
        match self {
            Self::Vllm | Self::Sglang | Self::Trtllm | Self::Llamacpp => "inference.engine",
            Self::Megatron | Self::Bridge | Self::Torchtitan => "recipe.framework",
        }
    }

    /// Its name in that field; torchtitan's overheads were not fitted.
    const fn word(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::Trtllm => "trtllm",
            Self::Llamacpp => "llamacpp",
            Self::Megatron => "megatron",
            Self::Bridge => "nemo",
            Self::Torchtitan => "typical",
        }
    }

    /// Returns true if a flag that is absent has the tool's default, rather than that of a recipe elsewhere.
    pub(super) const fn has_defaults(self) -> bool {
        !matches!(self, Self::Bridge)
    }
}
