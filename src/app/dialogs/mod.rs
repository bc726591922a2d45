//! Dialogs over the page. At most one is open; the state holds which.

mod calibrate;
mod checkpoint_header;
mod collected;
mod compare;
mod content;
mod files;
mod fitting;
mod frame;
mod keys;
mod layout;
mod open_button;
mod own;
mod pick;
mod read;
mod reading;
mod report;
mod searched;
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
use self::reading::Reading;
use self::report::Report;
use self::share::Share;
use self::tour::Tour;
use super::state::{Dialog, state};

pub(crate) use self::files::open_dropped;
pub(crate) use self::open_button::OpenButton;
pub(crate) use self::pick::{Pick, Picking};

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
