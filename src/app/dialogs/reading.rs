//! Reading of a profiler's trace, which may have hundreds of MB: in chunks between frames of the page, while a dialog shows the
//! progress and can cancel.

use leptos::prelude::*;

use super::content::Content;
use super::frame::{Frame, modal};
use crate::app::state::{Dialog, Progress, State};
use crate::measured::{self, Measurement, TraceReader};
use crate::scenario::Problem;
use crate::units::{Amount, Bytes};

/// Length of a chunk, bytes. A chunk takes some tens of milliseconds.
const PIECE: f64 = 524_288.0;

/// Reads a trace while a dialog shows the progress; `None` if the dialog is closed before the end.
pub(super) async fn trace(state: State, content: &Content) -> Option<Result<Measurement, Problem>> {
    let progress = Progress { done: ArcRwSignal::new(0.0), of: content.length() };
    let dialog = Dialog::Reading(progress.clone());
    state.dialog.set(Some(dialog.clone()));
    let refused = |fault: measured::Fault| Problem::new("file", fault.to_string());
    let mut reader = TraceReader::default();
    let mut pieces = match content.pieces() {
        Ok(pieces) => pieces,
        Err(problem) => return Some(Err(problem)),
    };
    loop {
        let piece = pieces.next(PIECE).await;
        if state.dialog.with_untracked(|shown| shown.as_ref() != Some(&dialog)) {
            pieces.cancel();
            return None;
        }
        match piece {
            Ok(piece) if piece.is_empty() => return Some(reader.finish().map_err(refused)),
            Ok(piece) => {
                if let Err(fault) = reader.feed(&piece) {
                    pieces.cancel();
                    return Some(Err(refused(fault)));
                }
                progress.done.update(|done| *done += piece.len() as f64);
            }
            Err(problem) => return Some(Err(problem)),
        }
    }
}

/// The dialog that shows the progress.
#[component]
pub(super) fn Reading(progress: Progress) -> impl IntoView {
    let Progress { done, of } = progress;
    let amount = |bytes: f64| Amount::traffic(Bytes::new(bytes)).to_string();
    let (read, share) = (done.clone(), done);
    view! {
        <Frame title="Reading the trace">
            <p>{move || format!("{} of {} read", amount(read.get()), amount(of))}</p>
            <progress aria-label="Progress" max=of value=move || share.get()></progress>
            <div class="choices">
                <Cancel />
            </div>
        </Frame>
    }
}

/// The button that cancels the reading.
#[component]
fn Cancel() -> impl IntoView {
    let modal = modal();
    view! { <button type="button" id="read-cancel" on:click=move |_| modal.close()>"Cancel"</button> }
}
