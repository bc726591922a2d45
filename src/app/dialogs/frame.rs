//! Frame of every dialog: a modal `<dialog>` element with a title and a button that closes it.

use leptos::html;
use leptos::prelude::*;

use crate::app::state::state;

/// The open dialog, as a Leptos context for its content.
#[derive(Clone, Copy)]
pub(super) struct Modal(NodeRef<html::Dialog>);

impl Modal {
    /// A dialog that opens as soon as its element is in the document.
    pub(super) fn new() -> Self {
        let place = NodeRef::<html::Dialog>::new();
        place.on_load(|dialog| drop(dialog.show_modal()));
        Self(place)
    }

    /// The reference to the dialog's element.
    pub(super) const fn place(self) -> NodeRef<html::Dialog> {
        self.0
    }

    /// Closes the dialog. The browser returns the focus to the element that had it before.
    pub(super) fn close(self) {
        if let Some(dialog) = self.0.get_untracked() {
            dialog.close();
        }
    }
}

/// The dialog that contains the current component.
pub(super) fn modal() -> Modal {
    expect_context()
}

/// A dialog with a heading and a button that closes it; Escape closes it as well.
#[component]
pub(super) fn Frame(title: &'static str, children: Children) -> impl IntoView {
    let state = state();
    let modal = Modal::new();
    provide_context(modal);
    view! {
        <dialog
            class="tool"
            aria-labelledby="tool-title"
            node_ref=modal.place()
            on:close=move |_| state.dialog.set(None)
        >
            <div class="tool-head">
                <h2 id="tool-title">{title}</h2>
                <button type="button" on:click=move |_| modal.close()>"Close"</button>
            </div>
            {children()}
        </dialog>
    }
}
