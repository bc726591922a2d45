//! The Calibrate dialog: the profile fitted to collected measured rows.

use leptos::prelude::*;

use super::collected::CollectedRows;
use super::fitting::{FitProgress, Fitting};
use super::frame::Frame;
use crate::app::collected::confirmed;
use crate::app::export;
use crate::app::parts::Rows;
use crate::app::state::state;
use crate::calibration::{Calibration, Row, rows_of};
use crate::scenario::{Profile, Scenario};
use crate::view::{TablePart, calibration};

/// A calibration and the rows that it was fitted to.
#[derive(Clone, Debug, PartialEq)]
struct Fitted {
    rows: Vec<Row>,
    found: Calibration,
}

/// The dialog.
#[component]
pub(super) fn Calibrate() -> impl IntoView {
    let fitted: RwSignal<Option<Result<Fitted, String>>> = RwSignal::new(None);
    let fitting = Fitting::new();
    let run = move |_| {
        let rows: Vec<Row> =
            untrack(confirmed).iter().flat_map(|(name, question)| rows_of(question, name)).collect();
        fitted.set(None);
        fitting.start(rows, move |rows, result| {
            let outcome = result.map(|found| Fitted { rows, found }).map_err(|error| error.to_string());
            let _ = fitted.try_set(Some(outcome));
        });
    };
    let changed = move || {
        fitting.cancel();
        fitted.set(None);
    };
    let outcome = move || {
        fitted.get().map(|fitted| match fitted {
            Ok(fitted) => view! { <Outcome fitted /> }.into_any(),
            Err(message) => view! { <p class="wrong">{message}</p> }.into_any(),
        })
    };
    let none = move || confirmed().is_empty();
    view! {
        <Frame title="Calibrate">
            <p>
                "Five corrections to calibrated constants, fitted to rows that you measured on one system. They apply to its
                 device in every view and are part of the link; your rows stay in this tab, or in a file that you save"
            </p>
            <CollectedRows changed />
            <div class="choices">
                <button type="button" id="calibrate-run" disabled=none on:click=run>"Calibrate on these rows"</button>
            </div>
            <FitProgress fitting />
            <div role="status">{outcome}</div>
            <Applied />
        </Frame>
    }
}

/// The result of a fit, and controls to apply or save it.
#[component]
fn Outcome(fitted: Fitted) -> impl IntoView {
    let state = state();
    let name = RwSignal::new(String::new());
    let parts = calibration::tables(&fitted.rows, &fitted.found);
    // Corrections that explain little are not what a visitor should do next.
    let doubted = !calibration::explains(&fitted.found);
    let found = StoredValue::new(fitted.found);
    let profile = move || name.with_untracked(|name| found.with_value(|found| found.profile(name.trim())));
    let apply = move |_| {
        let question = Scenario { profile: profile(), ..state.scenario.get_untracked() };
        state.visit(question);
    };
    let save = move |_| {
        let document = serde_json::json!({ "profile": profile() });
        export::json(&format!("{document:#}\n"), "profile");
    };
    view! {
        {parts.map(|part| view! { <Table part /> }).collect_view()}
        <label for="calibrate-name">"Name of the profile"</label>
        <input
            type="text"
            id="calibrate-name"
            maxlength="80"
            prop:value=name
            on:input=move |event| name.set(event_target_value(&event))
        />
        <div class="choices">
            <button type="button" id="calibrate-apply" class:quiet=doubted on:click=apply>
                {if doubted { "Apply nevertheless, in every view" } else { "Apply in every view" }}
            </button>
            <button type="button" id="calibrate-save" class:quiet=doubted on:click=save>"Save (JSON)"</button>
        </div>
    }
}

/// One table of the result.
#[component]
fn Table(part: TablePart) -> impl IntoView {
    let TablePart { title, finding, table, .. } = part;
    let (table, caption) = (Memo::new(move |_| table.clone()), title.clone());
    let caption = Memo::new(move |_| caption.clone());
    view! {
        <h3>{title}</h3>
        <p>{finding}</p>
        <div class="scroll" role="region" tabindex="0" aria-label=move || caption.get()>
            <Rows table title=caption most=None />
        </div>
    }
}

/// The profile of the question, with controls to switch it off or remove it.
#[component]
fn Applied() -> impl IntoView {
    let state = state();
    let change = move |change: fn(&mut Profile)| {
        let mut question = state.scenario.get_untracked();
        change(&mut question.profile);
        state.visit(question);
    };
    let shown = move || {
        let (profile, applied) =
            state.scenario.with(|scenario| (scenario.profile.clone(), scenario.profile_sentence()));
        (!profile.is_empty()).then(|| {
            let off = profile.off;
            let sentence = applied.unwrap_or_else(|| format!("{}, is not applied", profile.described()));
            view! {
                <h3>"Profile of this question"</h3>
                <p>{sentence}</p>
                <div class="choices">
                    <button
                        type="button"
                        id="calibrate-off"
                        on:click=move |_| change(|profile| profile.off = !profile.off)
                    >
                        {if off { "Turn on" } else { "Turn off" }}
                    </button>
                    <button
                        type="button"
                        id="calibrate-remove"
                        on:click=move |_| change(|profile| *profile = Profile::default())
                    >
                        "Remove"
                    </button>
                </div>
            }
        })
    };
    view! { <div>{shown}</div> }
}
