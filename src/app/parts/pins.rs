//! Pins: questions that stay in a chart while the visitor changes the question.

use leptos::prelude::*;

use crate::app::browser;
use crate::app::pinned::pinned;
use crate::app::state::state;
use crate::figure::{MOST_PINNED, PINNABLE};

/// Returns true if questions can be pinned on a figure of the page.
pub(super) fn are_drawn_on(figure: &str) -> bool {
    PINNABLE.contains(&figure) && !browser::embedded()
}

/// The buttons that pin the question and unpin all.
#[component]
pub(super) fn Pins() -> impl IntoView {
    let state = state();
    let place = move || {
        let question = state.scenario.get();
        pinned().with(|pinned| pinned.iter().position(|known| *known == question))
    };
    let here = Memo::new(move |_| place().is_some());
    let toggle = move |_| match untrack(place) {
        Some(place) => pinned().update(|pinned| drop(pinned.remove(place))),
        None => pinned().update(|pinned| {
            // A further pin replaces the oldest.
            pinned.drain(..(pinned.len() + 1).saturating_sub(MOST_PINNED));
            pinned.push(state.scenario.get_untracked());
        }),
    };
    let some = Memo::new(move |_| pinned().with(|pinned| !pinned.is_empty()));
    view! {
        <div class="pins" role="group" aria-label="Pins">
            <button type="button" data-pin="" aria-pressed=move || here.get().to_string() on:click=toggle>
                "Pin"<span class="visually-hidden">" this question: it stays in the charts while you change it"</span>
            </button>
            <Show when=move || some.get()>
                <button type="button" data-unpin="" on:click=move |_| pinned().set(Vec::new())>"Unpin all"</button>
            </Show>
            <span role="status">
                {move || here.get().then_some("Pinned. Change the question: this one stays in the charts")}
            </span>
        </div>
    }
}
