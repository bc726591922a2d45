//! What could not be used, said where it is seen.

use leptos::prelude::*;

use super::controls;
use super::state::{State, state};
use crate::form::Name;
use crate::scenario::Problem;

/// What a link said that could not be used.
#[component]
pub(crate) fn LinkProblems() -> impl IntoView {
    let state = state();
    let some = move || state.link_problems.with(|problems| !problems.is_empty());
    view! {
        <div id="link-problems" class="notice" role="status">
            <Show when=some>
                <p>"Part of this link could not be used. What was right is kept"</p>
                <ul>
                    {move || {
                        state.link_problems.get().iter().map(|problem| view! { <li>{sentence(state, problem)}</li> }).collect_view()
                    }}
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
    // Where no question before it had an answer, the reasons are all that there is.
    let none = move || state.shown.is_empty();
    let elsewhere = Memo::new(move |_| {
        let problems = state.shown.problems.get();
        let said = |problem: &Problem| none() || here(state, &problem.field).is_none();
        problems.into_iter().filter(said).collect::<Vec<_>>()
    });
    let first = Memo::new(move |_| {
        let typed = state.errors.with(|errors| errors.keys().next().cloned());
        let problems =
            || state.shown.problems.with(|problems| problems.iter().find_map(|p| here(state, &p.field)));
        typed.and_then(|path| here(state, &path)).or_else(problems)
    });
    let go = move |_| {
        if let Some(name) = first.get_untracked() {
            controls::focus(&name.path);
        }
    };
    view! {
        <div id="problems" role="status">
            <Show when=move || state.stale.get()>
                <p class="notice stale-note">
                    {move || {
                        if none() {
                            "This question has no answer. "
                        } else {
                            "These numbers belong to the last question that had an answer. "
                        }
                    }}
                    <Show when=move || first.with(Option::is_some)>
                        <button type="button" class="link" on:click=go>
                            "Go to "
                            {move || first.get().map(|name| name.label.to_ascii_lowercase())}
                        </button>
                    </Show>
                </p>
            </Show>
            <Show when=move || elsewhere.with(|problems| !problems.is_empty())>
                <ul class="notice">
                    {move || {
                        elsewhere.get().iter().map(|problem| view! { <li>{sentence(state, problem)}</li> }).collect_view()
                    }}
                </ul>
            </Show>
        </div>
    }
}

/// The problem with the field's name where it has one.
fn sentence(state: State, problem: &Problem) -> String {
    match name(state, |name| name.path == problem.field) {
        Some(Name { group, label, .. }) => {
            format!("{group}, {}: {}", label.to_ascii_lowercase(), problem.message)
        }
        None if problem.field.is_empty() => problem.message.clone(),
        None => problem.to_string(),
    }
}

/// The first name of which this holds.
fn name(state: State, holds: impl Fn(&Name) -> bool) -> Option<Name> {
    state.form.with(|form| form.names.iter().find(|name| holds(name)).cloned())
}

/// What a field is called that has a control in this view.
fn here(state: State, path: &str) -> Option<Name> {
    name(state, |name| name.here && name.path == path)
}
