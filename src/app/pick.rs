//! Opens the search of a long list on a pointer press, a tap or a key.

use std::cell::RefCell;

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::{Set as _, window};
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlSelectElement, KeyboardEvent, PointerEvent};

use super::dialogs::{Pick, Picking};
use super::state::State;

thread_local! {
    /// The list that a pointer of the visitor's is pressed on. Programs that drive the page choose from a list by
    /// events without a pointer, and need the list itself.
    static PRESSED: RefCell<Option<HtmlSelectElement>> = const { RefCell::new(None) };
}

/// Opens the search of a list wherever the browser would open the list.
pub(crate) fn follow(state: State) -> Picking {
    let pick = Picking::new_local(None);
    listen("pointerdown", |event| {
        let pointer: Option<&PointerEvent> = event.dyn_ref();
        let pressed =
            pointer.is_some_and(|pointer| pointer.button() == 0 && pointer.pointer_type() != "touch");
        PRESSED.set(list(event).filter(|_| pressed && event.is_trusted()));
    });
    listen("mousedown", move |event| {
        if list(event).is_some_and(|list| PRESSED.take().as_ref() == Some(&list)) {
            open(state, pick, event, "");
        }
    });
    // A scroll can be told from a tap only when the finger leaves the screen.
    listen("touchend", move |event| {
        if event.cancelable() {
            open(state, pick, event, "");
        }
    });
    listen("keydown", move |event| {
        if let Some(text) = event.dyn_ref::<KeyboardEvent>().and_then(opening) {
            open(state, pick, event, &text);
        }
    });
    pick
}

fn listen(kind: &'static str, heard: impl Fn(&Event) + 'static) {
    // Registered before the shortcuts, which ignore events that are handled here.
    let options = EventListenerOptions { passive: false, ..EventListenerOptions::run_in_capture_phase() };
    EventListener::new_with_options(&window(), kind, options, move |event| heard(event)).forget();
}

/// The list that an event is about.
fn list(event: &Event) -> Option<HtmlSelectElement> {
    event.target()?.dyn_into().ok()
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

/// Opens the search of the list that an event is about, if it is a long one.
fn open(state: State, pick: Picking, event: &Event, text: &str) {
    let searched = list(event).and_then(|list| {
        let path = list.get_attribute("data-field")?;
        Pick::of(state, list, &path, text)
    });
    if let Some(searched) = searched {
        event.prevent_default();
        searched.focus();
        pick.set(Some(searched));
    }
}
