//! A search in progress: the typed text, the matching options and the keys that move between them.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::{Group, Pick};
use crate::app::dialogs::frame::Modal;
use crate::app::state::{State, state};

/// Number of options that Page Up and Page Down move by.
const PAGE: usize = 10;

/// A search in progress.
#[derive(Clone, Copy)]
pub(super) struct Search {
    state: State,
    pub(super) modal: Modal,
    pub(super) pick: StoredValue<Pick, LocalStorage>,
    pub(super) text: RwSignal<String>,
    pub(super) groups: Memo<Vec<Group>>,
    /// The option chosen with the arrow keys since the text last changed.
    pub(super) cursor: RwSignal<Option<usize>>,
    /// The option that Enter selects.
    pub(super) active: Memo<Option<usize>>,
}

impl Search {
    pub(super) fn new(pick: Pick) -> Self {
        let state = state();
        let text = RwSignal::new(pick.text.clone());
        let selected = pick.selected;
        let pick = StoredValue::new_local(pick);
        let groups = Memo::new(move |_| pick.with_value(|pick| text.with(|text| pick.found(text))));
        let cursor = RwSignal::new(None);
        let active = Memo::new(move |_| {
            groups.with(|groups| {
                let shown = || groups.iter().flat_map(|group| group.options.iter().copied());
                let here =
                    |wanted: Option<usize>| wanted.filter(|wanted| shown().any(|option| option == *wanted));
                here(cursor.get()).or_else(|| here(selected)).or_else(|| shown().next())
            })
        });
        Self { state, modal: Modal::new(), pick, text, groups, cursor, active }
    }

    /// The matching options in the order shown.
    fn shown(self) -> Vec<usize> {
        self.groups.with_untracked(|groups| groups.iter().flat_map(|group| group.options.clone()).collect())
    }

    /// Status line: the number of matching options.
    pub(super) fn status(self) -> String {
        let found: usize = self.groups.with(|groups| groups.iter().map(|group| group.options.len()).sum());
        if found == 0 {
            return "No match. Describe your own model or GPU, or open a file (“Files”, at the top)"
                .to_owned();
        }
        format!("{found} of {}", self.pick.with_value(|pick| pick.options.len()))
    }

    /// Moves the cursor by a number of options. At the ends it wraps around if `wraps`.
    fn step(self, forwards: bool, by: usize, wraps: bool) {
        let shown = self.shown();
        let Some(last) = shown.len().checked_sub(1) else { return };
        let active = self.active.get_untracked();
        let at = shown.iter().position(|option| Some(*option) == active).unwrap_or_default();
        let next = match forwards {
            true if at == last && wraps => 0,
            true => (at + by).min(last),
            false if at == 0 && wraps => last,
            false => at.saturating_sub(by),
        };
        self.cursor.set(shown.get(next).copied());
    }

    pub(super) fn press(self, event: &KeyboardEvent) {
        if event.is_composing() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => self.step(true, 1, true),
            "ArrowUp" => self.step(false, 1, true),
            "PageDown" => self.step(true, PAGE, false),
            "PageUp" => self.step(false, PAGE, false),
            "Enter" => {
                if let Some(option) = self.active.get_untracked() {
                    self.choose(option);
                }
            }
            // The focus returns to the list, and the browser's own Tab handling then moves it to the next control.
            "Tab" => return self.modal.close(),
            _ => return,
        }
        event.prevent_default();
    }

    /// Sets the field to an option.
    pub(super) fn choose(self, option: usize) {
        let chosen = self.pick.with_value(|pick| {
            let option = pick.options.get(option).filter(|option| option.enabled)?;
            Some((pick.field.path, option.value.clone()))
        });
        if let Some((path, value)) = chosen {
            self.modal.close();
            self.state.choose(path, &value);
        }
    }
}
