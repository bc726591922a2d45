//! Reading of files that may have hundreds of MB, a profiler's trace or a report with a list of every request: in chunks between
//! frames of the page, while a dialog shows the progress and can cancel.

use leptos::prelude::*;

use super::content::Content;
use super::frame::{Frame, modal};
use crate::app::state::{Dialog, Progress, State};
use crate::measured::{Fault, LongReport, Measurement, TraceReader, read_long};
use crate::scenario::Problem;
use crate::units::{Amount, Bytes};

/// Length of a chunk, bytes. A chunk takes some tens of milliseconds.
const PIECE: f64 = 524_288.0;

/// A reader that takes a file in chunks.
pub(super) trait Chunks: Default {
    /// Takes the next bytes.
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault>;

    /// The points of the whole file.
    fn finish(self) -> Result<Vec<Measurement>, Fault>;
}

impl Chunks for TraceReader {
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        Self::feed(self, chunk)
    }

    fn finish(self) -> Result<Vec<Measurement>, Fault> {
        Self::finish(self).map(|point| vec![point])
    }
}

impl Chunks for LongReport {
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        Self::feed(self, chunk)
    }

    fn finish(self) -> Result<Vec<Measurement>, Fault> {
        read_long(self)
    }
}

/// Reads a file while a dialog shows the progress; `None` if the dialog is closed before the end.
pub(super) async fn points<R: Chunks>(
    state: State,
    content: &Content,
) -> Option<Result<Vec<Measurement>, Problem>> {
    let progress = Progress { done: ArcRwSignal::new(0.0), of: content.length() };
    let dialog = Dialog::Reading(progress.clone());
    state.dialog.set(Some(dialog.clone()));
    let refused = |fault: Fault| Problem::new("file", fault.to_string());
    let mut reader = R::default();
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
        <Frame title="Reading the file">
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
