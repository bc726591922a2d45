//! Goals of visitors, with example questions that open with one click.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::click::is_plain;
use super::fragment;
use super::state::state;
use crate::figure::Size;
use crate::scenario::goal::Goal;
use crate::scenario::preset::Preset;
use crate::view::section_of;

/// The goals, and examples of the chosen one. On a phone the examples are collapsed, so that the answer comes first.
#[component]
pub(crate) fn Presets() -> impl IntoView {
    let state = state();
    let goal = Memo::new(move |_| {
        let view = state.view.get();
        Goal::of(view, state.part.with(|part| section_of(view, part)).map_or("", |section| section.id))
    });
    let examples = move || {
        goal.get().examples().map(|preset| view! { <li><PresetLink preset /></li> }.into_any()).collect_view()
    };
    view! {
        <section class="presets" aria-label="Goals and examples">
            <ul class="goals" aria-label="Goals">
                {Goal::ALL.map(|this| view! { <li><GoalLink this goal /></li> }.into_any())}
            </ul>
            {move || {
                if state.size.get() == Size::Narrow {
                    view! { <details><summary>"Examples"</summary><ul>{examples}</ul></details> }.into_any()
                } else {
                    view! { <ul aria-label="Examples">{examples}</ul> }.into_any()
                }
            }}
        </section>
    }
}

/// A goal, which keeps model and hardware.
#[component]
fn GoalLink(this: Goal, goal: Memo<Goal>) -> impl IntoView {
    let state = state();
    let there = move || state.scenario.with(|scenario| this.asked_of(scenario));
    let visit = move |event: MouseEvent| {
        if is_plain(&event) {
            event.prevent_default();
            state.visit_at(untrack(there), this.part().to_owned());
        }
    };
    view! {
        <a
            href=move || fragment::address_at(&there(), this.part())
            data-goal=this.id()
            aria-current=move || (goal.get() == this && this.view() == state.view.get()).then_some("true")
            on:click=visit
        >
            {this.name()}
        </a>
    }
}

/// An example question, with a tooltip that says why one would ask it.
#[component]
fn PresetLink(preset: &'static Preset) -> impl IntoView {
    let state = state();
    let current = Memo::new(move |_| state.scenario.with(|scenario| *scenario == preset.scenario()));
    let visit = move |event: MouseEvent| {
        if is_plain(&event) {
            event.prevent_default();
            state.visit_at(preset.scenario(), preset.part());
        }
    };
    let why = format!("preset-{}-why", preset.id);
    view! {
        <a
            href=fragment::address_at(&preset.scenario(), &preset.part())
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
