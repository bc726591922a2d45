//! The events on which the search of a long list opens, in place of the browser's drop-down: a pointer press, a tap or a key.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlSelectElement};

use super::dialogs::{Pick, Picking};
use super::state::state;
use crate::scenario::Scenario;
use crate::scenario::fields::{Field, Opt};

/// Opens the search of one list, which calls it on its events. Short lists have no search.
#[derive(Clone, Copy)]
pub(crate) struct Opener {
    scenario: RwSignal<Scenario>,
    /// The list that is being searched, which this changes.
    picking: Picking,
    /// The field of the list.
    field: &'static Field,
    /// The options of the list.
    options: fn(&Scenario) -> Vec<Opt>,
    /// True from the press of the visitor's pointer until the mouse event that follows. Programs that drive the page choose
    /// from a list by events without a pointer, and need the browser's drop-down.
    pressed: StoredValue<bool>,
}

impl Opener {
    /// An opener for the list of a field.
    pub(crate) fn new(field: &'static Field, options: fn(&Scenario) -> Vec<Opt>) -> Self {
        Self {
            scenario: state().scenario,
            picking: expect_context(),
            field,
            options,
            pressed: StoredValue::new(false),
        }
    }

    /// Handles `pointerdown`.
    pub(crate) fn note_press(self, event: &PointerEvent) {
        let pressed = event.button() == 0 && event.pointer_type() != "touch";
        self.pressed.set_value(pressed && event.is_trusted());
    }

    /// Handles `mousedown`, on which browsers open the list.
    pub(crate) fn open_by_mouse(self, event: &Event) {
        if self.pressed.get_value() {
            self.pressed.set_value(false);
            self.open(event, "");
        }
    }

    /// Handles `touchend`. Only when the finger leaves the screen can a tap be told from a scroll.
    pub(crate) fn open_by_tap(self, event: &Event) {
        if event.cancelable() {
            self.open(event, "");
        }
    }

    /// Handles `keydown`. A character is the beginning of the searched text.
    pub(crate) fn open_by_key(self, event: &KeyboardEvent) {
        if let Some(text) = opening(event) {
            self.open(event, &text);
        }
    }

    /// Opens the search, if the list is long enough for one.
    fn open(self, event: &Event, text: &str) {
        let list = event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        let Some(list) = list else { return };
        let pick = |question: &Scenario| Pick::of(question, list, self.field, self.options, text);
        if let Some(pick) = self.scenario.with_untracked(pick) {
            event.prevent_default();
            pick.focus();
            self.picking.set(Some(pick));
        }
    }
}

/// The text that the search begins with, if the key opens one.
fn opening(event: &KeyboardEvent) -> Option<String> {
    if event.ctrl_key() || event.meta_key() || event.default_prevented() {
        return None;
    }
    let key = event.key();
    match (key.as_str(), event.alt_key()) {
        ("Enter" | " " | "F4", _) | ("ArrowDown" | "ArrowUp", true) => Some(String::new()),
        (key, false) if key.chars().count() == 1 => Some(key.to_owned()),
        _ => None,
    }
}
