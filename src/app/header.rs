//! The top of the page: its name and purpose, links to the views, and buttons of the dialogs.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::click::is_plain;
use super::dialogs::OpenButton;
use super::fragment;
use super::state::{Dialog, state};
use super::theme::ThemeButton;
use crate::scenario::View;

/// The top of the page.
#[component]
pub(crate) fn Header() -> impl IntoView {
    view! {
        <header class="top">
            <div class="brand">
                <h1>"Foretoken"</h1>
                <p>"How fast a large language model trains and serves on given hardware, and why"</p>
            </div>
            <nav aria-label="Views">
                <ul>
                    {View::ALL.map(|view| view! { <li><ViewLink view /></li> }).collect_view()}
                </ul>
            </nav>
            <div class="tools actions">
                <OpenButton dialog=Dialog::Share text="Share" class="theme" />
                <OpenButton dialog=Dialog::Compare text="Compare" class="theme" />
                <OpenButton dialog=Dialog::Files(Vec::new()) text="Files" class="theme" />
                <OpenButton dialog=Dialog::Report text="Report" class="theme" />
            </div>
            <div class="tools">
                <OpenButton dialog=Dialog::Tour text="Tour" class="theme" />
                <ThemeButton theme=state().theme />
            </div>
        </header>
    }
}

/// A link to the same question in another view.
#[component]
fn ViewLink(view: View) -> impl IntoView {
    let state = state();
    let there = move || state.scenario.with(|scenario| scenario.seen_in(view));
    let visit = move |event: MouseEvent| {
        if is_plain(&event) {
            event.prevent_default();
            if state.view.get_untracked() != view {
                state.visit(untrack(there));
            }
        }
    };
    view! {
        <a
            href=move || fragment::address(&there())
            data-view=view.id()
            aria-current=move || (state.view.get() == view).then_some("page")
            on:click=visit
        >
            {view.name()}
        </a>
    }
}
