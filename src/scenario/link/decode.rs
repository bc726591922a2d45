//! Reads links.

use std::borrow::Cow;
use std::collections::HashSet;

use super::encode::{PART, PIN, encode};
use super::explicit::Spelling;
use super::key::{self, CONSTANT, Key};
use super::limits::{MAX_BYTES, MAX_PAIRS, MAX_VALUE};
use super::{rivals, text};
use crate::catalog::{self, Accelerator, Architecture};
use crate::scenario::fields::{FIELDS, Field, Value};
use crate::scenario::{Choice, Problem, Scenario, VERSION, constants};

/// The field of problems with a link as a whole.
pub const LINK: &str = "link";

/// Unknown names of one link for which the nearest known one is sought: that compares them with every name.
const MAX_GUESSES: usize = 4;

/// Bytes that an entry of the catalogue takes at most, spelled out in a link.
const ENTRY_BYTES: usize = 3584;

/// Pairs that it takes at most.
const ENTRY_PAIRS: usize = 96;

/// Content of a link, with the problems of its invalid parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// All that was right, on top of the defaults.
    pub scenario: Scenario,
    /// Part of the answer that the link opens; empty if it names none. It is not part of the question.
    pub part: String,
    /// True if the question is pinned beside another one. It is not part of the question.
    pub pin: bool,
    /// All that was wrong, in the order of the link.
    pub problems: Vec<Problem>,
    /// Keys without effect: repeated ones, of which the last counts, and those whose quantity another key gives.
    pub notices: Vec<Problem>,
}

/// Reads a link, with or without its leading `#`; the empty link is the default scenario.
pub fn decode(link: &str) -> Decoded {
    let link = link.strip_prefix('#').unwrap_or(link);
    let mut reader = Reader::default();
    if link.len() > MAX_BYTES {
        reader.report(LINK, format!("the link has {} bytes; at most {MAX_BYTES} are read", link.len()));
        return reader.finish(0);
    }
    let mut pairs = link.split('&').filter(|pair| !pair.is_empty());
    for pair in pairs.by_ref().take(MAX_PAIRS) {
        reader.pair(pair);
        reader.pairs += 1;
    }
    let rest = pairs.count();
    if rest > 0 {
        reader.report(LINK, format!("the link has {rest} pairs too many: the first {MAX_PAIRS} are read"));
    }
    reader.finish(link.len())
}

/// A link that is being read.
struct Reader<'a> {
    scenario: Scenario,
    model: Spelling,
    device: Spelling,
    /// Fields that a pair has set, in the order of [`FIELDS`].
    set: [bool; FIELDS.len()],
    /// Other keys that a pair had.
    seen: HashSet<Cow<'a, str>>,
    part: String,
    pin: bool,
    problems: Vec<Problem>,
    notices: Vec<Problem>,
    guesses: usize,
    /// Pairs that were read.
    pairs: usize,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            scenario: Scenario::default(),
            model: Spelling::new("model", "model"),
            device: Spelling::new("gpu", "system.accelerator"),
            set: [false; FIELDS.len()],
            seen: HashSet::new(),
            part: String::new(),
            pin: false,
            problems: Vec::new(),
            notices: Vec::new(),
            guesses: MAX_GUESSES,
            pairs: 0,
        }
    }
}

impl<'a> Reader<'a> {
    fn report(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(field, message));
    }

    fn pair(&mut self, pair: &'a str) {
        // Links copied out of HTML source have `&amp;` between pairs.
        let pair = pair.strip_prefix("amp;").unwrap_or(pair);
        let (raw, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Ok(key) = text::unescape(raw) else {
            return self.report(&text::shown(raw), "this key has a broken percent escape");
        };
        let Some(kind) = Key::of(&key, &self.model, &self.device) else {
            if key.is_empty() {
                return self.report(LINK, "a value has no key before its `=`");
            }
            let message = self.unknown(&key);
            return self.report(&text::shown(&key), message);
        };
        let field = match kind {
            Key::Version => Cow::Borrowed("version"),
            Key::Part => Cow::Borrowed(PART),
            Key::Pin => Cow::Borrowed(PIN),
            Key::Field(position) => Cow::Borrowed(FIELDS[position].path),
            Key::Model => Cow::Borrowed(self.model.path),
            Key::Device => Cow::Borrowed(self.device.path),
            Key::Constant => Cow::Owned(text::shown(&key)),
        };
        let repeated = match kind {
            Key::Field(position) => std::mem::replace(&mut self.set[position], true),
            _ => !self.seen.insert(key.clone()),
        };
        if repeated {
            let shown = text::shown(&key);
            let message = format!("`{shown}` is there more than once: the last one counts");
            self.notices.push(Problem::new(&*field, message));
        }
        let outcome = text::unescape(value)
            .map_err(|fault| format!("`{}` has {fault}", text::shown(&key)))
            .and_then(|value| self.take(&kind, raw, &key, &value));
        if let Err(message) = outcome {
            self.report(&field, message);
        }
    }

    /// Takes the value of one pair.
    fn take(&mut self, kind: &Key, raw: &str, key: &str, value: &str) -> Result<(), String> {
        if value.len() > MAX_VALUE {
            return Err(format!("`{}` has more than {MAX_VALUE} bytes", text::shown(key)));
        }
        match kind {
            Key::Model => return self.model.add(raw, key, value),
            Key::Device => return self.device.add(raw, key, value),
            _ if value.is_empty() => return Err(format!("`{}` has no value", text::shown(key))),
            _ => {}
        }
        match kind {
            Key::Field(position) => self.set(&FIELDS[*position], value),
            Key::Constant => self.constant(&key[CONSTANT.len()..], value),
            Key::Part => {
                value.clone_into(&mut self.part);
                Ok(())
            }
            Key::Pin => {
                self.pin = switch(PIN, value)?;
                Ok(())
            }
            _ => version(value),
        }
    }

    /// Sets one field, unless it cannot have this value.
    fn set(&mut self, field: &Field, text: &str) -> Result<(), String> {
        let key = field.key;
        let value = match field.get(&self.scenario) {
            Value::Switch(_) => Value::Switch(switch(key, text)?),
            Value::Text(_) | Value::Entry(_) => Value::Text(text),
            // An optional field is a number too.
            Value::Absent | Value::Whole(_) | Value::Number(_) => text::number(text).ok_or_else(|| {
                let wanted = field.wanted(&self.scenario).unwrap_or_else(|| "a number".to_owned());
                format!("`{key}` must be {wanted}, not `{}`", text::shown(text))
            })?,
        };
        for spelling in [&mut self.model, &mut self.device] {
            if spelling.path == field.path {
                spelling.name = Some(text.to_owned());
            }
        }
        field.set(&mut self.scenario, value).map_err(|fault| format!("`{key}` {fault}"))
    }

    /// Replaces one fitted constant. Whether the value is sensible is the scenario's own check.
    fn constant(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = text::number(value).and_then(Value::as_number);
        let number = number.ok_or_else(|| format!("a constant is a number, not `{}`", text::shown(value)))?;
        if !constants::exists(key) {
            let near = if self.may_guess() { constants::nearest(key) } else { None };
            return Err(format!("there is no constant `{}`{}", text::shown(key), catalog::suggestion(near)));
        }
        self.scenario.constants.insert(key.to_owned(), number);
        Ok(())
    }

    fn may_guess(&mut self) -> bool {
        let left = self.guesses;
        self.guesses = left.saturating_sub(1);
        left > 0
    }

    /// The message about an unknown key, with the nearest known key. It quotes the key as the link has it, because the page heads the
    /// message with the name of the field that the key resembles.
    fn unknown(&mut self, key: &str) -> String {
        let near = if self.may_guess() { key::nearest(key) } else { None };
        format!("there is no key `{}`{}", text::shown(key), catalog::suggestion(near))
    }

    fn finish(mut self, bytes: usize) -> Decoded {
        if self.pairs > 1 {
            let overruled = rivals::notices(&self.scenario, &self.set, |key| self.device.changes(key));
            self.notices.extend(overruled);
        }
        let spelled = !self.model.is_empty() || !self.device.is_empty();
        let named = spelled.then(|| self.scenario.clone());
        let model = std::mem::take(&mut self.model);
        if let Some(model) = model.read::<Architecture>(catalog::architecture_json, &mut self.problems) {
            self.scenario.model = Choice::Explicit(Box::new(model));
        }
        let device = std::mem::take(&mut self.device);
        if let Some(device) = device.read::<Accelerator>(catalog::accelerator_json, &mut self.problems) {
            self.scenario.system.accelerator = Choice::Explicit(Box::new(device));
        }
        // A scenario that was read must be writable as a link. Percent escapes may triple its length, and explicit
        // entries are written in full. Writing the link takes longer than reading it.
        let (entry_bytes, entry_pairs) = if spelled { (2 * ENTRY_BYTES, 2 * ENTRY_PAIRS) } else { (0, 0) };
        let long = 4 * bytes + entry_bytes > MAX_BYTES || self.pairs + entry_pairs > MAX_PAIRS;
        if long && !fits(&self.scenario) {
            self.scenario = named.filter(fits).unwrap_or_default();
            let what =
                if spelled { "the model and the device that the link spells out" } else { "its texts" };
            self.report(LINK, format!("{what} are too large"));
        }
        let Self { scenario, part, pin, problems, notices, .. } = self;
        Decoded { scenario, part, pin, problems, notices }
    }
}

/// Returns true if the link of a scenario is one that is read.
fn fits(scenario: &Scenario) -> bool {
    let link = encode(scenario);
    link.len() <= MAX_BYTES && link.split('&').count() <= MAX_PAIRS
}

fn version(value: &str) -> Result<(), String> {
    match value.parse() {
        Ok(VERSION) => Ok(()),
        _ => Err(format!(
            "`v` is {VERSION}, not `{}`: the link is read as version {VERSION}",
            text::shown(value)
        )),
    }
}

/// A switch of a link.
fn switch(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(format!("`{key}` is `true` or `false`, not `{}`", text::shown(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise links are read that cannot be written.
    #[test]
    fn no_entry_is_longer_spelled_out() {
        let (default, catalog) = (encode(&Scenario::default()), catalog::catalog());
        let measure = |scenario: &Scenario| {
            let link = encode(scenario);
            let (bytes, pairs) = (link.len() - default.len(), link.split('&').count() - 1);
            assert!(bytes <= ENTRY_BYTES && pairs <= ENTRY_PAIRS, "{bytes} bytes, {pairs} pairs: {link}");
        };
        for model in &catalog.architectures {
            let model = Choice::Explicit(Box::new(model.clone()));
            measure(&Scenario { model, ..Scenario::default() });
        }
        for device in &catalog.accelerators {
            let mut scenario = Scenario::default();
            scenario.system.accelerator = Choice::Explicit(Box::new(device.clone()));
            measure(&scenario);
        }
    }
}
