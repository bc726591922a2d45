//! The link to the displayed question.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlInputElement;

use super::dialogs::OpenButton;
use super::state::{Dialog, state};
use super::{browser, clipboard, fragment};

/// Id of the field with the link.
const LINK: &str = "share-link";

/// The link, a button that copies it, and a message on whether that worked.
#[component]
pub(crate) fn Share() -> impl IntoView {
    let state = state();
    let link = Memo::new(move |_| format!("{}#{}", browser::address(), fragment::link_here(state)));
    let said = RwSignal::new("");
    let copy = move |_| clipboard::copy(link.get_untracked(), Box::new(select), said);
    view! {
        <section class="share" aria-labelledby="share-title">
            <h2 id="share-title">"Share"</h2>
            <label for=LINK>"Link to this question"</label>
            <div class="share-row">
                <input type="text" id=LINK readonly prop:value=move || link.get() />
                <button type="button" id="share-copy" on:click=copy>"Copy link"</button>
                <OpenButton dialog=Dialog::Keys text="Keyboard shortcuts" />
            </div>
            <p role="status" id="share-status">{said}</p>
        </section>
    }
}

/// Selects the displayed link.
fn select() {
    if let Some(field) = browser::html_element(LINK).and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
        field.focus().ok();
        field.select();
    }
}
