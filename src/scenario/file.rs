//! A scenario as a file, by the tables of links: what the page reads and writes.
//!
//! Natively `serde` reads the same documents ([`Scenario::from_json`]) and says where a mistake stands; here that would
//! take more code than the rest of the page's second program.

use std::fmt::Write;

use super::link::KEYS;
use super::{Problem, Scenario, VERSION};
use crate::document::{Fault, Object, Value, json};

impl Scenario {
    /// Reads a document as [`Scenario::from_json`] does. An unknown field is an error that names the nearest known one.
    pub fn from_file(text: &str) -> Result<Self, Vec<Problem>> {
        let Some(Value::Object(document)) = json::parse(text) else {
            return Err(vec![Problem::new("document", "is no JSON object")]);
        };
        let mut scenario = Self::default();
        for (name, value) in document.iter() {
            scenario.read(name, value).map_err(|fault| {
                let path = fault.path.join(".");
                vec![Problem::new(if path.is_empty() { name } else { &path }, fault.to_string())]
            })?;
        }
        Ok(scenario)
    }

    fn read(&mut self, name: &str, value: &Value) -> Result<(), Fault> {
        if name == "version" {
            let known = value.as_whole() == Some(VERSION.into());
            return if known {
                Ok(())
            } else {
                Err(Fault::expected(&VERSION.to_string(), value).below(name))
            };
        }
        if name == "constants" { self.read_constants(value) } else { self.read_at(name, value) }
    }

    /// Reads the field or the group of fields at a path.
    fn read_at(&mut self, path: &str, value: &Value) -> Result<(), Fault> {
        let below = |fault: Fault| path.rsplit('.').fold(fault, Fault::below);
        if KEYS.iter().any(|(_, known)| *known == path) {
            return self.put(path, value).map_err(below);
        }
        let (group, field) = path.rsplit_once('.').unwrap_or(("", path));
        let known = names(group);
        if !known.contains(&field) {
            return Err(below(Fault::unknown("field", field, &known)));
        }
        let Value::Object(given) = value else { return Err(below(Fault::expected("an object", value))) };
        given.iter().try_for_each(|(field, value)| self.read_at(&format!("{path}.{field}"), value))
    }

    fn read_constants(&mut self, value: &Value) -> Result<(), Fault> {
        let Value::Object(given) = value else {
            return Err(Fault::expected("an object", value).below("constants"));
        };
        for (key, value) in given.iter() {
            let number = value
                .as_number()
                .ok_or_else(|| Fault::expected("a number", value).below(key).below("constants"))?;
            self.constants.insert(key.to_owned(), number);
        }
        Ok(())
    }

    /// The document that means this scenario, in full.
    pub fn to_file(&self) -> String {
        let mut document = Object::default();
        *document.slot("version") = Value::Whole(VERSION.into());
        for (_, path) in KEYS {
            let value = self.at(path).unwrap_or(Value::Null);
            put_at(&mut document, path, value);
        }
        let mut constants = Object::default();
        for (key, value) in &self.constants {
            *constants.slot(key) = Value::Number(*value);
        }
        *document.slot("constants") = Value::Object(constants);
        let mut text = String::new();
        write_value(&mut text, &Value::Object(document), 0);
        text.push('\n');
        text
    }
}

/// The names of the fields and groups in a group of a document, which itself is the group of no name.
fn names(group: &str) -> Vec<&'static str> {
    let mut names = if group.is_empty() { vec!["version", "constants"] } else { Vec::new() };
    for (_, path) in KEYS {
        let inside = if group.is_empty() {
            Some(*path)
        } else {
            path.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'))
        };
        let first = inside.and_then(|inside| inside.split('.').next());
        names.extend(first.filter(|first| !names.contains(first)));
    }
    names
}

/// Puts a value where a path says, in groups that are made as they are needed.
fn put_at(object: &mut Object, path: &str, value: Value) {
    let Some((group, rest)) = path.split_once('.') else {
        *object.slot(path) = value;
        return;
    };
    let slot = object.slot(group);
    if *slot == Value::Null {
        *slot = Value::Object(Object::default());
    }
    if let Value::Object(inner) = slot {
        put_at(inner, rest, value);
    }
}

/// Writes a value as JSON. Objects stand on lines of their own.
fn write_value(text: &mut String, value: &Value, depth: usize) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => write!(text, "null"),
        Value::Bool(flag) => write!(text, "{flag}"),
        Value::Whole(whole) => write!(text, "{whole}"),
        // JSON has no other numbers.
        Value::Number(number) if !number.is_finite() => write!(text, "null"),
        Value::Number(number) => write!(text, "{number:e}"),
        Value::Text(plain) => write!(text, "{}", json::quoted(plain)),
        Value::List(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                text.push_str(if position > 0 { ", " } else { "" });
                write_value(text, item, depth);
            }
            write!(text, "]")
        }
        Value::Object(fields) => {
            text.push('{');
            for (position, (name, value)) in fields.iter().enumerate() {
                let comma = if position > 0 { "," } else { "" };
                let _ = write!(text, "{comma}\n{:1$}{name}: ", "", 2 * depth + 2, name = json::quoted(name));
                write_value(text, value, depth + 1);
            }
            if fields.is_empty() { write!(text, "}}") } else { write!(text, "\n{:1$}}}", "", 2 * depth) }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn files_are_those_that_serde_reads_and_writes() {
        for link in [
            "",
            "v=1&view=inference&tokens=1.5e300&zero=0&constants.reserve=2.5e9",
            "gpu=h100-sxm&gpu.dram.capacity_gib=144&model=mixtral-8x7b&model.layers=16",
            "offload.activations=true&place.tp=4",
        ] {
            let scenario = link::decode(link).scenario;
            let (ours, theirs) = (scenario.to_file(), serde_json::to_string(&scenario).unwrap());
            for text in [&ours, &theirs] {
                assert_eq!(Scenario::from_file(text).as_ref(), Ok(&scenario), "{text}");
                assert_eq!(Scenario::from_json(text).as_ref(), Ok(&scenario), "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("", "document: is no JSON object"),
            ("[]", "document: is no JSON object"),
            (r#"{"version": 2}"#, "version: expected 1, not 2"),
            (r#"{"modle": 1}"#, "did you mean `model`?"),
            (r#"{"system": {"gpuss": 1}}"#, "system.gpuss: unknown field `gpuss`"),
            (r#"{"system": 7}"#, "system: expected an object, not 7"),
            (
                r#"{"parallelism": {"placement": {"tensr": 1}}}"#,
                "parallelism.placement.tensr: unknown field `tensr`",
            ),
            (r#"{"system": {"gpus": "many"}}"#, "system.gpus: expected a whole number"),
            (r#"{"constants": {"reserve": "much"}}"#, "constants.reserve: expected a number"),
        ] {
            let problems = Scenario::from_file(text).unwrap_err();
            assert!(problems[0].to_string().contains(says), "{problems:?}");
            assert!(Scenario::from_json(text).is_err() || text == "[]", "{text}");
        }
        let deep = format!("{}1", "[".repeat(1_000_000));
        assert!(Scenario::from_file(&deep).is_err());
    }
}
