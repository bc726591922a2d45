//! Undo and redo of edits of the question.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::state::State;
use crate::scenario::Scenario;

/// Edits with shorter pauses between them, ms, are undone together.
const PAUSE_MS: u32 = 400;

/// Maximum number of questions that are kept for undo.
const DEPTH: usize = 200;

/// The questions before and after the present one.
#[derive(Clone, Copy)]
pub(crate) struct Edits {
    /// Questions, oldest first; the last one is the current question without unfinished edits.
    past: RwSignal<Vec<Scenario>>,
    /// Undone questions; the next one to redo is the last.
    future: RwSignal<Vec<Scenario>>,
}

impl Edits {
    /// Records every question of the page from now on.
    pub(crate) fn follow(state: State) -> Self {
        let past = RwSignal::new(vec![state.scenario.get_untracked()]);
        let edits = Self { past, future: RwSignal::default() };
        let settling = StoredValue::new_local(None);
        let settled = move || {
            if !state.unread() {
                edits.record(state);
            }
        };
        let settle = move || settling.set_value(Some(Timeout::new(PAUSE_MS, settled)));
        Effect::watch(move || state.scenario.track(), move |(), _, _: Option<()>| settle(), false);
        edits
    }

    /// Undoes the last edit.
    pub(crate) fn undo(self, state: State) {
        self.record(state);
        if self.past.with_untracked(Vec::len) > 1
            && let Some(undone) = self.past.try_update(Vec::pop).flatten()
        {
            self.future.update(|future| future.push(undone));
            self.show(state);
        }
    }

    /// Redoes the edit that was undone last.
    pub(crate) fn redo(self, state: State) {
        self.record(state);
        if let Some(redone) = self.future.try_update(Vec::pop).flatten() {
            self.past.update(|past| past.push(redone));
            self.show(state);
        }
    }

    /// Adds the present question, unless it is known already.
    fn record(self, state: State) {
        let present = state.scenario.get_untracked();
        if self.past.with_untracked(|past| past.last() == Some(&present)) {
            return;
        }
        self.past.update(|past| {
            past.push(present);
            past.drain(..past.len().saturating_sub(DEPTH));
        });
        self.future.set(Vec::new());
    }

    /// Shows the last question of the past.
    fn show(self, state: State) {
        if let Some(question) = self.past.with_untracked(|past| past.last().cloned()) {
            state.replace(question, Vec::new());
        }
    }
}
