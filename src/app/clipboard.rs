//! Ways to copy a text, also for frames without access to the clipboard.

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Writes a text to the clipboard and returns true on success. Insecure origins have no clipboard, and some frames deny
/// access to it.
pub(crate) async fn write(text: &str) -> bool {
    let navigator = window().navigator();
    let present = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if !present.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Copies the selection with `execCommand`, which needs no permission. Returns true on success.
pub(crate) fn copy_selection() -> bool {
    let document = document();
    let command = js_sys::Reflect::get(&document, &JsValue::from_str("execCommand"));
    let command = command.ok().and_then(|command| command.dyn_into::<js_sys::Function>().ok());
    let result = command.and_then(|command| command.call1(&document, &JsValue::from_str("copy")).ok());
    result.is_some_and(|result| result.is_truthy())
}
