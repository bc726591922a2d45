//! Ways to copy a text, also for frames without access to the clipboard.

use leptos::prelude::{RwSignal, Set as _, document, window};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Copies a text and says in `status` whether that worked. `select` selects the text where it is shown; it is called if the
/// clipboard is denied.
pub(crate) fn copy(text: String, select: Box<dyn FnOnce()>, status: RwSignal<&'static str>) {
    status.set("");
    spawn_local(async move {
        let done = write(&text).await || {
            select();
            copy_selection()
        };
        status.set(if done { "Copied" } else { "Copying is not allowed here: press Ctrl+C or ⌘C" });
    });
}

/// Writes a text to the clipboard and returns true on success. Insecure origins have no clipboard, and some frames deny
/// access to it.
async fn write(text: &str) -> bool {
    let navigator = window().navigator();
    let present = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if !present.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Copies the selection with `execCommand`, which needs no permission. Returns true on success.
fn copy_selection() -> bool {
    let document = document();
    let command = js_sys::Reflect::get(&document, &JsValue::from_str("execCommand"));
    let command = command.ok().and_then(|command| command.dyn_into::<js_sys::Function>().ok());
    let result = command.and_then(|command| command.call1(&document, &JsValue::from_str("copy")).ok());
    result.is_some_and(|result| result.is_truthy())
}
