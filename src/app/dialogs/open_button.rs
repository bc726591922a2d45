//! A button that opens a dialog.

use leptos::prelude::*;

use crate::app::state::{Dialog, state};

/// A button that opens a dialog.
#[component]
pub(crate) fn OpenButton(
    /// The dialog that it opens.
    dialog: Dialog,
    /// Text of the button.
    text: &'static str,
    /// Class attribute.
    #[prop(optional)]
    class: Option<&'static str>,
) -> impl IntoView {
    let state = state();
    view! {
        <button
            type="button"
            class=class
            data-tool=dialog.name()
            on:click=move |_| state.dialog.set(Some(dialog.clone()))
        >
            {text}
        </button>
    }
}
