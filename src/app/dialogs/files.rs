//! The Files dialog. Opens scenarios, calibration profiles, model configurations (`config.json`), headers of checkpoints,
//! links, measurements, launch commands and request traces; saves the question and its answer.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, FileList};

use super::content::Content;
use super::frame::{Frame, modal};
use super::open_button::OpenButton;
use super::reading::Chunks;
use super::{checkpoint_header, read, reading};
use crate::app::notices::paragraphs;
use crate::app::state::{Dialog, State, state};
use crate::app::{answer, collected, export};
use crate::measured::{self, LongReport, Opened, TraceReader};
use crate::scenario::{Problem, Scenario, View, checkpoint};
use crate::serving::simulation::Lengths;
use crate::view::{json, trace};

/// Number of bytes at the start of a file that identify its format.
const BEGINNING: f64 = measured::TRACE_HEAD as f64;

/// Opens files dropped on the page. If some cannot be read, the dialog shows why.
pub(crate) fn open_dropped(state: State, files: &FileList) {
    let files = listed(files);
    spawn_local(async move {
        match open_each(state, files).await {
            Some(Ok(Some(dialog))) => state.dialog.set(Some(dialog)),
            Some(Err(problems)) => state.dialog.set(Some(Dialog::Files(problems))),
            _ => {}
        }
    });
}

fn listed(files: &FileList) -> Vec<File> {
    (0..files.length()).filter_map(|place| files.get(place)).collect()
}

/// Opens files one after the other and shows the last one's question; all of their measurements are kept. `None` if reading
/// was cancelled.
async fn open_each(state: State, files: Vec<File>) -> Option<Next> {
    let several = files.len() > 1;
    let (mut last, mut problems) = (Ok(None), Vec::new());
    // Model Optimizer writes the number formats of a model into `hf_quant_config.json`, beside the `config.json` that describes
    // the model. They are opened last, since they complete the model of the question.
    let (formats, others): (Vec<File>, Vec<File>) =
        files.into_iter().partition(|file| file.name().starts_with("hf_quant_config"));
    for file in others.into_iter().chain(formats) {
        let name = file.name();
        match open(state, file).await? {
            Err(found) if several => {
                problems.extend(found.into_iter().map(|problem| Problem::new(name.clone(), problem.message)));
            }
            opened => last = opened,
        }
    }
    Some(if problems.is_empty() { last } else { Err(problems) })
}

/// What opening a file leads to: the dialog that shows what was read; `None` for a question, which the page shows.
type Next = Result<Option<Dialog>, Vec<Problem>>;

/// Opens a file and shows its question; `None` if reading was cancelled.
async fn open(state: State, file: File) -> Option<Next> {
    let content = Content::of(file).await;
    let opened = match content.beginning(BEGINNING).await {
        Err(problem) => Err(vec![problem]),
        Ok(beginning) if measured::is_trace(&beginning) => open_long::<TraceReader>(state, &content).await?,
        Ok(beginning) if checkpoint::is_checkpoint(&beginning) => open_checkpoint(state, &content).await,
        Ok(beginning) if content.is_long() && measured::is_report(&beginning) => {
            open_long::<LongReport>(state, &content).await?
        }
        Ok(_) => content.text().await.map_err(|problem| vec![problem]).and_then(|text| visit(state, &text)),
    };
    Some(opened)
}

/// Opens a measurement in chunks while a dialog shows the progress; `None` if that dialog is closed before the end.
async fn open_long<R: Chunks>(state: State, content: &Content) -> Option<Next> {
    let points = reading::points::<R>(state, content).await?;
    let opened = |points: Vec<_>| state.scenario.with_untracked(|current| measured::opened(current, &points));
    Some(points.map(|points| shown(state, opened(points))).map_err(|problem| vec![problem]))
}

/// Opens the model of a checkpoint, of which only the header is read.
async fn open_checkpoint(state: State, content: &Content) -> Next {
    let current = state.scenario.get_untracked();
    let question = checkpoint_header::model(&current, content).await?;
    state.visit(question);
    Ok(None)
}

/// Opens a text and shows its question.
fn visit(state: State, text: &str) -> Next {
    let opened = state.scenario.with_untracked(|current| measured::open(current, text))?;
    if let Opened::Points(points) = &opened
        && points.iter().any(|point| point.scenario.sizing.lengths == Lengths::Trace)
    {
        answer::keep_trace(state, text);
    }
    Ok(shown(state, opened))
}

/// Shows an opened file: the question, or the last point of a measurement.
fn shown(state: State, opened: Opened) -> Option<Dialog> {
    collected::keep(&opened);
    match opened {
        Opened::Question(question) => {
            state.visit(*question);
            None
        }
        Opened::Points(points) => {
            points.last().inspect(|point| read::visit(state, point));
            Some(Dialog::Read(points))
        }
        Opened::Rows(_) => Some(Dialog::Calibrate),
    }
}

/// The dialog. `problems` are those of a file that was dropped on the page.
#[component]
pub(super) fn Files(problems: Vec<Problem>) -> impl IntoView {
    view! {
        <Frame title="Files">
            <Open problems />
            <Save />
        </Frame>
    }
}

/// Controls to open a file or a pasted text.
#[component]
fn Open(problems: Vec<Problem>) -> impl IntoView {
    let state = state();
    let modal = modal();
    let problems = RwSignal::new(problems);
    let pasted = RwSignal::new(String::new());
    let chooser = NodeRef::<html::Input>::new();
    let take = move |text: &str| match visit(state, text) {
        Ok(None) => modal.close(),
        // Replaces this dialog.
        Ok(dialog) => state.dialog.set(dialog),
        Err(found) => problems.set(found),
    };
    let choose = move |_| {
        let files = chooser.get_untracked().and_then(|chooser| chooser.files());
        // A chooser that is cancelled may report that it has none.
        let Some(files) = files.filter(|files| files.length() > 0).map(|files| listed(&files)) else {
            return;
        };
        spawn_local(async move {
            match open_each(state, files).await {
                Some(Ok(None)) => modal.close(),
                Some(Ok(dialog)) => state.dialog.set(dialog),
                // The progress of a trace has replaced this dialog.
                Some(Err(found)) => {
                    if let Some(found) = problems.try_set(found) {
                        state.dialog.set(Some(Dialog::Files(found)));
                    }
                }
                None => {}
            }
        });
    };
    let paste = move |_| take(&pasted.get_untracked());
    view! {
        <h3>"Open"</h3>
        <p>
            "A question, a calibration profile, measured rows that you saved, a model (config.json or params.json, also
             dropped together with hf_quant_config.json, or a GGUF or safetensors checkpoint, of which only the header is read), a link, a launch command, a request
             trace, or your own measurement: a benchmark result (vllm bench serve, SGLang, trtllm-bench, AIPerf, GuideLLM,
             llm-d-benchmark, llama-bench, MLPerf), a training log (Megatron-LM, torchtitan, nanotron, DeepSpeed,
             MaxText, Composer, Hugging Face, Unsloth) or a profile (PyTorch profiler trace, nsys stats). Files may
             be compressed by gzip. They are read in your browser and not uploaded"
        </p>
        <label for="file-chooser">"Choose files, or drop them anywhere on the page"</label>
        <input
            type="file"
            id="file-chooser"
            multiple
            accept=".json,.jsonl,.csv,.txt,.log,.out,.md,.yaml,.yml,.gz,.gguf,.safetensors,application/json,text/*"
            node_ref=chooser
            on:change=choose
        />
        <label for="file-text">"Or paste its text"</label>
        <textarea
            id="file-text"
            rows="8"
            spellcheck="false"
            prop:value=pasted
            on:input=move |event| pasted.set(event_target_value(&event))
        ></textarea>
        <div class="choices">
            <button type="button" id="file-use" on:click=paste>"Open this text"</button>
        </div>
        <div role="status" class="wrong">{move || problems.with(|problems| paragraphs(problems))}</div>
    }
}

/// Controls to save the question and its answer, and to calibrate.
#[component]
fn Save() -> impl IntoView {
    let state = state();
    let scenario = move |_| export::json(&state.scenario.with_untracked(Scenario::to_json), "scenario");
    let answer = move |_| {
        let answer = state.scenario.with_untracked(json::estimate_or_problems);
        export::json(&format!("{answer:#}\n"), "estimate");
    };
    let problems = RwSignal::new(Vec::new());
    let timeline = move |_| match state.scenario.with_untracked(trace::chrome) {
        Ok(trace) => export::json(&serde_json::json!(trace).to_string(), "timeline"),
        Err(found) => problems.set(found),
    };
    let trains = move || state.scenario.with(|scenario| scenario.view == View::Training);
    view! {
        <h3>"Save"</h3>
        <div class="choices">
            <button type="button" id="file-scenario" on:click=scenario>"Question (JSON)"</button>
            <button type="button" id="file-answer" on:click=answer>"Estimate (JSON)"</button>
            <Show when=trains>
                <button
                    type="button"
                    id="file-timeline"
                    aria-describedby="file-timeline-note"
                    on:click=timeline
                >
                    "Timeline (Chrome trace)"
                </button>
            </Show>
        </div>
        <Show when=trains>
            <p id="file-timeline-note">"The timeline opens in Perfetto: passes, messages and memory of each pipeline stage"</p>
        </Show>
        <div role="status" class="wrong">{move || problems.with(|problems| paragraphs(problems))}</div>
        <h3>"Calibrate"</h3>
        <p>"Fit corrections to your own measurements, and apply them to every prediction"</p>
        <div class="choices">
            <OpenButton dialog=Dialog::Calibrate text="Calibrate on your measurements" />
        </div>
    }
}
