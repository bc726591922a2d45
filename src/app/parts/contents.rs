//! The sections of the answer, of which one is open.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::app::click::is_plain;
use crate::app::state::slots::Slot;
use crate::app::state::state;
use crate::app::{browser, fragment};
use crate::view::{ALL, contents, sectioned};

/// The list of sections, which stays in sight; nothing where the answer is one screen.
#[component]
pub(super) fn Contents() -> impl IntoView {
    let state = state();
    let there = Memo::new(move |_| {
        let complete = !state.shown.age.get().blank || state.shown.bare();
        state.shown.slots.with(|slots| contents(state.view.get(), &slots.iter().map(Slot::id), complete))
    });
    let none = move || !state.scenario.with(sectioned);
    let items = move || {
        let item = |(id, name)| view! { <li><SectionLink id name /></li> }.into_any();
        there.get().into_iter().map(item).collect_view()
    };
    view! { <nav class="contents" aria-label="Parts of the answer" hidden=none><ul>{items}</ul></nav> }
        .into_any()
}

/// A section, at an address of its own.
#[component]
fn SectionLink(id: &'static str, name: &'static str) -> impl IntoView {
    let state = state();
    let open = move |event: MouseEvent| {
        if is_plain(&event) {
            event.prevent_default();
            state.open(id);
            browser::scroll_up_to(".answers");
        }
    };
    view! {
        <a
            href=move || state.scenario.with(|scenario| fragment::address_at(scenario, id))
            data-section=id
            aria-current=move || (state.section().map_or(ALL, |section| section.id) == id).then_some("true")
            on:click=open
        >
            {name}
        </a>
    }
}
