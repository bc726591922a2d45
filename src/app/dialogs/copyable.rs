//! A text with a button that copies it.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::app::clipboard;

/// The most rows that a text takes before it scrolls.
const MAX_ROWS: usize = 6;

/// A text under its label, with a button that copies it.
#[component]
pub(super) fn Copyable(label: &'static str, #[prop(into)] text: Signal<String>) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let status = RwSignal::new("");
    let id = format!("copy-{}", label.to_ascii_lowercase().replace(' ', "-"));
    let copy = move |_| {
        status.set("");
        spawn_local(async move {
            let selected = || {
                field.get_untracked().is_some_and(|field| {
                    field.select();
                    clipboard::copy_selection()
                })
            };
            let done = clipboard::write(&text.get_untracked()).await || selected();
            status.set(if done { "Copied" } else { "Press Ctrl+C or ⌘C" });
        });
    };
    let rows = move || text.with(|text| text.lines().count().min(MAX_ROWS).to_string());
    view! {
        <div class="copyable">
            <label for=id.clone()>{label}</label>
            <textarea id=id node_ref=field readonly spellcheck="false" rows=rows prop:value=move || text.get()></textarea>
            <button type="button" aria-label=format!("Copy {label}") on:click=copy>"Copy"</button>
            <span role="status">{status}</span>
        </div>
    }
}
