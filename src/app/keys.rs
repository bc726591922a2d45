//! Keyboard shortcuts outside of fields.

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent};

use super::browser;
use super::edits::Edits;
use super::state::{Dialog, State};
use crate::scenario::View;

/// Local-storage key of the choice to disable single-key shortcuts.
const STORED: &str = "foretoken-keys";

/// A key and what it does.
pub(crate) struct Shortcut {
    /// The character.
    pub(crate) key: &'static str,
    /// Description in the list of shortcuts.
    pub(crate) does: &'static str,
    action: Action,
}

/// Action of a key.
enum Action {
    Open(Dialog),
    Theme,
}

/// A key that opens a dialog.
const fn open(key: &'static str, does: &'static str, dialog: Dialog) -> Shortcut {
    Shortcut { key, does, action: Action::Open(dialog) }
}

/// All single-key shortcuts except the digits, which open the views.
pub(crate) static SHORTCUTS: [Shortcut; 7] = [
    open(SHEET, "this sheet", Dialog::Keys),
    open("e", "embed or cite", Dialog::Share),
    open("f", "files", Dialog::Files(Vec::new())),
    open("r", "report", Dialog::Report),
    open("c", "compare", Dialog::Compare),
    Shortcut { key: "t", does: "theme", action: Action::Theme },
    open("g", "guided tour; → and ← go through it", Dialog::Tour),
];

/// The key of the list of shortcuts. It works even if single keys are disabled.
const SHEET: &str = "?";

/// Returns true if single-key shortcuts are enabled.
pub(crate) fn single() -> bool {
    browser::recall(STORED).as_deref() != Some("off")
}

/// Remembers whether single-key shortcuts are enabled.
pub(crate) fn set_single(on: bool) {
    browser::remember(STORED, if on { "on" } else { "off" });
}

/// Handles the shortcuts from now on.
pub(crate) fn follow(state: State, edits: Edits) {
    let pressed = move |event: &web_sys::Event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            press(state, edits, event);
        }
    };
    EventListener::new(&window(), "keydown", pressed).forget();
}

/// Handles a key.
fn press(state: State, edits: Edits, event: &KeyboardEvent) {
    let key = event.key();
    let command = event.ctrl_key() || event.meta_key();
    if key.chars().count() != 1 || event.default_prevented() || in_field(event, command) {
        return;
    }
    if command {
        match (key.to_lowercase().as_str(), event.shift_key()) {
            ("y", _) | ("z", true) => edits.redo(state),
            ("z", false) => edits.undo(state),
            _ => {}
        }
    } else if !event.alt_key() && state.dialog.with_untracked(Option::is_none) && (single() || key == SHEET) {
        act(state, &key);
    }
}

/// Returns true if a field handles the key itself. Lists and check boxes have no undo of their own, so that `command` keys on
/// them undo edits of the form.
fn in_field(event: &KeyboardEvent, command: bool) -> bool {
    let fields = if command {
        "input:not([type=checkbox]), textarea, dialog"
    } else {
        "input:not([type=checkbox]), textarea, dialog, select"
    };
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.closest(fields).is_ok_and(|field| field.is_some()))
}

/// Performs the action of a single key.
fn act(state: State, key: &str) {
    let digit = key.parse::<usize>().ok();
    if let Some(view) = digit.and_then(|digit| View::ALL.get(digit.checked_sub(1)?)) {
        if state.view.get_untracked() != *view {
            state.visit(state.scenario.with_untracked(|scenario| scenario.seen_in(*view)));
        }
        return;
    }
    match SHORTCUTS.iter().find(|shortcut| shortcut.key == key).map(|shortcut| &shortcut.action) {
        Some(Action::Open(dialog)) => state.dialog.set(Some(dialog.clone())),
        Some(Action::Theme) => state.theme.update(super::theme::Theme::advance),
        None => {}
    }
}
