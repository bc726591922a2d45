//! Writes a launch command as shell text, with notes on settings that the tool has no flag for.

use serde::{Deserialize, Serialize};

use super::flag::Sets;
use super::pool::Role;
use super::refusal::Refusal;
use super::weights::Weights;
use super::{Tool, bridge, llamacpp, megatron, mlx, sglang, torchtitan, trl, trtllm, vllm};
use crate::scenario::fields::{self, Value};
use crate::scenario::{Choice, Scenario, View};
use crate::training::Optimizer;

/// The shell commands that start the servers, or the training job, of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The software, e.g. `vLLM`.
    pub tool: String,
    /// The source of the flags: repository and commit.
    pub version: String,
    /// The commands, as shell text.
    pub text: String,
    /// Settings that the commands omit or assume: one sentence each, without a full stop.
    pub notes: Vec<String>,
}

impl Command {
    /// The commands that start a tool with the settings of a question. If it has none, the text is a comment that says why.
    pub fn of(question: &Scenario, tool: Tool) -> Self {
        if let Some(refusal) = Refusal::of(question, tool) {
            let text = format!("# No command: {refusal}\n");
            return Self::from_parts(tool, text, refusal.notes());
        }
        let mut writer = Writer { question, tool, text: String::new(), notes: Vec::new() };
        match tool {
            Tool::Vllm => vllm::write(&mut writer),
            Tool::Sglang => sglang::write(&mut writer),
            Tool::Trtllm => trtllm::write(&mut writer),
            Tool::Llamacpp => llamacpp::write(&mut writer),
            Tool::Mlx => mlx::write(&mut writer),
            Tool::Trl => trl::write(&mut writer),
            Tool::Megatron => megatron::write(&mut writer),
            Tool::Bridge => bridge::write(&mut writer),
            Tool::Torchtitan => torchtitan::write(&mut writer),
        }
        if tool.view() == View::Inference && question.inference.expert_gpus > 0 {
            writer.lacks("inference.expert_gpus");
        }
        let Writer { text, notes, .. } = writer;
        Self::from_parts(tool, text, notes)
    }

    fn from_parts(tool: Tool, text: String, notes: Vec<String>) -> Self {
        Self { tool: tool.name().to_owned(), version: tool.version().to_owned(), text, notes }
    }
}

/// Collects the text and the notes of a [`Command`].
pub(super) struct Writer<'a> {
    pub(super) question: &'a Scenario,
    tool: Tool,
    text: String,
    notes: Vec<String>,
}

/// One command and its arguments, in order.
#[derive(Default)]
pub(super) struct Line(Vec<String>);

impl Line {
    /// A command without arguments: its program, and any words that precede the flags.
    pub(super) fn new(start: impl Into<String>) -> Self {
        Self(vec![start.into()])
    }

    /// Appends a flag that takes no value.
    pub(super) fn switch(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    /// Appends a flag with its value, quoted for the shell: `--name value`, or `key=value` if the name has no leading
    /// dash.
    pub(super) fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        let quoted = shlex::try_quote(&value).map(std::borrow::Cow::into_owned).unwrap_or_default();
        let between = if name.starts_with('-') { ' ' } else { '=' };
        self.0.push(format!("{name}{between}{quoted}"));
    }

    /// Appends a flag with several values.
    pub(super) fn values(&mut self, name: &str, values: &[&str]) {
        self.0.push(format!("{name} {}", values.join(" ")));
    }

    /// Appends a flag whose value has shell variables, in double quotes.
    pub(super) fn variable(&mut self, name: &str, text: &str) {
        self.0.push(format!("{name} \"{text}\""));
    }

    /// Appends the port of a server of separate pools, of which both kinds may run on one machine.
    pub(super) fn port(&mut self, role: Role) {
        match role {
            Role::Both => {}
            Role::Prefill => self.value("--port", 8100),
            Role::Decode => self.value("--port", 8200),
        }
    }

    /// Appends a parallelism degree, unless it is 1.
    pub(super) fn degree(&mut self, name: &str, degree: u32) {
        if degree > 1 {
            self.value(name, degree);
        }
    }
}

impl Writer<'_> {
    /// Adds a note: a sentence without a full stop on a setting that the command omits or assumes.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Appends a line of text unchanged.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Appends a command, one flag per line.
    pub(super) fn command(&mut self, line: &Line) {
        self.line(&line.0.join(" \\\n  "));
    }

    /// Appends `MODEL=…` for the weights' number format, and a note if that format needs a checkpoint other than the
    /// published one.
    pub(super) fn checkpoint(&mut self, weights: Weights) {
        self.model(&weights.suffix());
        if let Some(note) = weights.note(self.tool.name()) {
            self.note(note);
        }
    }

    /// Appends a heading for a server that only prefills or only decodes, with its device if the two have different ones.
    pub(super) fn heading(&mut self, role: Role) {
        let question = self.question;
        let of_decode = || question.system.accelerator().map_or_else(|_| String::new(), |device| device.name);
        let prefill = question.prefill_device(&question.inference);
        let (phase, device) = match role {
            Role::Both => return,
            Role::Prefill => ("Prefill", prefill.map(|device| device.name.clone())),
            Role::Decode => ("Decode", prefill.map(|_| of_decode())),
        };
        self.line(&device.map_or_else(|| format!("# {phase}"), |device| format!("# {phase} on {device}")));
    }

    /// Appends `MODEL=…`. `suffix` is the end of the checkpoint's name, which gives its number format.
    pub(super) fn model(&mut self, suffix: &str) {
        self.placeholder("MODEL", suffix, "the path or Hugging Face name");
    }

    /// Appends a shell variable with the model's id and a suffix, which stands for `what` of the model.
    pub(super) fn placeholder(&mut self, variable: &str, suffix: &str, what: &str) {
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
        self.line(&format!("{variable}={id}  # set to {what} of {shown}"));
    }

    /// Appends `REPLICAS=…` for a server that is started more than once, and for one that follows such a server, since
    /// a variable of the shell keeps its value.
    pub(super) fn replicas(&mut self, servers: u32) {
        if servers > 1 {
            self.line(&format!("REPLICAS={servers}  # start this many servers behind a load balancer"));
        } else if self.text.contains("REPLICAS=") {
            self.line("REPLICAS=1  # one server");
        }
    }

    /// Appends the flags that map to a single field each. Values equal to the tool's default are omitted, unless the
    /// defaults come from a recipe file.
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
                Sets::Number(path) | Sets::Limit(path) => {
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

    /// Host memory for the prefix cache, GiB per GPU, of a server that prefills. Adds a note on SSDs, which no flag sets.
    pub(super) fn host_cache(&mut self, role: Role) -> Option<f64> {
        let load = &self.question.inference;
        let (host, ssd) = (load.host_cache_gib, load.ssd_cache_gib);
        if role == Role::Decode {
            return None;
        }
        if ssd > 0.0 {
            self.lacks("inference.ssd_cache_gib");
        }
        (host > 0.0).then_some(host)
    }

    /// Adds a note about the program that stands before separate pools for prefill and decoding.
    pub(super) fn router(&mut self, program: &str) {
        if self.question.inference.prefill_workers > 0 {
            self.note(format!(
                "Requests go to a router, which has their prompts prefilled in one pool and decoded in the other: start {program}"
            ));
        }
    }

    /// Adds a note that the tool has no flag for a field's value.
    pub(super) fn lacks(&mut self, path: &str) {
        if let Some(field) = fields::field(path) {
            let (name, value) = (field.name(), field.shown(self.question));
            self.note(format!("{} has no flag for {name}: {value}", self.tool.name()));
        }
    }

    /// Adds notes on the parts of a training recipe that no command of this tool sets: all optimizers but `AdamW` with 32-bit
    /// state, and an output head in chunks.
    pub(super) fn recipe(&mut self) {
        let recipe = self.question.recipe;
        for (path, set) in [
            ("recipe.optimizer", recipe.optimizer != Optimizer::Adam),
            ("recipe.loss_chunks", recipe.loss_chunks > 1),
        ] {
            if set {
                self.lacks(path);
            }
        }
    }

    /// The number in the field at this path.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.question.at(path).and_then(Value::as_number)
    }
}
