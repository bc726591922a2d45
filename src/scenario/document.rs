//! A scenario as a JSON document.

use super::fields::field;
use super::{Problem, Scenario, VERSION};
use crate::catalog::{nearest, suggestion};
use crate::json::{Fault, Json};

/// The problem in one sentence without a full stop; for an unknown name, with the nearest known one.
pub(super) fn explained(fault: &Fault) -> String {
    const LONGEST: usize = 1000;
    let message = fault.message();
    if message.len() > LONGEST {
        // An unknown name is part of the message.
        return message.chars().take(LONGEST / 4).chain(['…']).collect();
    }
    // serde quotes the unknown name first, then every name that it expected.
    let mut quoted = message.split('`').skip(1).step_by(2);
    let near = match (message.starts_with("unknown "), quoted.next()) {
        (true, Some(unknown)) => nearest(unknown, quoted),
        _ => None,
    };
    message.to_owned() + &suggestion(near)
}

/// A fault as a problem of the field that it is in.
fn refused(fault: &Fault) -> Problem {
    let path = fault.path().join(".");
    let wanted = field(&path).and_then(|field| field.wanted(&Scenario::default()));
    let message = match (wanted, fault.found()) {
        (Some(wanted), Some(found)) => format!("must be {wanted}, not {found}"),
        _ => explained(fault),
    };
    let field = if path.is_empty() { "document".to_owned() } else { path };
    Problem::new(field, message)
}

impl Scenario {
    /// Reads a document. An unknown field is an error that names the nearest known one; a missing one takes
    /// the default of the document's version, inside a group as well.
    pub fn from_json(text: &str) -> Result<Self, Vec<Problem>> {
        if !text.trim_start().starts_with('{') {
            return Err(vec![Problem::new("document", "is no JSON object")]);
        }
        let tree = Json::parse(text).map_err(|fault| vec![refused(&fault)])?;
        Self::of_json(&tree)
    }

    /// Reads a document that is a tree already.
    pub fn of_json(tree: &Json<'_>) -> Result<Self, Vec<Problem>> {
        let scenario: Self = tree.read().map_err(|fault| vec![refused(&fault)])?;
        if scenario.version == VERSION {
            Ok(scenario)
        } else {
            let message = format!("{} is not a version that exists: use {VERSION}", scenario.version);
            Err(vec![Problem::new("version", message)])
        }
    }

    /// The document that means this scenario, in full.
    pub fn to_json(&self) -> String {
        // A scenario has names for keys and no type that fails to serialize.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn documents_are_read_as_they_were_written() {
        for link in [
            "",
            "v=1&view=inference&tokens=1.5e300&zero=0&constants.reserve=2.5e9",
            "gpu=h100-sxm&gpu.dram.capacity_gib=144&model=mixtral-8x7b&model.layers=16",
            "offload.activations=true&place.tp=4&pod=16",
        ] {
            let scenario = link::decode(link).scenario;
            assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario), "{link}");
        }
    }

    /// A group that is left out and a group without fields mean the same.
    #[test]
    fn a_missing_field_has_the_documents_default() {
        let default = Scenario::default();
        let groups = serde_json::to_value(&default).unwrap();
        for group in groups.as_object().unwrap().iter().filter(|(_, value)| value.is_object()) {
            let text = format!(r#"{{"{}": {{}}}}"#, group.0);
            assert_eq!(Scenario::from_json(&text).as_ref(), Ok(&default), "{text}");
        }
        let tensor = Scenario::from_json(r#"{"parallelism": {"tensor": 2, "placement": {}}}"#).unwrap();
        assert_eq!((tensor.parallelism.tensor, tensor.parallelism.pipeline), (2, 4));
        let written = Scenario::from_json(r#"{"parallelism": {"tensor": 2.0}}"#).unwrap();
        assert_eq!(written.parallelism.tensor, 2);
    }

    #[test]
    fn problems_name_field_and_nearest_name() {
        for (text, says) in [
            ("", "document: is no JSON object"),
            ("[]", "document: is no JSON object"),
            ("{", "document: EOF while parsing"),
            ("{} 1", "document: trailing characters"),
            (r#"{"version": 2}"#, "version: 2 is not a version that exists: use 1"),
            (r#"{"modle": 1}"#, "did you mean `model`?"),
            (r#"{"model": 1}"#, "model: must be the id of a catalogue entry, or an entry spelled out, not 1"),
            (r#"{"system": {"gpuss": 1}}"#, "system.gpuss: unknown field `gpuss`"),
            (r#"{"system": 7}"#, "system: must be an object, not 7"),
            (
                r#"{"parallelism": {"placement": {"tensr": 1}}}"#,
                "parallelism.placement.tensr: unknown field `tensr`",
            ),
            (r#"{"parallelism": {"recompute": "ful"}}"#, "did you mean `full`?"),
            (
                r#"{"system": {"gpus": "many"}}"#,
                "system.gpus: must be a whole number from 1 to 1,048,576, not the text \"many\"",
            ),
            (
                r#"{"system": {"gpus": 64.5}}"#,
                "system.gpus: must be a whole number from 1 to 1,048,576, not 64.5",
            ),
            (r#"{"constants": {"reserve": "much"}}"#, "constants.reserve: must be a number, not the text"),
        ] {
            let problems = Scenario::from_json(text).unwrap_err();
            assert!(problems[0].to_string().contains(says), "{text}: {problems:?}");
        }
        let long = format!(r#"{{"view": "{}"}}"#, "a".repeat(1_000_000));
        assert!(Scenario::from_json(&long).unwrap_err()[0].message.len() < 1000);
        assert!(Scenario::from_json(&"[".repeat(1_000_000)).is_err());
    }
}
