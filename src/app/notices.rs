//! What could not be used, said where it is seen.

use leptos::prelude::*;

use super::browser;
use super::fields::FIELDS;
use super::state::{shown_field, state};
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
    let elsewhere = Memo::new(move |_| {
        let view = state.view.get();
        state.shown.problems.with(|problems| {
            problems.iter().filter(|p| shown_field(&p.field, view).is_none()).cloned().collect::<Vec<_>>()
        })
    });
    let first = Memo::new(move |_| {
        let view = state.view.get();
        let typed = state.errors.with(|errors| errors.keys().next().copied());
        typed.and_then(|path| shown_field(path, view)).or_else(|| {
            state.shown.problems.with(|problems| problems.iter().find_map(|p| shown_field(&p.field, view)))
        })
    });
    let go = move |_| {
        if let Some(field) = first.get_untracked() {
            browser::focus(&field.id());
        }
    };
    view! {
        <div id="problems" role="status">
            <Show when=move || state.stale.get()>
                <p class="notice stale-note">
                    "These numbers belong to the last question that had an answer. "
                    <Show when=move || first.with(Option::is_some)>
                        <button type="button" class="link" on:click=go>
                            "Go to "
                            {move || first.with(|field| field.map(|field| field.label.to_ascii_lowercase()))}
                        </button>
                    </Show>
                </p>
            </Show>
            <Show when=move || elsewhere.with(|problems| !problems.is_empty())>
                <ul class="notice">
                    {move || elsewhere.get().iter().map(|problem| view! { <li>{sentence(problem)}</li> }).collect_view()}
                </ul>
            </Show>
        </div>
    }
}

/// The problem with the field's name where it has one.
fn sentence(problem: &Problem) -> String {
    match FIELDS.iter().find(|field| field.place.path == problem.field) {
        Some(field) => {
            format!("{}, {}: {}", field.group.name(), field.label.to_ascii_lowercase(), problem.message)
        }
        None if problem.field.is_empty() => problem.message.clone(),
        None => problem.to_string(),
    }
}
