//! Lists of problems on the page: those of the link that was opened, and those of the question that no field of the form
//! shows.

use leptos::prelude::*;

use super::code_spans::code_spans;
use super::form::Unfolded;
use super::parts::link;
use super::state::state;
use crate::scenario::Problem;
use crate::scenario::fields::{field, in_order};
use crate::view::ways_out;

/// Problems of the link that was opened, until the visitor dismisses them.
#[component]
pub(crate) fn LinkProblems() -> impl IntoView {
    let state = state();
    let some = move || state.link_problems.with(|problems| !problems.is_empty());
    view! {
        <div id="link-problems" class="notice" role="status">
            <Show when=some>
                <p>"Part of this link has no effect. The rest is used"</p>
                <ul>
                    {move || state.link_problems.with(|problems| entries(problems))}
                </ul>
                <button type="button" on:click=move |_| state.link_problems.set(Vec::new())>"Dismiss"</button>
            </Show>
        </div>
    }
}

/// What the page says if the question has problems: that the shown numbers belong to an earlier question, links to the
/// nearest questions with an answer, and the problems that no field of this view shows.
#[component]
pub(crate) fn Problems() -> impl IntoView {
    let state = state();
    // If no earlier question had an answer, only the problems can be shown.
    let none = move || state.shown.is_empty();
    let form = state.form();
    let here = move |path: &str| in_order(form.get()).any(|field| field.path == path);
    let elsewhere = Memo::new(move |_| {
        let problems = state.shown.problems.get();
        // The first problem is already in the sentence at the top, in place of the answer's.
        let others = problems.into_iter().skip(1);
        others.filter(|problem| none() || !here(&problem.field)).collect::<Vec<_>>()
    });
    let first = Memo::new(move |_| {
        let wrong = in_order(form.get()).find(|field| !state.message(field.path).is_empty());
        wrong.map(|field| (field.path, field.spoken()))
    });
    let out = Memo::new(move |_| {
        let read = state.typed.with(|typed| typed.values().all(|typed| typed.error.is_none()));
        let refused = state.unanswered.get() && read;
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
            <Show when=move || state.unanswered.get()>
                <p class="notice unanswered-note">
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
    problems.iter().map(|problem| view! { <p>{code_spans(&sentence(problem))}</p> }).collect_view()
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
