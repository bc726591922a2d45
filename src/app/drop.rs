//! Files dropped anywhere on the page.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::window;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::DragEvent;

use super::dialogs::open_dropped;
use super::state::State;

/// Opens files that are dropped on the page from now on. Without this, the browser would leave the page and show the file.
pub(crate) fn follow(state: State) {
    let dropped = move |event: &web_sys::Event| {
        let transfer = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
        let Some(transfer) =
            transfer.filter(|transfer| transfer.types().includes(&JsValue::from_str("Files"), 0))
        else {
            return;
        };
        event.prevent_default();
        // During `dragover` the browser does not give the files to the page.
        let Some(files) = transfer.files() else { return };
        open_dropped(state, &files);
    };
    for kind in ["dragover", "drop"] {
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(&window(), kind, options, dropped).forget();
    }
}
