//! Where on the page a visitor was when he followed a link: back returns there.
//!
//! The browser restores the place at once, when the answer that was there is not computed yet. So the entry of the
//! history keeps how far the page was scrolled and which link was followed, and both are set again once the answer is
//! whole.

use std::cell::RefCell;

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::HtmlElement;

use crate::app::browser;
use crate::app::state::State;

/// Frames within which a place must be there: charts below the window are laid out a little later.
const FRAMES: u32 = 20;

thread_local! {
    /// The place to return to, until it is reached or the visitor goes elsewhere.
    static WANTED: RefCell<Option<Spot>> = const { RefCell::new(None) };
}

/// A place on the page.
#[derive(Clone, Debug, PartialEq)]
struct Spot {
    /// How far the page was scrolled, in pixels.
    top: f64,
    /// The address of the link that was followed, as it is written; empty where it was none.
    link: String,
}

/// Keeps the place in this entry of the history, before another one is made.
pub(super) fn keep() {
    let active = document().active_element().and_then(|active| active.get_attribute("href"));
    keep_at(&active.unwrap_or_default());
}

/// The same where a link is followed.
pub(super) fn keep_at(link: &str) {
    let top = window().scroll_y().unwrap_or_default();
    if browser::embedded() {
        return;
    }
    if let Ok(history) = window().history() {
        history.replace_state_with_url(&JsValue::from_str(&format!("{top} {link}")), "", None).ok();
    }
}

/// Reads the place of the entry that back or forward led to; `there` if its answer is shown already.
pub(super) fn recall(there: bool) {
    let kept = window().history().ok().and_then(|history| history.state().ok());
    let kept = kept.and_then(|kept| kept.as_string());
    let spot = kept.and_then(|kept| {
        let (top, link) = kept.split_once(' ')?;
        Some(Spot { top: top.parse().ok()?, link: link.to_owned() })
    });
    WANTED.set(spot);
    if there {
        settle(FRAMES);
    }
}

/// Returns to the place once the answer is whole, unless the visitor scrolls or types before.
pub(super) fn follow(state: State) {
    let shown = state.shown;
    Effect::new(move || {
        shown.slots.track();
        if shown.settled() && shown.fresh.get() {
            settle(FRAMES);
        }
    });
    for event in ["wheel", "touchmove", "keydown", "pointerdown"] {
        EventListener::new(&window(), event, |_| WANTED.set(None)).forget();
    }
}

/// Scrolls there, and again in later frames while the page is too short.
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

/// Moves the keyboard to the link that was followed, if it is shown again.
fn refocus(link: &str) {
    let Ok(links) = document().query_selector_all("a[href]") else { return };
    let elements = (0..links.length()).filter_map(|index| links.item(index)?.dyn_into::<HtmlElement>().ok());
    let found = |element: &HtmlElement| element.get_attribute("href").is_some_and(|href| href == link);
    if let Some(element) = elements.into_iter().find(found).filter(|_| !link.is_empty()) {
        element.focus().ok();
    }
}
