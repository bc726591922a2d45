//! Dialogs over the page: at most one is open, and the state names it.

mod files;
mod frame;
mod keys;
mod tour;

use leptos::prelude::*;

use self::files::Files;
use self::keys::Keys;
use self::tour::Tour;
use super::state::state;
use crate::scenario::Problem;

pub(crate) use self::files::open_dropped;

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// Files in and out, with the problems of a file that was dropped on the page.
    Files(Vec<Problem>),
    /// Shortcuts.
    Keys,
    /// The guided tour.
    Tour,
}

impl Dialog {
    /// Machine name, which the buttons bear.
    const fn name(&self) -> &'static str {
        match self {
            Self::Files(_) => "files",
            Self::Keys => "keys",
            Self::Tour => "tour",
        }
    }
}

/// The dialog that is open, if any.
#[component]
pub(crate) fn Dialogs() -> impl IntoView {
    let state = state();
    move || {
        state.dialog.get().map(|dialog| match dialog {
            Dialog::Files(problems) => view! { <Files problems /> }.into_any(),
            Dialog::Keys => view! { <Keys /> }.into_any(),
            Dialog::Tour => view! { <Tour /> }.into_any(),
        })
    }
}

/// A button that opens a dialog.
#[component]
pub(crate) fn OpenButton(
    /// What it opens.
    dialog: Dialog,
    /// Its text.
    text: &'static str,
    /// Its class.
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
