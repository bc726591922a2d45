//! Changes of the page's layout below an open dialog.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;

/// Calls a function whenever something scrolls or the window is resized, until the current component is removed.
pub(super) fn follow(moved: impl Fn() + Copy + 'static) {
    let listen = |kind: &'static str| {
        // Scroll events do not bubble: only the capture phase has those of all elements.
        let options = EventListenerOptions::run_in_capture_phase();
        EventListener::new_with_options(&window(), kind, options, move |_| moved())
    };
    // The component owns the listeners, which are dropped with it.
    StoredValue::new_local([listen("scroll"), listen("resize")]);
}
