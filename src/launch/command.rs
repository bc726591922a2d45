//! A command as text, and what it cannot say.

use serde::{Deserialize, Serialize};

use super::flag::Sets;
use super::pool::Role;
use super::weights::Weights;
use super::{Tool, bridge, llamacpp, megatron, sglang, torchtitan, trtllm, vllm};
use crate::scenario::fields::{self, Value};
use crate::scenario::{Choice, Scenario};

/// The commands that start what a question asks about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The software, e.g. `vLLM`.
    pub tool: String,
    /// Where its flags were read: repository and commit.
    pub version: String,
    /// Shell text.
    pub text: String,
    /// What the text leaves out or assumes, in sentences without a full stop.
    pub notes: Vec<String>,
}

impl Command {
    /// The command that starts a tool as a question says.
    pub fn of(question: &Scenario, tool: Tool) -> Self {
        let mut writer = Writer { question, tool, text: String::new(), notes: Vec::new() };
        match tool {
            Tool::Vllm => vllm::write(&mut writer),
            Tool::Sglang => sglang::write(&mut writer),
            Tool::Trtllm => trtllm::write(&mut writer),
            Tool::Llamacpp => llamacpp::write(&mut writer),
            Tool::Megatron => megatron::write(&mut writer),
            Tool::Bridge => bridge::write(&mut writer),
            Tool::Torchtitan => torchtitan::write(&mut writer),
        }
        let Writer { text, notes, .. } = writer;
        Self { tool: tool.name().to_owned(), version: tool.version().to_owned(), text, notes }
    }
}

/// A text that grows command by command.
pub(super) struct Writer<'a> {
    pub(super) question: &'a Scenario,
    tool: Tool,
    text: String,
    notes: Vec<String>,
}

/// The arguments of one command.
#[derive(Default)]
pub(super) struct Line(Vec<String>);

impl Line {
    /// A command that begins with these words.
    pub(super) fn new(start: impl Into<String>) -> Self {
        Self(vec![start.into()])
    }

    /// A flag without a value.
    pub(super) fn switch(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    /// A flag and its value; `key=value` where the name has no dash.
    pub(super) fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        let quoted = shlex::try_quote(&value).map(std::borrow::Cow::into_owned).unwrap_or_default();
        let between = if name.starts_with('-') { ' ' } else { '=' };
        self.0.push(format!("{name}{between}{quoted}"));
    }

    /// A degree, unless it is 1.
    pub(super) fn degree(&mut self, name: &str, degree: u32) {
        if degree > 1 {
            self.value(name, degree);
        }
    }
}

impl Writer<'_> {
    /// A sentence on what the command leaves out or assumes.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// A line of text as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A command, one flag a line.
    pub(super) fn command(&mut self, line: &Line) {
        self.line(&line.0.join(" \\\n  "));
    }

    /// `MODEL=…` for the format of the weights, and a note where only another checkpoint has it.
    pub(super) fn checkpoint(&mut self, weights: Weights) {
        self.model(&weights.suffix());
        if let Some(note) = weights.note(self.tool.name()) {
            self.note(note);
        }
    }

    /// A comment above a server that only prefills or only decodes.
    pub(super) fn heading(&mut self, role: Role) {
        match role {
            Role::Both => {}
            Role::Prefill => self.line("# Prefill"),
            Role::Decode => self.line("# Decode"),
        }
    }

    /// `MODEL=…`, with the end of a checkpoint's name that gives its number format.
    pub(super) fn model(&mut self, suffix: &str) {
        let (id, name) = match &self.question.model {
            Choice::Named(id) => {
                let known = self.question.architecture().map_or(id.as_str(), |model| &model.name);
                (id.as_str(), known)
            }
            Choice::Explicit(model) => ("your-model", model.name.as_str()),
        };
        let shown: String = name.chars().filter(|mark| !mark.is_control()).collect();
        let id =
            shlex::try_quote(&format!("{id}{suffix}")).map(std::borrow::Cow::into_owned).unwrap_or_default();
        self.line(&format!("MODEL={id}  # put the path or the Hugging Face name of {shown} here"));
    }

    /// `REPLICAS=…` above a server of which there are several.
    pub(super) fn replicas(&mut self, servers: u32) {
        if servers > 1 {
            self.line(&format!(
                "REPLICAS={servers}  # start as many of these servers behind a load balancer"
            ));
        }
    }

    /// The flags of fields that have one each: what differs from the tool's default, or all if a recipe has the defaults.
    pub(super) fn fields(&mut self, line: &mut Line) {
        let all = !self.tool.has_defaults();
        for flag in self.tool.flags() {
            let Some(name) = flag.names.first() else { continue };
            match flag.sets {
                Sets::Degree(path) => {
                    if let Some(degree) = self.number(path).filter(|degree| all || *degree > 1.0) {
                        line.value(name, degree);
                    }
                }
                Sets::Number(path) => {
                    if let Some(number) = self.number(path) {
                        line.value(name, number);
                    }
                }
                Sets::Word(path, pairs) => {
                    let Some(word) = self.question.at(path).and_then(Value::as_text) else { continue };
                    match pairs.iter().position(|(_, known)| *known == word) {
                        Some(0) if !all => {}
                        Some(place) => line.value(name, pairs[place].0),
                        None => self.lacks(path),
                    }
                }
                Sets::Switch(path, on, off) => match self.question.at(path) {
                    Some(value) if value == on.value() && name.starts_with('-') => line.switch(name),
                    Some(value) if value == on.value() => line.value(name, "true"),
                    Some(value) if value == off.value() && all => line.value(name, "false"),
                    Some(value) if value == off.value() => {}
                    _ => self.lacks(path),
                },
                _ => {}
            }
        }
    }

    /// Says that the tool has no flag for a field's value.
    pub(super) fn lacks(&mut self, path: &str) {
        if let Some(field) = fields::field(path) {
            let (name, value) = (field.name(), field.shown(self.question));
            self.note(format!("{} has no flag for {name}: {value}", self.tool.name()));
        }
    }

    fn number(&self, path: &str) -> Option<f64> {
        self.question.at(path).and_then(Value::as_number)
    }
}
