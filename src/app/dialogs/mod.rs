//! Dialogs over the page: at most one is open, and the state names it.

mod calibrate;
mod compare;
mod files;
mod frame;
mod keys;
mod pick;
mod read;
mod report;
mod share;
mod tour;

use leptos::prelude::*;

use self::calibrate::Calibrate;
use self::compare::Compare;
use self::files::Files;
use self::frame::Frame;
use self::keys::Keys;
use self::pick::PickDialog;
use self::read::Read;
use self::report::Report;
use self::share::Share;
use self::tour::Tour;
use super::state::state;
use crate::measured::Point;
use crate::scenario::Problem;

pub(crate) use self::compare::stored;
pub(crate) use self::files::open_dropped;
pub(crate) use self::pick::{Pick, Picking};

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// Measured rows, and the profile that is fitted to them.
    Calibrate,
    /// Questions side by side.
    Compare,
    /// Files in and out, with the problems of a file that was dropped on the page.
    Files(Vec<Problem>),
    /// What was read of a benchmark or a log.
    Read(Vec<Point>),
    /// Shortcuts.
    Keys,
    /// The question and its answer to print.
    Report,
    /// The question to embed or cite.
    Share,
    /// The guided tour.
    Tour,
}

impl Dialog {
    /// Machine name, which the buttons bear.
    const fn name(&self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Compare => "compare",
            Self::Files(_) => "files",
            Self::Read(_) => "read",
            Self::Keys => "keys",
            Self::Report => "report",
            Self::Share => "share",
            Self::Tour => "tour",
        }
    }
}

/// The dialog that is open, and the search of a list that is open.
#[component]
pub(crate) fn Dialogs(
    /// The list that is searched.
    pick: Picking,
) -> impl IntoView {
    let state = state();
    let dialog = move || {
        state.dialog.get().map(|dialog| match dialog {
            Dialog::Calibrate => view! { <Calibrate /> }.into_any(),
            Dialog::Compare => view! { <Compare /> }.into_any(),
            Dialog::Files(problems) => view! { <Files problems /> }.into_any(),
            Dialog::Read(points) => {
                view! { <Frame title="Your measurement"><Read points /></Frame> }.into_any()
            }
            Dialog::Keys => view! { <Keys /> }.into_any(),
            Dialog::Report => view! { <Report /> }.into_any(),
            Dialog::Share => view! { <Share /> }.into_any(),
            Dialog::Tour => view! { <Tour /> }.into_any(),
        })
    };
    let search = move || pick.get().map(|list| view! { <PickDialog list pick /> });
    view! {
        {dialog}
        {search}
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
