//! An entry that is being described, with the messages about its numbers.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::app::browser;
use crate::scenario::Problem;
use crate::scenario::own::{Ask, Kind, Own};

/// An entry that is being described.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    /// Whether it is a model or a GPU.
    pub(super) kind: Kind,
    /// The entry, with the numbers that could be read.
    pub(super) entry: RwSignal<Own>,
    /// Messages about texts that are not numbers, by path.
    unread: RwSignal<BTreeMap<&'static str, String>>,
    /// Problems found when the entry was last submitted.
    faults: RwSignal<Vec<Problem>>,
}

impl Draft {
    /// A draft that starts from this entry.
    pub(super) fn new(kind: Kind, entry: Own) -> Self {
        Self { kind, entry: RwSignal::new(entry), unread: RwSignal::default(), faults: RwSignal::default() }
    }

    /// The entry, if every text is a number and the entry has no problems; otherwise the first wrong number gets the focus.
    pub(super) fn finished(self) -> Option<Own> {
        let entry = self.entry.get_untracked().fitted();
        self.faults.set(entry.problems());
        let first = self.kind.asks().into_iter().find(|ask| !self.message(ask.path).is_empty());
        match first {
            Some(wrong) => browser::focus(&id(wrong.path)),
            None if self.faults.with_untracked(Vec::is_empty) => return Some(entry),
            None => {}
        }
        None
    }

    /// Returns true if a problem concerns this number.
    fn is_of(self, fault: &Problem, path: &str) -> bool {
        fault.field.strip_prefix(self.kind.path()).and_then(|rest| rest.strip_prefix('.')) == Some(path)
    }

    /// Problems of properties that the form does not ask for.
    pub(super) fn others(self) -> Vec<String> {
        let asks = self.kind.asks();
        let other = |fault: &&Problem| !asks.iter().any(|ask| self.is_of(fault, ask.path));
        self.faults.with(|faults| faults.iter().filter(other).map(Problem::to_string).collect())
    }

    /// Message about a number; empty if it is valid.
    pub(super) fn message(self, path: &str) -> String {
        if let Some(unread) = self.unread.with(|unread| unread.get(path).cloned()) {
            return unread;
        }
        self.faults.with(|faults| {
            let mine = faults.iter().find(|fault| self.is_of(fault, path));
            mine.map_or_else(String::new, |fault| fault.message.clone())
        })
    }

    /// Sets a number by the text of its control.
    pub(super) fn take(self, ask: Ask, text: &str) {
        let mut outcome = Ok(());
        self.entry.update(|entry| outcome = entry.take(ask, text));
        self.faults.update(|faults| faults.retain(|fault| !self.is_of(fault, ask.path)));
        self.unread.update(|unread| {
            unread.remove(ask.path);
            unread.extend(outcome.err().map(|fault| (ask.path, fault)));
        });
    }
}

/// The id of a number's control.
pub(super) fn id(path: &str) -> String {
    format!("own-{}", path.replace(['.', '_'], "-"))
}
