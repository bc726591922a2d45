//! The question as a form, drawn by the library.

use leptos::html::Div;
use leptos::prelude::*;

use super::constants_panel::Constants;
use super::controls;
use super::merge::put;
use super::state::{State, state};
use crate::form;
use crate::scenario::View;

/// The form of the current view.
#[component]
pub(crate) fn Form() -> impl IntoView {
    let state = state();
    let place = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get() {
            put(&place, &state.form.read().markup);
            controls::refresh(state, &place, false);
        }
    });
    let changes = move || {
        state.scenario.track();
        state.errors.track();
        state.shown.problems.track();
        state.epoch.get()
    };
    let refresh = move |epoch: &u32, last: Option<&u32>, _: Option<()>| {
        if let Some(place) = place.get_untracked() {
            controls::refresh(state, &place, last.is_some_and(|last| last != epoch));
        }
    };
    Effect::watch(changes, refresh, false);
    view! {
        <form class="form" aria-label="Question" on:submit=|event| event.prevent_default()>
            <div
                node_ref=place
                on:input=move |event| controls::typed(state, &event)
                on:change=move |event| controls::chosen(state, &event)
                on:keydown=move |event| controls::pressed(state, &event)
                on:click=move |event| controls::stepped(state, &event)
            ></div>
            // The generations are compared under each device's own.
            <Show when=move || state.view.get() != View::Generations>
                <Constants />
            </Show>
        </form>
    }
}

/// Draws the form, and again whenever it has other controls or offers something else.
pub(crate) fn follow(state: State) {
    let shape = Memo::new(move |_| {
        state
            .scenario
            .with(|question| (question.view, question.model.clone(), question.system.accelerator.clone()))
    });
    let draw = move || state.form.set(state.scenario.with_untracked(form::form));
    draw();
    Effect::watch(move || shape.with(|_| ()), move |(), _, _: Option<()>| draw(), false);
}
