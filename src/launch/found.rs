//! The settings collected while commands are read.

use super::flag::{Arguments, Flag, Sets, is_on};
use super::role::Role;
use super::tool::Tool;
use super::weights;
use crate::scenario::fields::Value;
use crate::scenario::{Facts, Given, Scenario, names};

/// The settings collected while commands are read.
pub(super) struct Found<'a> {
    /// The scenario before the commands.
    pub(super) current: &'a Scenario,
    /// The scenario fields found so far.
    pub(super) facts: Facts,
    remarks: Vec<String>,
}

impl<'a> Found<'a> {
    /// No settings yet.
    pub(super) fn new(current: &'a Scenario) -> Self {
        Self { current, facts: Facts::default(), remarks: Vec::new() }
    }

    /// The scenario fields and the remarks.
    pub(super) fn into_parts(self) -> (Facts, Vec<String>) {
        (self.facts, self.remarks)
    }

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
    pub(super) fn fields(&mut self, tool: Tool, flags: &[Flag], given: &Arguments) {
        let complete = tool.has_defaults();
        for flag in flags {
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
