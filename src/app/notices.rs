//! Notices about unusable parts of a link or a stored value, shown where they apply.

use leptos::prelude::*;

use super::browser;
use super::form::id;
use super::state::state;
use crate::scenario::Problem;
use crate::scenario::fields::{field, in_order};

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
                    {move || {
                        state.link_problems.get().iter().map(|problem| view! { <li>{sentence(problem)}</li> }).collect_view()
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
    // If no earlier question had an answer, only the problems can be shown.
    let none = move || state.shown.is_empty();
    let form = state.form();
    let here = move |path: &str| in_order(form.get()).any(|field| field.path == path);
    let elsewhere = Memo::new(move |_| {
        let problems = state.shown.problems.get();
        problems.into_iter().filter(|problem| none() || !here(&problem.field)).collect::<Vec<_>>()
    });
    let first = Memo::new(move |_| {
        let wrong = in_order(form.get()).find(|field| !state.message(field.path).is_empty());
        wrong.map(|field| (field.path, field.spoken()))
    });
    let go = move |_| {
        if let Some((path, _)) = first.get_untracked() {
            browser::reveal(&id(path));
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
                            {move || first.get().map(|(_, label)| label)}
                        </button>
                    </Show>
                </p>
            </Show>
            <Show when=move || elsewhere.with(|problems| !problems.is_empty())>
                <ul class="notice">
                    {move || {
                        elsewhere.get().iter().map(|problem| view! { <li>{sentence(problem)}</li> }).collect_view()
                    }}
                </ul>
            </Show>
        </div>
    }
}

/// The problem, preceded by the field's name if it has one.
fn sentence(problem: &Problem) -> String {
    match field(&problem.field) {
        Some(field) => {
            format!("{}, {}: {}", field.group.name(), field.spoken(), problem.message)
        }
        None if problem.field.is_empty() => problem.message.clone(),
        None => problem.to_string(),
    }
}
