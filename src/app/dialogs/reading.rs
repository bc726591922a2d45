//! Files that are too long to be read at once: a profiler's trace of up to hundreds of MB, in chunks between frames of the
//! page, while a dialog shows the progress and can cancel; a checkpoint, of which the beginning is enough.

use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::Dialog;
use super::frame::{Frame, modal};
use crate::app::state::State;
use crate::measured::{self, Measurement, TraceReader};
use crate::scenario::{Problem, Scenario, checkpoint};
use crate::units::{Amount, Bytes};

/// Length of a chunk, bytes. A chunk takes some tens of milliseconds.
const PIECE: f64 = 524_288.0;

/// Progress of reading a trace. Closing the dialog cancels it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// Bytes read.
    done: ArcRwSignal<f64>,
    /// Size of the file, bytes.
    of: f64,
}

/// Returns true if a file is a trace, judged by its first bytes.
pub(super) async fn is_trace(file: &File) -> bool {
    let head = bytes(file, 0.0, measured::TRACE_HEAD as f64).await;
    head.is_ok_and(|head| measured::is_trace(&head))
}

/// Length of the first piece of a checkpoint, bytes. Each further one is twice as long as all before.
const HEADER: f64 = 1_048_576.0;

/// Returns true if a file is a checkpoint (GGUF, safetensors), by its beginning.
pub(super) async fn is_checkpoint(file: &File) -> bool {
    let beginning = bytes(file, 0.0, checkpoint::BEGINNING as f64).await;
    beginning.is_ok_and(|beginning| checkpoint::is_checkpoint(&beginning))
}

/// Reads the model of a checkpoint from as much of its file as the header needs.
pub(super) async fn model(current: &Scenario, file: &File) -> Result<Scenario, Vec<Problem>> {
    let mut length = HEADER;
    loop {
        let beginning = bytes(file, 0.0, length.min(file.size())).await.map_err(|problem| vec![problem])?;
        if let Some(read) = checkpoint::import(current, &beginning) {
            return read;
        }
        if length >= file.size() {
            return Err(vec![Problem::new("file", "ends within its header")]);
        }
        length *= 3.0;
    }
}

/// Reads a trace while a dialog shows the progress; `None` if the dialog is closed before the end.
pub(super) async fn trace(state: State, file: &File) -> Option<Result<Measurement, Problem>> {
    let progress = Progress { done: ArcRwSignal::new(0.0), of: file.size() };
    let dialog = Dialog::Reading(progress.clone());
    state.dialog.set(Some(dialog.clone()));
    let refused = |fault: measured::Fault| Problem::new("file", fault.to_string());
    let mut reader = TraceReader::default();
    let mut from = 0.0;
    while from < progress.of {
        let piece = bytes(file, from, from + PIECE).await;
        if state.dialog.with_untracked(|shown| shown.as_ref() != Some(&dialog)) {
            return None;
        }
        let fed = piece.and_then(|piece| reader.feed(&piece).map_err(refused));
        if let Err(problem) = fed {
            return Some(Err(problem));
        }
        from = (from + PIECE).min(progress.of);
        progress.done.set(from);
    }
    Some(reader.finish().map_err(refused))
}

/// Reads the bytes of a file from `from` to `to`.
async fn bytes(file: &File, from: f64, to: f64) -> Result<Vec<u8>, Problem> {
    let unread = |_| Problem::new("file", "cannot be read");
    let piece = file.slice_with_f64_and_f64(from, to).map_err(unread)?;
    let buffer = JsFuture::from(piece.array_buffer()).await.map_err(unread)?;
    Ok(Uint8Array::new(&buffer).to_vec())
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
