//! Restores scroll position and focus on back and forward navigation.
//!
//! The browser's own scroll restoration comes too early: the answer is not computed yet and the page is too short. So
//! each history entry stores the scroll position and the followed link, and both are restored when the answer is
//! complete.

use std::cell::RefCell;

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::HtmlElement;

use crate::app::browser;
use crate::app::state::State;

/// Number of animation frames in which the position is retried: charts below the window are laid out a little later.
const FRAMES: u32 = 20;

thread_local! {
    /// The position to restore, until it is reached or the visitor scrolls, types or clicks.
    static WANTED: RefCell<Option<Spot>> = const { RefCell::new(None) };
}

/// A position on the page.
#[derive(Clone, Debug, PartialEq)]
struct Spot {
    /// Scroll offset from the top, pixels.
    top: f64,
    /// The `href` attribute of the followed link; empty if none.
    link: String,
}

/// Stores the position in the current history entry, with the focused link. Called before a new entry is pushed.
pub(super) fn keep() {
    let active = document().active_element().and_then(|active| active.get_attribute("href"));
    keep_at(&active.unwrap_or_default());
}

/// Stores the position in the current history entry, with the given link.
pub(super) fn keep_at(link: &str) {
    let top = window().scroll_y().unwrap_or_default();
    if browser::embedded() {
        return;
    }
    if let Ok(history) = window().history() {
        history.replace_state_with_url(&JsValue::from_str(&format!("{top} {link}")), "", None).ok();
    }
}

/// Reads the position of the history entry that back or forward led to. `shown` is true if its answer is already shown.
pub(super) fn recall(shown: bool) {
    let kept = window().history().ok().and_then(|history| history.state().ok());
    let kept = kept.and_then(|kept| kept.as_string());
    let spot = kept.and_then(|kept| {
        let (top, link) = kept.split_once(' ')?;
        Some(Spot { top: top.parse().ok()?, link: link.to_owned() })
    });
    WANTED.set(spot);
    if shown {
        settle(FRAMES);
    }
}

/// Restores the position when the answer is complete, unless the visitor scrolls, types or clicks first.
pub(super) fn follow(state: State) {
    let shown = state.shown;
    Effect::new(move || {
        shown.slots.track();
        if shown.settled() && shown.age.get().fresh {
            settle(FRAMES);
        }
    });
    for event in ["wheel", "touchmove", "keydown", "pointerdown"] {
        EventListener::new(&window(), event, |_| WANTED.set(None)).forget();
    }
}

/// Scrolls to the position, and retries for up to `frames` frames while the page is too short.
fn settle(frames: u32) {
    if WANTED.with_borrow(Option::is_none) {
        return;
    }
    request_animation_frame(move || {
        let Some(Spot { top, link }) = WANTED.with_borrow(Clone::clone) else { return };
        if browser::focus_is_lost() {
            refocus(&link);
        }
        window().scroll_to_with_x_and_y(0.0, top);
        let reached = (window().scroll_y().unwrap_or_default() - top).abs() < 2.0;
        if reached || frames == 0 {
            WANTED.set(None);
        } else {
            settle(frames - 1);
        }
    });
}

/// Focuses the followed link, if it is on the page again.
fn refocus(link: &str) {
    let Ok(links) = document().query_selector_all("a[href]") else { return };
    let elements = (0..links.length()).filter_map(|index| links.item(index)?.dyn_into::<HtmlElement>().ok());
    let found = |element: &HtmlElement| element.get_attribute("href").is_some_and(|href| href == link);
    if let Some(element) = elements.into_iter().find(found).filter(|_| !link.is_empty()) {
        element.focus().ok();
    }
}
