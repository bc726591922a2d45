//! Writes the text of a launch command, with notes on settings that the tool has no flag for.

use super::flag::{Flag, Sets};
use super::line::Line;
use super::role::Role;
use super::tool::Tool;
use super::weights::Weights;
use crate::scenario::fields::{self, Value};
use crate::scenario::{Choice, Scenario};
use crate::training::Optimizer;

/// Collects the text and the notes of a launch command.
pub(super) struct Writer<'a> {
    pub(super) question: &'a Scenario,
    tool: Tool,
    text: String,
    notes: Vec<String>,
}

impl<'a> Writer<'a> {
    /// A writer without text and notes.
    pub(super) const fn new(question: &'a Scenario, tool: Tool) -> Self {
        Self { question, tool, text: String::new(), notes: Vec::new() }
    }

    /// The text and the notes.
    pub(super) fn into_parts(self) -> (String, Vec<String>) {
        (self.text, self.notes)
    }

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
        self.line(&line.text());
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
    pub(super) fn fields(&mut self, line: &mut Line, flags: &[Flag]) {
        let all = !self.tool.has_defaults();
        for flag in flags {
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
