//! The link to what is shown.

use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlInputElement;

use super::browser;
use super::fragment;
use super::state::state;

const LINK: &str = "share-link";

/// The link, a button that copies it, and whether that worked.
#[component]
pub(crate) fn Share() -> impl IntoView {
    let state = state();
    let link = Memo::new(move |_| state.scenario.with(fragment::address));
    let said = RwSignal::new("");
    let copy = move |_| {
        let text = link.get_untracked();
        said.set("");
        spawn_local(async move {
            let done = copied(&text).await || select();
            said.set(if done { "Copied" } else { "Copying is not allowed here: press Ctrl+C or ⌘C" });
        });
    };
    view! {
        <section class="share" aria-labelledby="share-title">
            <h2 id="share-title">"Share"</h2>
            <label for=LINK>"Link to this question"</label>
            <div class="share-row">
                <input type="text" id=LINK readonly prop:value=move || link.get() />
                <button type="button" id="share-copy" on:click=copy>"Copy link"</button>
                // public/boot.js loads what these open.
                <button type="button" data-tool="share">"Embed or cite"</button>
                <button type="button" data-tool="files">"Files"</button>
                <button type="button" data-tool="report">"Report"</button>
                <button type="button" data-tool="compare">"Compare"</button>
                <button type="button" data-tool="keys">"Keys"</button>
            </div>
            <p role="status" id="share-status">{said}</p>
        </section>
    }
}

/// Asks the clipboard, which is absent on insecure origins and refuses in some frames.
async fn copied(text: &str) -> bool {
    let navigator = window().navigator();
    let present = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if !present.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Selects the shown link and copies it the old way.
fn select() -> bool {
    let Some(field) = browser::html_element(LINK).and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) else {
        return false;
    };
    field.focus().ok();
    field.select();
    let document = document();
    let command = js_sys::Reflect::get(&document, &JsValue::from_str("execCommand"));
    let command = command.ok().and_then(|command| command.dyn_into::<js_sys::Function>().ok());
    let result = command.and_then(|command| command.call1(&document, &JsValue::from_str("copy")).ok());
    result.is_some_and(|result| result.is_truthy())
}
