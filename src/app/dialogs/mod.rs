//! Dialogs over the page. At most one is open; the state holds which.

mod calibrate;
mod checkpoint_header;
mod collected;
mod compare;
mod content;
mod files;
mod frame;
mod keys;
mod layout;
mod own;
mod pick;
mod read;
mod reading;
mod report;
mod share;
mod tour;

use leptos::prelude::*;

use self::calibrate::Calibrate;
use self::compare::Compare;
use self::files::Files;
use self::frame::Frame;
use self::keys::Keys;
use self::own::OwnDialog;
use self::pick::PickDialog;
use self::read::Read;
use self::reading::{Progress, Reading};
use self::report::Report;
use self::share::Share;
use self::tour::Tour;
use super::state::state;
use crate::measured::Point;
use crate::scenario::Problem;
use crate::scenario::own::Kind;

pub(crate) use self::compare::stored;
pub(crate) use self::files::open_dropped;
pub(crate) use self::pick::{Pick, Picking};

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// Measured rows, and the profile fitted to them.
    Calibrate,
    /// Questions side by side.
    Compare,
    /// Controls to open and save files, with the problems of a file that was dropped on the page.
    Files(Vec<Problem>),
    /// The result of opening a benchmark, a log, a launch command or a trace.
    Read(Vec<Point>),
    /// The progress of reading a profiler's trace.
    Reading(Progress),
    /// Keyboard shortcuts.
    Keys,
    /// A model or a GPU of the visitor's own.
    Own(Kind),
    /// The question and its answer as a printable page.
    Report,
    /// Links, embedding code and a citation of the question.
    Share,
    /// The guided tour.
    Tour,
}

impl Dialog {
    /// Machine name, the `data-tool` attribute of the buttons that open the dialog.
    const fn name(&self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Compare => "compare",
            Self::Files(_) => "files",
            Self::Read(_) => "read",
            Self::Reading(_) => "reading",
            Self::Keys => "keys",
            Self::Own(Kind::Gpu) => "own-gpu",
            Self::Own(Kind::Model) => "own-model",
            Self::Report => "report",
            Self::Share => "share",
            Self::Tour => "tour",
        }
    }
}

/// The open dialog and the open list search, if any.
#[component]
pub(crate) fn Dialogs() -> impl IntoView {
    let state = state();
    let dialog = move || {
        state.dialog.get().map(|dialog| match dialog {
            Dialog::Calibrate => view! { <Calibrate /> }.into_any(),
            Dialog::Compare => view! { <Compare /> }.into_any(),
            Dialog::Files(problems) => view! { <Files problems /> }.into_any(),
            Dialog::Read(points) => {
                let title = points.first().map_or("File", |point| point.report.contents.title());
                view! { <Frame title><Read points /></Frame> }.into_any()
            }
            Dialog::Reading(progress) => view! { <Reading progress /> }.into_any(),
            Dialog::Keys => view! { <Keys /> }.into_any(),
            Dialog::Own(kind) => view! { <OwnDialog kind /> }.into_any(),
            Dialog::Report => view! { <Report /> }.into_any(),
            Dialog::Share => view! { <Share /> }.into_any(),
            Dialog::Tour => view! { <Tour /> }.into_any(),
        })
    };
    let picking: Picking = expect_context();
    let search = move || picking.get().map(|list| view! { <PickDialog list /> });
    view! {
        {dialog}
        {search}
    }
}

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
