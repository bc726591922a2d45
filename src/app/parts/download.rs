//! A button that saves a file.

use leptos::prelude::*;

/// The button, with the file's kind as its text.
#[component]
pub(super) fn Download(
    /// The file's kind.
    name: &'static str,
    /// Label of the button for screen readers.
    label: &'static str,
    /// Saves the file.
    save: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button type="button" data-export=name aria-label=label on:click=move |_| save()>
            {name.to_ascii_uppercase()}
        </button>
    }
}
