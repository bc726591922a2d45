//! Notices about unusable parts of a link or a stored value, shown where they apply.

use leptos::prelude::*;

use super::code_spans::code_spans;
use super::form::Unfolded;
use super::parts::link;
use super::state::state;
use crate::scenario::Problem;
use crate::scenario::fields::{field, in_order};
use crate::view::ways_out;

/// Problems of the link.
#[component]
pub(crate) fn LinkProblems() -> impl IntoView {
    let state = state();
    let some = move || state.link_problems.with(|problems| !problems.is_empty());
    view! {
        <div id="link-problems" class="notice" role="status">
            <Show when=some>
                <p>"Part of this link could not be read. The rest is used"</p>
                <ul>
                    {move || state.link_problems.with(|problems| entries(problems))}
                </ul>
                <button type="button" on:click=move |_| state.link_problems.set(Vec::new())>"Dismiss"</button>
            </Show>
        </div>
    }
}

/// Why the answer is not the newest question's, and problems that have no field in this view.
#[component]
pub(crate) fn Problems() -> impl IntoView {
    let state = state();
    // If no earlier question had an answer, only the problems can be shown.
    let none = move || state.shown.is_empty();
    let form = state.form();
    let here = move |path: &str| in_order(form.get()).any(|field| field.path == path);
    let elsewhere = Memo::new(move |_| {
        let problems = state.shown.problems.get();
        // The first one stands in place of the answer.
        let others = problems.into_iter().skip(1);
        others.filter(|problem| none() || !here(&problem.field)).collect::<Vec<_>>()
    });
    let first = Memo::new(move |_| {
        let wrong = in_order(form.get()).find(|field| !state.message(field.path).is_empty());
        wrong.map(|field| (field.path, field.spoken()))
    });
    let out = Memo::new(move |_| {
        let read = state.typed.with(|typed| typed.values().all(|typed| typed.error.is_none()));
        let refused = state.stale.get() && read;
        let near = || state.scenario.with(|question| ways_out(question, &state.shown.problems.get()));
        if refused { near() } else { Vec::new() }
    });
    let unfolded: Unfolded = expect_context();
    let go = move |_| {
        if let Some((path, _)) = first.get_untracked() {
            unfolded.reveal(path);
        }
    };
    view! {
        <div id="problems" role="status">
            <Show when=move || state.stale.get()>
                <p class="notice stale-note">
                    {move || {
                        if none() {
                            ""
                        } else {
                            "These numbers belong to the last question that had an answer. "
                        }
                    }}
                    <Show when=move || first.with(Option::is_some)>
                        <button type="button" class="link" on:click=go>
                            "Go to "
                            {move || first.get().map(|(_, label)| label)}
                        </button>
                    </Show>
                </p>
            </Show>
            <Show when=move || out.with(|out| !out.is_empty())>
                <p class="visually-hidden">"Nearest questions with an answer"</p>
                <ul class="filters" id="ways-out">{move || out.get().into_iter().map(link).collect_view()}</ul>
            </Show>
            <Show when=move || elsewhere.with(|problems| !problems.is_empty())>
                <ul class="notice">
                    {move || elsewhere.with(|problems| entries(problems))}
                </ul>
            </Show>
        </div>
    }
}

/// Problems outside the form, one paragraph each.
pub(super) fn paragraphs(problems: &[Problem]) -> impl IntoView + use<> {
    problems.iter().map(|problem| view! { <p>{code_spans(&problem.to_string())}</p> }).collect_view()
}

/// Problems as entries of a list, each preceded by its field's name.
fn entries(problems: &[Problem]) -> impl IntoView + use<> {
    problems.iter().map(|problem| view! { <li>{code_spans(&sentence(problem))}</li> }).collect_view()
}

/// The problem, preceded by the field's name if it has one.
pub(super) fn sentence(problem: &Problem) -> String {
    match field(&problem.field) {
        Some(field) => {
            format!("{}, {}: {}", field.group.name(), field.spoken(), problem.message)
        }
        None if problem.field.is_empty() => problem.message.clone(),
        None => problem.to_string(),
    }
}
