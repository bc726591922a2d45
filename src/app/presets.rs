//! Questions that are one click away.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::fragment;
use super::header::plain;
use super::state::state;
use crate::scenario::preset::{Preset, presets};

/// A row of links, each a whole question; on a phone folded away, so that the answer comes first.
#[component]
pub(crate) fn Presets() -> impl IntoView {
    let narrow = state().narrow;
    let links = || presets().iter().map(|preset| view! { <li><PresetLink preset /></li> }).collect_view();
    view! {
        <section class="presets" aria-label="Examples">
            {move || {
                if narrow.get() {
                    view! { <details><summary>"Examples"</summary><ul>{links()}</ul></details> }.into_any()
                } else {
                    view! { <h2>"Examples"</h2><ul>{links()}</ul> }.into_any()
                }
            }}
        </section>
    }
}

#[component]
fn PresetLink(preset: &'static Preset) -> impl IntoView {
    let state = state();
    let current = Memo::new(move |_| state.scenario.with(|scenario| *scenario == preset.scenario()));
    let visit = move |event: MouseEvent| {
        if plain(&event) {
            event.prevent_default();
            state.visit(preset.scenario());
        }
    };
    let why = format!("preset-{}-why", preset.id);
    view! {
        <a
            href=fragment::address(&preset.scenario())
            data-preset=preset.id
            aria-current=move || current.get().then_some("true")
            aria-describedby=why.clone()
            on:click=visit
        >
            {preset.name}
        </a>
        <span id=why class="tip" role="tooltip">{preset.why}</span>
    }
}
