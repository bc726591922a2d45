//! Progress bar of an answer, with a button to cancel it.

use leptos::prelude::*;

use crate::app::answer;
use crate::app::state::{Status, state};
use crate::scenario::View;
use crate::units::Amount;

/// Progress in percent with a Cancel button; after a failure or a cancellation, the reason and a Try again button.
#[component]
pub(super) fn Progress() -> impl IntoView {
    let state = state();
    let (status, progress) = (state.shown.status, state.shown.progress);
    let waiting = move || progress.get().is_some();
    let bar = move || progress.get().filter(|(_, of)| *of > 0);
    let ended = move || matches!(status.get(), Status::Cancelled | Status::Failed(_));
    let text = move || match (status.get(), bar()) {
        (Status::Cancelled, _) => {
            "Cancelled: what is shown is incomplete, or answers an earlier question".to_owned()
        }
        (Status::Failed(why), _) => why,
        (_, Some((done, of))) => format!("{} done", Amount::percent(f64::from(done) / f64::from(of))),
        _ if !waiting() => String::new(),
        _ if state.view.get() == View::Validation => "Loading the measured rows".to_owned(),
        _ => "Loading this view".to_owned(),
    };
    // The bar appears late, so that an answer may be incomplete without one.
    let quiet = move || match () {
        () if waiting() || ended() => None,
        () if state.shown.settled() => Some("answered"),
        () => Some("awaited"),
    };
    view! {
        <div class="progress" data-status=quiet>
            // The status announces the end to screen readers; the progress element reports the progress.
            <p role=move || ended().then_some("status")>{text}</p>
            <Show when=waiting>
                <progress
                    aria-label="Progress"
                    max=move || bar().map(|(_, of)| of)
                    value=move || bar().map(|(done, _)| done)
                ></progress>
                <button type="button" id="cancel" on:click=move |_| answer::cancel(state)>"Cancel"</button>
            </Show>
            <Show when=ended>
                <button type="button" id="again" on:click=move |_| answer::ask(state)>"Try again"</button>
            </Show>
        </div>
    }
}
