//! The Calibrate dialog: collected measured rows, and the profile fitted to them.

use leptos::html;
use leptos::prelude::*;

use super::frame::Frame;
use crate::app::export;
use crate::app::parts::Rows;
use crate::app::state::state;
use crate::calibration::{Calibration, MAX_ROWS, Row, fit, rows_of};
use crate::scenario::{Profile, Scenario};
use crate::view::{TablePart, calibration};

thread_local! {
    /// Questions with measured values, kept while the page is open. A thread-local, since files can be dropped while
    /// the dialog is closed.
    static ROWS: ArcRwSignal<Vec<Scenario>> = ArcRwSignal::new(Vec::new());
}

fn rows() -> ArcRwSignal<Vec<Scenario>> {
    ROWS.with(Clone::clone)
}

/// What became of a question whose measured values were to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// It is a new row, at this place.
    New(usize),
    /// It was a row before, at this place.
    Known(usize),
    /// It has no measured value.
    Nothing,
    /// More values than a calibration takes.
    TooMany,
}

impl Kept {
    /// The outcome in a sentence without a full stop.
    fn sentence(self) -> String {
        match self {
            Self::New(place) => format!("Added as row {}", place + 1),
            Self::Known(place) => format!("Not added: row {} has these values already", place + 1),
            Self::Nothing => "Not added: this question has no measured value".to_owned(),
            Self::TooMany => format!("Not added: a calibration takes at most {MAX_ROWS} values"),
        }
    }
}

/// Adds a question with measured values to the rows, unless it is there already.
fn put(rows: &mut Vec<Scenario>, question: Scenario) -> Kept {
    let question = Scenario { profile: Profile::default(), ..question };
    let values = |question: &Scenario| rows_of(question, "").len();
    if question.measured.is_empty() {
        return Kept::Nothing;
    }
    if let Some(place) = rows.iter().position(|row| *row == question) {
        return Kept::Known(place);
    }
    if rows.iter().map(values).sum::<usize>() + values(&question) > MAX_ROWS {
        return Kept::TooMany;
    }
    rows.push(question);
    Kept::New(rows.len() - 1)
}

/// Adds questions with measured values to the rows. Duplicates are skipped.
pub(super) fn keep(questions: impl IntoIterator<Item = Scenario>) {
    rows().update(|rows| {
        for question in questions {
            put(rows, question);
        }
    });
}

/// Name of a row: its number and its source.
fn name(place: usize, question: &Scenario) -> String {
    match question.measured.from.as_str() {
        "" => format!("Row {}", place + 1),
        from => format!("Row {}, {from}", place + 1),
    }
}

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
    let run = move |_| {
        let rows: Vec<Row> = rows().with_untracked(|rows| {
            let all = rows.iter().enumerate();
            all.flat_map(|(place, question)| rows_of(question, &name(place, question))).collect()
        });
        fitted.set(Some(match fit(&rows) {
            Ok(found) => Ok(Fitted { rows, found }),
            Err(error) => Err(error.to_string()),
        }));
    };
    let outcome = move || {
        fitted.get().map(|fitted| match fitted {
            Ok(fitted) => view! { <Outcome fitted /> }.into_any(),
            Err(message) => view! { <p class="wrong">{message}</p> }.into_any(),
        })
    };
    let none = move || rows().with(Vec::is_empty);
    view! {
        <Frame title="Calibrate">
            <p>
                "Five corrections to calibrated constants, fitted to rows that you measured on one system. They apply to its
                 device in every view and are part of the link; your rows stay in this tab"
            </p>
            <Collected fitted />
            <div class="choices">
                <button type="button" id="calibrate-run" disabled=none on:click=run>"Calibrate on these rows"</button>
            </div>
            <div role="status">{outcome}</div>
            <Applied />
        </Frame>
    }
}

/// The collected rows.
#[component]
fn Collected(fitted: RwSignal<Option<Result<Fitted, String>>>) -> impl IntoView {
    let state = state();
    let measured = move || state.scenario.with(|scenario| !scenario.measured.is_empty());
    let kept = RwSignal::new(None::<Kept>);
    let add = move |_| {
        let question = state.scenario.get_untracked();
        kept.set(rows().try_update(|rows| put(rows, question)));
        fitted.set(None);
    };
    let remove = move |place: usize| {
        rows().update(|rows| {
            if place < rows.len() {
                rows.remove(place);
            }
        });
        kept.set(None);
        fitted.set(None);
    };
    let listed = move || {
        rows().with(|rows| {
            rows.iter()
                .enumerate()
                .map(|(place, question)| {
                    let name = name(place, question);
                    let label = format!("Remove {name}");
                    let what = described(question);
                    view! {
                        <li>
                            {format!("{name}: {what} ")}
                            <button type="button" aria-label=label on:click=move |_| remove(place)>"Remove"</button>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    let hint = move || {
        rows().with(Vec::is_empty).then_some(
            "No rows yet. Drop a benchmark result or a training log on the page, or enter measured values in the form",
        )
    };
    view! {
        <h3>"Measured rows"</h3>
        <p>{hint}</p>
        <ul id="calibrate-rows">{listed}</ul>
        <div class="choices">
            <button type="button" id="calibrate-add" disabled=move || !measured() on:click=add>
                "Add the values measured in this question"
            </button>
        </div>
        <p id="calibrate-kept" role="status">{move || kept.get().map(Kept::sentence)}</p>
    }
}

/// The measured values of a question, in one line.
fn described(question: &Scenario) -> String {
    let rows = rows_of(question, "");
    let each: Vec<String> = rows.iter().map(|row| row.quantity.stated(row.measured)).collect();
    if each.is_empty() { "no value that its view predicts".to_owned() } else { each.join("; ") }
}

/// The result of a fit, and controls to apply or save it.
#[component]
fn Outcome(fitted: Fitted) -> impl IntoView {
    let state = state();
    let label = NodeRef::<html::Input>::new();
    let parts = calibration::tables(&fitted.rows, &fitted.found);
    // Corrections that explain little are not what a visitor should do next.
    let doubted = !calibration::explains(&fitted.found);
    let found = StoredValue::new(fitted.found);
    let profile = move || {
        let name = label.get_untracked().map(|label| label.value()).unwrap_or_default();
        found.with_value(|found| found.profile(name.trim()))
    };
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
        <input type="text" id="calibrate-name" maxlength="80" node_ref=label />
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
