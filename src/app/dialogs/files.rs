//! Files: a scenario, a checkpoint's `config.json`, a link, a benchmark or a log becomes the question; question and answer
//! become files.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

use super::frame::{Frame, modal};
use super::{Dialog, OpenButton, calibrate, read};
use crate::app::export;
use crate::app::state::{State, state};
use crate::measured::{self, Opened, Point};
use crate::scenario::{Problem, Scenario};
use crate::view::json;

/// Shows the question of a file that was dropped on the page; opens the dialog where there is something wrong with it.
pub(crate) fn open_dropped(state: State, file: File) {
    spawn_local(async move {
        let outcome = match text_of(&file).await {
            Ok(text) => visit(state, &text),
            Err(problem) => Err(vec![problem]),
        };
        match outcome {
            Ok(points) if points.is_empty() => {}
            Ok(points) => state.dialog.set(Some(Dialog::Read(points))),
            Err(problems) => state.dialog.set(Some(Dialog::Files(problems))),
        }
    });
}

/// The content of a file, read on this machine; that of a file which is too long is not asked for.
async fn text_of(file: &File) -> Result<String, Problem> {
    if let Some(problem) = measured::refused(file.size()) {
        return Err(problem);
    }
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    text.ok_or_else(|| Problem::new("file", "cannot be read"))
}

/// Makes the question of a text the page's question; points are those of a measurement, whose last is shown.
fn visit(state: State, text: &str) -> Result<Vec<Point>, Vec<Problem>> {
    let opened = state.scenario.with_untracked(|current| measured::open(current, text))?;
    match opened {
        Opened::Question(question) => {
            state.visit(*question);
            Ok(Vec::new())
        }
        Opened::Points(points) => {
            points.last().inspect(|point| read::visit(state, point));
            calibrate::keep(points.iter().map(|point| point.scenario.clone()));
            Ok(points)
        }
    }
}

/// The dialog; `problems` are those of a file that was dropped on the page.
#[component]
pub(super) fn Files(problems: Vec<Problem>) -> impl IntoView {
    view! {
        <Frame title="Files">
            <Open problems />
            <Save />
        </Frame>
    }
}

/// A file or a text that becomes the question.
#[component]
fn Open(problems: Vec<Problem>) -> impl IntoView {
    let state = state();
    let modal = modal();
    let problems = RwSignal::new(problems);
    let pasted = NodeRef::<html::Textarea>::new();
    let chooser = NodeRef::<html::Input>::new();
    let take = move |text: &str| match visit(state, text) {
        Ok(points) if points.is_empty() => modal.close(),
        // In place of this dialog.
        Ok(points) => state.dialog.set(Some(Dialog::Read(points))),
        Err(found) => problems.set(found),
    };
    let choose = move |_| {
        let file = chooser.get_untracked().and_then(|chooser| chooser.files()?.get(0));
        if let Some(file) = file {
            spawn_local(async move {
                match text_of(&file).await {
                    Ok(text) => take(&text),
                    Err(problem) => problems.set(vec![problem]),
                }
            });
        }
    };
    let paste = move |_| {
        if let Some(field) = pasted.get_untracked() {
            take(&field.value());
        }
    };
    let sentences = move || {
        problems.with(|problems| {
            problems.iter().map(|problem| view! { <p>{problem.to_string()}</p> }).collect_view()
        })
    };
    view! {
        <h3>"Open"</h3>
        <p>
            "A scenario, a calibration profile, the config.json of a model on Hugging Face, a link, or your own measurement: the result of a
             benchmark (vllm bench serve, SGLang, trtllm-bench, AIPerf, GuideLLM, llama-bench, MLPerf) or a training log
             (Megatron-LM, torchtitan, nanotron, DeepSpeed, MaxText, Composer, Hugging Face). It is read here and sent
             nowhere"
        </p>
        <label for="file-chooser">"A file; or drop it anywhere on the page"</label>
        <input
            type="file"
            id="file-chooser"
            accept=".json,.jsonl,.csv,.txt,.log,.out,.md,application/json,text/*"
            node_ref=chooser
            on:change=choose
        />
        <label for="file-text">"Or paste what is in it"</label>
        <textarea id="file-text" rows="8" spellcheck="false" node_ref=pasted></textarea>
        <div class="choices">
            <button type="button" id="file-use" on:click=paste>"Use this"</button>
        </div>
        <div role="status" class="wrong">{sentences}</div>
    }
}

/// The question and its answer as files.
#[component]
fn Save() -> impl IntoView {
    let state = state();
    let scenario = move |_| export::json(&state.scenario.with_untracked(Scenario::to_json), "scenario");
    let answer = move |_| {
        let answer = state.scenario.with_untracked(json::answer);
        export::json(&format!("{answer:#}\n"), "estimate");
    };
    view! {
        <h3>"Save"</h3>
        <div class="choices">
            <button type="button" id="file-scenario" on:click=scenario>"Scenario (JSON)"</button>
            <button type="button" id="file-answer" on:click=answer>"Estimate (JSON)"</button>
        </div>
        <h3>"Calibrate"</h3>
        <p>"Fit constants to rows that you measured, and predict everything else with them"</p>
        <div class="choices">
            <OpenButton dialog=Dialog::Calibrate text="Calibrate on your rows" />
        </div>
    }
}
