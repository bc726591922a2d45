//! Command-line flags, and the scenario field that each one sets.

use std::iter;

use crate::scenario::Given;
use crate::scenario::fields::Value;

/// A command-line flag of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    /// All names of the flag. The first is the one that is written.
    pub(super) names: &'static [&'static str],
    /// The field that it sets, or how it is handled otherwise.
    pub(super) sets: Sets,
}

/// The scenario field that a flag sets, or how it is handled otherwise. A path is a document path, e.g.
/// `inference.pipeline`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sets {
    /// The numeric field at this path; 1 if the flag is absent.
    Degree(&'static str),
    /// The numeric field at this path; unchanged if the flag is absent.
    Number(&'static str),
    /// The optional numeric field at this path. Without the flag, or with a value that is not positive, the field is left
    /// out, which means the engine's own limit.
    Limit(&'static str),
    /// The word field at this path, with pairs of the flag's value and the field's word. The first pair is the tool's
    /// default. If several pairs have the same word, the first of them is written.
    Word(&'static str, &'static [(&'static str, &'static str)]),
    /// A flag without a value: the field at this path, its value if the flag is present, and its value if absent.
    Switch(&'static str, Is, Is),
    /// A flag with a value that the tool's own module reads.
    Value,
    /// A flag without a value that the tool's own module reads.
    Present,
    /// A flag with a value that does not affect the prediction.
    Neutral,
    /// A flag without a value that does not affect the prediction.
    NeutralSwitch,
    /// A flag with a value that affects speed but is not modelled.
    Beyond,
    /// A flag without a value that affects speed but is not modelled.
    BeyondSwitch,
}

/// Field value that a switch sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Is {
    /// A boolean field.
    Set(bool),
    /// The name of a variant.
    Word(&'static str),
}

impl Is {
    pub(super) fn given(self) -> Given {
        match self {
            Self::Set(on) => Given::Switch(on),
            Self::Word(word) => Given::Text(word.to_owned()),
        }
    }

    pub(super) const fn value(self) -> Value<'static> {
        match self {
            Self::Set(on) => Value::Switch(on),
            Self::Word(word) => Value::Text(word),
        }
    }
}

impl Sets {
    /// Returns true if the flag takes a value.
    const fn takes_value(self) -> bool {
        !matches!(self, Self::Switch(..) | Self::Present | Self::NeutralSwitch | Self::BeyondSwitch)
    }
}

/// A row of a tool's flag table.
pub(super) const fn flag(names: &'static [&'static str], sets: Sets) -> Flag {
    Flag { names, sets }
}

/// The arguments of one invocation, parsed with a tool's flag table.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// Flags in the table with their values, in the order given; `None` if no value was given.
    known: Vec<(&'static Flag, Option<String>)>,
    /// Positional arguments.
    pub(super) words: Vec<String>,
    /// Names of flags that are not in the table.
    pub(super) unknown: Vec<String>,
}

impl Arguments {
    /// Parses words with a flag table: `--name value`, `--name=value`, and `key=value` if the table has the key.
    pub(super) fn of(table: &'static [Flag], words: &[String]) -> Self {
        let mut found = Self::default();
        let mut words = words.iter().map(String::as_str).peekable();
        let is_flag = |word: &str| {
            word.starts_with('-') && !word[1..].starts_with(|mark: char| mark.is_ascii_digit() || mark == '.')
        };
        while let Some(word) = words.next() {
            let (name, joined) = match word.split_once('=') {
                Some((name, value)) if is_flag(word) || named(table, name).is_some() => (name, Some(value)),
                _ => (word, None),
            };
            let row = named(table, name);
            if row.is_none() && !is_flag(word) {
                found.words.push(word.to_owned());
                continue;
            }
            let follows = row.is_none_or(|row| row.sets.takes_value());
            let value = joined
                .map(str::to_owned)
                .or_else(|| words.next_if(|next| follows && !is_flag(next)).map(str::to_owned));
            match row {
                Some(row) => found.known.push((row, value)),
                None => found.unknown.push(name.to_owned()),
            }
        }
        found
    }

    /// The known flags with their values, in the order given.
    pub(super) fn known(&self) -> impl Iterator<Item = (&'static Flag, Option<&str>)> {
        self.known.iter().map(|(flag, value)| (*flag, value.as_deref()))
    }

    /// The value of a flag, looked up by any of its names. The last value wins.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut given = self.known.iter().rev().filter(|(flag, _)| flag.names.contains(&name));
        given.find_map(|(_, value)| value.as_deref())
    }

    /// The values of a flag that takes several: its value and, as argparse reads them, the words that follow.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        let more = self.words.iter().map(String::as_str);
        self.text(name).into_iter().flat_map(move |first| iter::once(first).chain(more.clone()))
    }

    /// The value of a flag, if it is a finite number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let text = self.text(name)?;
        // vLLM reads 8k as 8,000 and 8K as 8,192.
        let units = [('k', 1e3), ('m', 1e6), ('K', 1024.0), ('M', 1024.0 * 1024.0)];
        let scaled = units.into_iter().find_map(|(mark, times)| Some((text.strip_suffix(mark)?, times)));
        let (digits, times) = scaled.unwrap_or((text, 1.0));
        let number = digits.parse::<f64>().ok()? * times;
        number.is_finite().then_some(number)
    }

    /// A parallelism degree: 1 if the flag is absent or its value is not a positive integer.
    pub(super) fn degree(&self, name: &str) -> f64 {
        self.number(name).filter(|degree| *degree >= 1.0 && degree.fract() == 0.0).unwrap_or(1.0)
    }

    /// Returns true if a flag is present and its value is not `false`.
    pub(super) fn has(&self, name: &str) -> bool {
        let mut given = self.known.iter().rev().filter(|(flag, _)| flag.names.contains(&name));
        given.next().is_some_and(|(_, value)| is_on(value.as_deref()))
    }
}

/// Returns true unless the value is `false`: `--name`, `--name true` and `name=True` are on.
pub(super) fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|value| !value.eq_ignore_ascii_case("false"))
}

/// The table row of a flag name. `_` and `-` are equivalent, as in many Python argument parsers.
fn named(table: &'static [Flag], name: &str) -> Option<&'static Flag> {
    let alike = |known: &str| {
        let dashed =
            |text: &str| text.bytes().map(|mark| if mark == b'_' { b'-' } else { mark }).collect::<Vec<_>>();
        known.len() == name.len() && dashed(known) == dashed(name)
    };
    table.iter().find(|flag| flag.names.iter().any(|known| alike(known)))
}
