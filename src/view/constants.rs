//! The fitted constants of a question's device, or the scaling numbers of the Technology view, in groups.

use serde::{Deserialize, Serialize};

use crate::catalog::technology;
use crate::catalog::technology_numbers::Listed;
use crate::scenario::{Problem, Scenario, View};
use crate::system::calibration::{ListedConstant, listed};
use crate::units::format;

/// All constants that a question can replace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constants {
    /// Owner of the constants: a device's name, or `nodes, memories and links`.
    pub of: String,
    /// Scope of a change, in one sentence without a full stop.
    pub scope: String,
    /// True if the question replaces any constant, also of another device.
    pub edited: bool,
    /// The constants, by the beginnings of their keys.
    pub groups: Vec<Group>,
}

/// Constants of one kernel or one technology.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Common prefix of the constants' keys, e.g. `matmul.bf16`; empty for single constants.
    pub name: String,
    /// Mean error on measurements outside the fit, as a fraction, if known.
    #[serde(with = "crate::units::exact::option")]
    pub error: Option<f64>,
    /// Measurements that the group was fitted on, and others that it was scored on.
    pub rows: Option<(u32, u32)>,
    /// Source of all constants of the group; empty if each has its own [`Constant::source`].
    pub source: String,
    /// The constants.
    pub constants: Vec<Constant>,
}

impl Group {
    /// Returns true if the question replaces one of them.
    pub fn edited(&self) -> bool {
        self.constants.iter().any(|constant| constant.edited.is_some())
    }
}

/// One constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// The key under which a scenario's `constants` replace it, e.g. `matmul.bf16.compute_efficiency`.
    pub key: String,
    /// The last part of the key in words, e.g. `compute efficiency`.
    pub name: String,
    /// Unit; empty for a ratio.
    pub unit: String,
    /// Meaning, in one sentence without a full stop.
    pub meaning: String,
    /// The fitted or published value.
    #[serde(with = "crate::units::exact")]
    pub value: f64,
    /// The value that the question has in its place.
    #[serde(with = "crate::units::exact::option")]
    pub edited: Option<f64>,
    /// The lowest value that is accepted.
    #[serde(with = "crate::units::exact")]
    pub low: f64,
    /// The highest value that is accepted.
    #[serde(with = "crate::units::exact")]
    pub high: f64,
    /// Source, if the group has no common one.
    pub source: String,
}

impl Constants {
    /// The constants of the question's device; for the Technology view the scaling numbers.
    pub fn of(scenario: &Scenario) -> Result<Self, Problem> {
        let technology = scenario.view == View::Technology;
        let (of, constants) = if technology {
            ("nodes, memories and links".to_owned(), scaling())
        } else {
            let device = scenario.system.accelerator()?;
            let constants = listed(&device, scenario.assumed().library);
            (device.name, constants)
        };
        let scope = if technology {
            "A change counts in this view and in the link"
        } else {
            "A change counts in every view, in the link, and in the errors of rows measured on such devices"
        };
        let mut groups: Vec<(&str, Vec<&ListedConstant>)> = Vec::new();
        for constant in &constants {
            let group = constant.key.rsplit_once('.').map_or("", |(group, _)| group);
            match groups.last_mut() {
                Some((last, members)) if *last == group => members.push(constant),
                _ => groups.push((group, vec![constant])),
            }
        }
        Ok(Self {
            of,
            scope: scope.to_owned(),
            edited: !scenario.constants.is_empty(),
            groups: groups.into_iter().map(|(name, members)| group(scenario, name, &members)).collect(),
        })
    }
}

/// The scaling numbers in the form of fitted constants.
fn scaling() -> Vec<ListedConstant> {
    let constant = |number: &Listed| {
        let (low, high) = number.range();
        ListedConstant {
            key: format!("technology.{}", number.key()),
            unit: number.what.unit,
            meaning: number.what.meaning,
            value: number.sourced.value,
            low,
            high,
            source: format!("{}. Confidence: {}", number.sourced.source, number.sourced.confidence.name()),
            error: None,
            rows: None,
        }
    };
    technology().listed().iter().map(constant).collect()
}

fn group(scenario: &Scenario, name: &str, members: &[&ListedConstant]) -> Group {
    let first = members.first();
    // Fitted constants come from one file, scaling numbers each from a publication of its own.
    let shared = first.filter(|first| members.iter().all(|constant| constant.source == first.source));
    Group {
        name: name.to_owned(),
        error: first.and_then(|first| first.error),
        rows: first.and_then(|first| first.rows),
        source: shared.map(|first| first.source.clone()).unwrap_or_default(),
        constants: members.iter().map(|member| constant(scenario, member, shared.is_some())).collect(),
    }
}

fn constant(scenario: &Scenario, listed: &ListedConstant, shared: bool) -> Constant {
    let ListedConstant { key, unit, meaning, value, low, high, source, .. } = listed;
    Constant {
        key: key.clone(),
        name: key.rsplit('.').next().unwrap_or(key).replace('_', " "),
        unit: (*unit).to_owned(),
        meaning: meaning.trim_end_matches('.').to_owned(),
        value: *value,
        edited: scenario.constants.get(key).copied(),
        low: *low,
        high: *high,
        source: if shared { String::new() } else { source.clone() },
    }
}

/// Four significant digits at most, with an exponent if the number is large or small: the text of a field that nobody has
/// edited.
pub fn rounded(value: f64) -> String {
    written(format::significant(value, 4))
}

/// The shortest digits that represent this number, with an exponent if it is large or small: the text of a field.
pub fn written(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(constants: &'a Constants, key: &str) -> &'a Constant {
        let mut all = constants.groups.iter().flat_map(|group| &group.constants);
        all.find(|constant| constant.key == key).expect("a constant")
    }

    #[test]
    fn edits_are_marked() {
        let key = "matmul.bf16.compute_efficiency";
        let mut scenario = Scenario::default();
        let plain = Constants::of(&scenario).expect("a known device");
        assert!(!plain.edited && plain.groups.iter().all(|group| !group.edited()));
        let fitted = find(&plain, key);
        assert_eq!((fitted.edited, &*fitted.name), (None, "compute efficiency"));
        assert!((fitted.low..=fitted.high).contains(&fitted.value));
        scenario.constants.insert(key.to_owned(), 0.5);
        let edited = Constants::of(&scenario).expect("a known device");
        assert_eq!((find(&edited, key).edited, find(&edited, key).value), (Some(0.5), fitted.value));
        assert_eq!(edited.groups.iter().filter(|group| group.edited()).count(), 1);
        assert!(edited.groups.iter().any(|group| group.error.is_some() && group.rows.is_some()));
    }

    #[test]
    fn scaling_numbers_say_their_confidence() {
        let scenario = Scenario { view: View::Technology, ..Scenario::default() };
        let constants = Constants::of(&scenario).expect("scaling numbers");
        let sources = |constant: &Constant, group: &Group| format!("{}{}", group.source, constant.source);
        let all: Vec<String> = constants
            .groups
            .iter()
            .flat_map(|group| group.constants.iter().map(|constant| sources(constant, group)))
            .collect();
        assert!(all.iter().all(|source| source.contains("Confidence: ")));
        let low = all.iter().filter(|source| source.contains("Confidence: low")).count();
        assert!(low > 0 && low < all.len(), "{low} of {}", all.len());
        assert!(find(&constants, "technology.hbm3e.gb_s").value > 0.0);
    }

    #[test]
    fn an_unknown_device_is_refused() {
        let scenario = crate::scenario::link::decode("v=1&gpu=%3Cb%3E").scenario;
        assert!(Constants::of(&scenario).is_err());
    }

    #[test]
    fn small_numbers_are_legible() {
        assert_eq!(
            [written(0.0), written(0.93), written(2.5e-6), written(6.4e10)],
            ["0", "0.93", "2.5e-6", "6.4e10"]
        );
        assert_eq!([0.004_708_762, 2.499_999_9e-5, 1.61e9].map(rounded), ["0.004709", "2.5e-5", "1.61e9"]);
    }
}
