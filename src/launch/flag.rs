//! A flag of a tool's command line, and the field of the scenario that it sets.

use crate::scenario::Given;
use crate::scenario::fields::Value;

/// A flag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    /// Its names, of which the first is written.
    pub(super) names: &'static [&'static str],
    /// What it sets.
    pub(super) sets: Sets,
}

/// What a flag sets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sets {
    /// The number of a document path, 1 where the flag is absent.
    Degree(&'static str),
    /// The number of a document path, which keeps its value where the flag is absent.
    Number(&'static str),
    /// The word of a document path: pairs of the flag's value and the field's word, of which the first pair of a word is
    /// written and the first of all is the tool's default.
    Word(&'static str, &'static [(&'static str, &'static str)]),
    /// A flag without a value: what the field is with it and without it.
    Switch(&'static str, Is, Is),
    /// A value that the tool's own module reads.
    Value,
    /// A flag without a value that the tool's own module reads.
    Present,
    /// A value that leaves the prediction as it is.
    Neutral,
    /// A flag without a value that leaves the prediction as it is.
    NeutralSwitch,
    /// A value that changes the speed, which the model does not follow.
    Beyond,
    /// A flag without a value that changes the speed, which the model does not follow.
    BeyondSwitch,
}

/// A field's value of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Is {
    /// On or off.
    Set(bool),
    /// A variant's name.
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
    /// Returns true if a value follows the flag.
    const fn takes_value(self) -> bool {
        !matches!(self, Self::Switch(..) | Self::Present | Self::NeutralSwitch | Self::BeyondSwitch)
    }
}

/// A row of a tool's table.
pub(super) const fn flag(names: &'static [&'static str], sets: Sets) -> Flag {
    Flag { names, sets }
}

/// The flags of one invocation, by a tool's table.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// Known flags with their values; a switch has none.
    known: Vec<(&'static Flag, Option<String>)>,
    /// Words that are neither flags nor values.
    pub(super) words: Vec<String>,
    /// Flags that the table lacks.
    pub(super) unknown: Vec<String>,
}

impl Arguments {
    /// Reads words by a table: `--name value`, `--name=value`, and `key=value` where the table has the key.
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

    /// The known flags with their values, as they were given.
    pub(super) fn known(&self) -> impl Iterator<Item = (&'static Flag, Option<&str>)> {
        self.known.iter().map(|(flag, value)| (*flag, value.as_deref()))
    }

    /// The last value of a flag, by any of its names.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut given = self.known.iter().rev().filter(|(flag, _)| flag.names.contains(&name));
        given.find_map(|(_, value)| value.as_deref())
    }

    /// The last value of a flag as a finite number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// A parallel degree: 1 where the flag is absent or no whole number above zero.
    pub(super) fn degree(&self, name: &str) -> f64 {
        self.number(name).filter(|degree| *degree >= 1.0 && degree.fract() == 0.0).unwrap_or(1.0)
    }

    /// Returns true if a flag is given, unless its value is `false`.
    pub(super) fn has(&self, name: &str) -> bool {
        let mut given = self.known.iter().rev().filter(|(flag, _)| flag.names.contains(&name));
        given.next().is_some_and(|(_, value)| is_on(value.as_deref()))
    }
}

/// Returns true if a switch with this value is on: `--name`, `--name true`, `name=True`.
pub(super) fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|value| !value.eq_ignore_ascii_case("false"))
}

/// The row of a name. Python's parsers take `_` for `-`.
fn named(table: &'static [Flag], name: &str) -> Option<&'static Flag> {
    let alike = |known: &str| {
        let dashed =
            |text: &str| text.bytes().map(|mark| if mark == b'_' { b'-' } else { mark }).collect::<Vec<_>>();
        known.len() == name.len() && dashed(known) == dashed(name)
    };
    table.iter().find(|flag| flag.names.iter().any(|known| alike(known)))
}
