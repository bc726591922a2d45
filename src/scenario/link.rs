//! Scenarios as URL fragments that people can read and edit: `v=1&model=llama-3.1-70b&gpu=h100-sxm&tp=8`.
//!
//! A link holds what differs from its version's defaults, so that a short question is a short link and a link
//! means the same for ever. A link is untrusted: its size is checked before anything else, each pair stands or
//! falls alone, and what is wrong with one is reported beside what the others mean. `docs/link.md` is the grammar.

mod explicit;
mod keys;
mod text;

use std::fmt::Write;

use super::{Problem, Scenario, VERSION, constants};
use crate::document::Value;
use explicit::{Leaf, Spelling};

pub use keys::KEYS;

/// Bytes of the longest link that is read.
pub const MAX_BYTES: usize = 8192;

/// Pairs of one link that are read: all of the table, a model and a device spelled out, and constants.
pub const MAX_PAIRS: usize = 192;

/// Bytes of the longest value that is read, percent escapes decoded: the sources of a catalogue entry are long.
pub const MAX_VALUE: usize = 512;

/// What the keys of fitted constants begin with.
const CONSTANT: &str = "constants.";

/// What stands between the questions of a comparison. No question has it: [`encode`] escapes it.
pub const AND: char = '~';

/// Questions of one comparison that are read.
pub const MAX_COMPARED: usize = 8;

/// The field of problems with the link as a whole rather than with one pair of it.
pub const LINK: &str = "link";

/// What a link means, and what in it means nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// All that was right, on top of the defaults.
    pub scenario: Scenario,
    /// All that was wrong, in the order of the link.
    pub problems: Vec<Problem>,
}

/// The link that means this scenario, without a leading `#`.
///
/// It consists of letters, digits and `-_.+%=&`, so that it is safe in fragments, HTML attributes and Markdown.
pub fn encode(scenario: &Scenario) -> String {
    let default = Scenario::default();
    let mut link = format!("v={VERSION}");
    let fields = keys::seen(scenario).into_iter().zip(keys::seen(&default));
    for ((key, _), (field, usual)) in KEYS.iter().zip(fields) {
        let value = field.value();
        if value != usual.value() {
            write_pairs(&mut link, key, &value);
        }
    }
    for (key, value) in &scenario.constants {
        let value = text::escape(&text::of_scalar(&Value::Number(*value)));
        // Writing to a string cannot fail.
        let _ = write!(link, "&{}.{}={value}", constants::FIELD, text::escape(key));
    }
    // Whatever turns addresses in running text into links leaves out punctuation at their end.
    for (mark, escape) in [('.', "%2E"), ('_', "%5F")] {
        if link.ends_with(mark) {
            link.truncate(link.len() - 1);
            link.push_str(escape);
        }
    }
    link
}

fn write_pairs(link: &mut String, key: &str, value: &Value) {
    let text = match value {
        // A catalogue id or the name of an enum's variant: known to be text, so that it needs no quotes.
        Value::Text(plain) => text::escape(plain),
        Value::Object(_) => {
            for Leaf { key, value, .. } in explicit::leaves(key, value) {
                // Writing to a string cannot fail.
                let _ = write!(link, "&{key}={}", text::escape(&text::of_scalar(&value)));
            }
            return;
        }
        other => text::escape(&text::of_scalar(other)),
    };
    let _ = write!(link, "&{key}={text}");
}

/// Reads a link, with or without its leading `#`; the empty link is the default scenario.
pub fn decode(link: &str) -> Decoded {
    let link = link.strip_prefix('#').unwrap_or(link);
    let mut reader = Reader::default();
    if link.len() > MAX_BYTES {
        reader.report(LINK, format!("the link has {} bytes; at most {MAX_BYTES} are read", link.len()));
        return reader.finish();
    }
    let mut pairs = link.split('&').filter(|pair| !pair.is_empty());
    for pair in pairs.by_ref().take(MAX_PAIRS) {
        reader.pair(pair);
    }
    let rest = pairs.count();
    if rest > 0 {
        reader.report(LINK, format!("the link has {rest} pairs too many: the first {MAX_PAIRS} are read"));
    }
    reader.finish()
}

/// Reads a comparison: the questions that stand in one link, the baseline first.
pub fn decode_all(links: &str) -> Vec<Decoded> {
    let links = links.strip_prefix('#').unwrap_or(links);
    links.split(AND).take(MAX_COMPARED).map(decode).collect()
}

/// What a scenario says, field by field in the order of [`KEYS`]: the document path, and the value as links write it.
/// What is spelled out has its name as its value.
pub fn settings(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let fields = keys::seen(scenario).into_iter().zip(KEYS.iter());
    fields
        .map(|(field, (_, path))| {
            let value = field.value();
            let shown = if matches!(value, Value::Object(_)) { &value["name"] } else { &value };
            (*path, text::of_scalar(shown))
        })
        .collect()
}

/// A link halfway read.
struct Reader {
    scenario: Scenario,
    spellings: Vec<Spelling>,
    seen: Vec<String>,
    problems: Vec<Problem>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            scenario: Scenario::default(),
            spellings: vec![Spelling::model(), Spelling::device()],
            seen: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl Reader {
    fn report(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(field, message));
    }

    fn pair(&mut self, pair: &str) {
        // Links copied out of HTML source have `&amp;` between pairs.
        let pair = pair.strip_prefix("amp;").unwrap_or(pair);
        let (raw, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Ok(key) = text::unescape(raw) else {
            return self.report(&text::shown(raw), "this key has a broken percent escape");
        };
        let shown = text::shown(&key);
        let path = KEYS.iter().find(|(name, _)| *name == key).map(|(_, path)| *path);
        let spelling = self.spellings.iter().position(|spelling| spelling.owns(&key));
        let field = match (path, spelling) {
            (Some(path), _) => path,
            (_, Some(index)) => self.spellings[index].path,
            _ if key == "v" => "version",
            _ if key.starts_with(CONSTANT) => shown.as_str(),
            _ if key.is_empty() => return self.report(LINK, "a value has no key before its `=`"),
            _ => return self.report(&shown, unknown(&key)),
        };
        if self.seen.contains(&key) {
            self.report(field, format!("`{shown}` is there more than once: the last one counts"));
        } else {
            self.seen.push(key.clone());
        }
        let value = match text::unescape(value) {
            Ok(value) if value.len() > MAX_VALUE => Err(format!("`{shown}` has more than {MAX_VALUE} bytes")),
            Ok(value) => Ok(value),
            Err(fault) => Err(format!("`{shown}` has {fault}")),
        };
        let outcome = value.and_then(|value| match spelling {
            Some(index) => self.spellings[index].add(raw, &key, &value),
            None if value.is_empty() => Err(format!("`{shown}` has no value")),
            None if key == "v" => version(&value),
            None => match path {
                Some(path) => self.set(&key, path, &value),
                None => self.constant(&key[CONSTANT.len()..], &value),
            },
        });
        if let Err(message) = outcome {
            self.report(field, message);
        }
    }

    /// Sets one field, unless it cannot have this value.
    fn set(&mut self, key: &str, path: &'static str, value: &str) -> Result<(), String> {
        let usual = self.scenario.at(path).unwrap_or(Value::Null);
        let leaf = match usual {
            Value::Bool(_) => match value {
                "true" | "1" => Value::Bool(true),
                "false" | "0" => Value::Bool(false),
                _ => return Err(format!("`{key}` is `true` or `false`, not `{}`", text::shown(value))),
            },
            Value::Text(_) => Value::Text(value.to_owned()),
            // What is absent by default is a number too.
            _ => match text::number(value) {
                Some(number) => number,
                None => return Err(format!("`{key}` is a number, not `{}`", text::shown(value))),
            },
        };
        if usual.as_whole().is_some() && leaf.as_whole().is_none() {
            return Err(format!("`{key}` is a whole number from 0, not `{}`", text::shown(value)));
        }
        if let Some(spelling) = self.spellings.iter_mut().find(|spelling| spelling.path == path) {
            spelling.name = Some(value.to_owned());
        }
        self.scenario
            .put(path, &leaf)
            .map_err(|fault| format!("`{key}` cannot be `{}`: {fault}", text::shown(value)))
    }

    /// Replaces one fitted constant. Whether the value is sensible is the scenario's own check.
    fn constant(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = text::number(value).and_then(|number| number.as_number());
        let number = number.ok_or_else(|| format!("a constant is a number, not `{}`", text::shown(value)))?;
        if let Some(why) = constants::unknown(&text::shown(key)) {
            return Err(why);
        }
        self.scenario.constants.insert(key.to_owned(), number);
        Ok(())
    }

    fn finish(mut self) -> Decoded {
        let named = self.scenario.clone();
        for spelling in std::mem::take(&mut self.spellings) {
            let path = spelling.path;
            if let Some(value) = spelling.read(&mut self.problems)
                && let Err(fault) = self.scenario.put(path, &value)
            {
                self.report(path, fault.to_string());
            }
        }
        // What is read can be written: percent escapes may make a link three times as long as it came.
        let link = encode(&self.scenario);
        if link.len() > MAX_BYTES || link.split('&').count() > MAX_PAIRS {
            self.scenario = named;
            self.report(LINK, "the model and the device that the link spells out are too large");
        }
        Decoded { scenario: self.scenario, problems: self.problems }
    }
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

/// The complaint about a key that is in no table, with the key that was probably meant.
fn unknown(key: &str) -> String {
    // People who know the document write its names: `tensor` or `parallelism.tensor` for `tp`.
    let names = [("v", "version")].iter().chain(KEYS).flat_map(|&(name, path)| {
        [name, path, path.rsplit('.').next().unwrap_or(path)].map(|candidate| (candidate, name))
    });
    match text::nearest(key, names) {
        Some(name) => format!("there is no such key; the nearest is `{name}`"),
        None => "there is no such key".to_owned(),
    }
}
