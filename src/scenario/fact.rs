//! Scenario fields read from a file or a command line.

use super::Scenario;
use super::fields::{self, Field, Value};

/// A scenario field and the value read for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The document path, e.g. `inference.tensor`.
    pub path: &'static str,
    /// Value of the field.
    pub value: Given,
}

/// The value of a [`Fact`].
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A boolean.
    Switch(bool),
    /// A number; a whole number if it has no fractional part.
    Number(f64),
    /// The name of a variant or of a catalogue entry.
    Text(String),
    /// No value: an optional field is left out.
    Absent,
}

impl Fact {
    /// Name and value of the field for display. If `scenario`, to which the fact was applied, kept another value, a
    /// note says that the fact is out of range.
    pub fn shown(&self, scenario: &Scenario) -> [String; 2] {
        let Some(field) = fields::field(self.path) else { return [self.path.to_owned(), String::new()] };
        let (name, kept) = (field.name(), field.shown(scenario));
        let held = field.get(scenario);
        let same = match (&self.value, held.as_number()) {
            (Given::Number(given), Some(held)) => (held - given).abs() <= 1e-9 * given.abs(),
            (given, _) => given.value() == held,
        };
        if same {
            return [name, kept];
        }
        let said = match &self.value {
            Given::Switch(on) => on.to_string(),
            Given::Number(number) => number.to_string(),
            Given::Text(text) => text.clone(),
            Given::Absent => String::new(),
        };
        [name, format!("{said} is out of range; {kept} is kept")]
    }
}

impl Given {
    /// The value as the type that fields take.
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Switch(on) => Value::Switch(*on),
            Self::Number(number) => Value::of_number(*number),
            Self::Text(text) => Value::Text(text),
            Self::Absent => Value::Absent,
        }
    }
}

/// Scenario fields read from a document, each once, in the order in which they were last set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(Vec<Fact>);

impl Facts {
    /// Paths of the fields that define the load: batch, concurrency or request rate.
    pub const LOAD: [&'static str; 3] = ["inference.batch", "inference.concurrency", "inference.rate"];

    /// Sets a field. The last value wins.
    pub fn set(&mut self, path: &'static str, value: Given) {
        self.0.retain(|fact| fact.path != path);
        self.0.push(Fact { path, value });
    }

    /// Sets a field to a number; ignored if absent or not finite.
    pub fn number(&mut self, path: &'static str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.set(path, Given::Number(value));
        }
    }

    /// Sets a field to a whole number below 2^32; ignored if absent or any other number.
    pub fn whole(&mut self, path: &'static str, value: impl Into<Option<f64>>) {
        let whole = |value: &f64| *value >= 0.0 && *value < 4_294_967_296.0 && value.fract() == 0.0;
        self.number(path, value.into().filter(whole));
    }

    /// Sets a field to the name of a variant.
    pub fn text(&mut self, path: &'static str, name: impl Into<String>) {
        self.set(path, Given::Text(name.into()));
    }

    /// The value of a field.
    pub fn get(&self, path: &str) -> Option<&Given> {
        self.0.iter().find(|fact| fact.path == path).map(|fact| &fact.value)
    }

    /// The value of a field, if it is a number.
    pub fn number_of(&self, path: &str) -> Option<f64> {
        self.get(path)?.value().as_number()
    }

    /// All facts.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.0.iter()
    }

    /// Sets the fields of a scenario. If they include the load, the scenario's whole load is reset first, with its
    /// rounds and number of requests. Values that are out of range or of the wrong type are ignored.
    pub fn apply(&self, scenario: &mut Scenario) {
        if Self::LOAD.iter().any(|path| self.get(path).is_some()) {
            let load = &mut scenario.inference;
            (load.batch, load.concurrency, load.rate) = (1, 0, 0.0);
            (load.rounds, load.requests) = (0, 0);
        }
        for Fact { path, value } in &self.0 {
            let value = value.value();
            let within = |field: &Field| match (field.range(), value.as_number()) {
                (Some((low, high)), Some(number)) => (low..=high).contains(&number),
                _ => true,
            };
            if fields::field(path).is_some_and(within) {
                // A type mismatch leaves the field unchanged.
                drop(scenario.put(path, value));
            }
        }
    }
}
