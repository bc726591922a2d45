//! A text with a button that copies it.

use leptos::html;
use leptos::prelude::*;

use super::clipboard;

/// Rows that a text takes before it scrolls, unless more are asked for.
const MAX_ROWS: usize = 8;

/// A text under its label, with a button that copies it.
#[component]
pub(super) fn Copyable(
    /// Label above the text.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// Rows that it takes before it scrolls.
    #[prop(default = MAX_ROWS)]
    rows: usize,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let status = RwSignal::new("");
    let id = label.with_untracked(|label| {
        let lower = label.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|mark: char| !mark.is_ascii_alphanumeric()).collect();
        format!("copy-{}", words.join("-"))
    });
    let select = move || {
        if let Some(field) = field.get_untracked() {
            field.select();
        }
    };
    let copy = move |_| clipboard::copy(text.get_untracked(), Box::new(select), status);
    let lines = move || text.with(|text| text.lines().count().min(rows).to_string());
    view! {
        <div class="copyable">
            <label for=id.clone()>{label}</label>
            <textarea id=id node_ref=field readonly spellcheck="false" rows=lines prop:value=move || text.get()></textarea>
            <button type="button" aria-label=move || label.with(|label| format!("Copy {label}")) on:click=copy>"Copy"</button>
            <span role="status">{status}</span>
        </div>
    }
}
