//! The answer on the page: numbers first, then figures and tables.

use leptos::ev::MouseEvent;
use leptos::html::{Dl, Section};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::answer::{self, Rest, Status};
use super::form;
use super::merge::put;
use super::notices::Problems;
use super::state::{State, state};
use crate::answer::Format;
use crate::scenario::View;
use crate::units::format;

/// The numbers of the current view.
#[component]
pub(crate) fn Headline() -> impl IntoView {
    let state = state();
    let shown = state.shown;
    let list = NodeRef::<Dl>::new();
    Effect::new(move |_| {
        if let Some(list) = list.get() {
            put(&list, &shown.headline.read());
        }
    });
    let none = move || shown.status.get() == Status::Refused && shown.headline.with(String::is_empty);
    view! {
        <section class="headline" id="answer" tabindex="-1" aria-labelledby="answer-title">
            <h2 id="answer-title" class="visually-hidden">"Answer"</h2>
            <dl data-stale=move || state.outdated().then_some("") node_ref=list></dl>
            <Show when=none>
                <p class="notice">"This question has no answer yet"</p>
            </Show>
            <Progress />
            <Problems />
        </section>
    }
}

/// How long it may still take, and what to do about it.
#[component]
fn Progress() -> impl IntoView {
    let state = state();
    let status = state.shown.status;
    let waiting = move || matches!(status.get(), Status::Waiting(..) | Status::Growing(..));
    let bar = move || match status.get() {
        Status::Waiting(done, of) | Status::Growing(done, of) if of > 0 => Some((done, of)),
        _ => None,
    };
    let text = move || match status.get() {
        Status::Waiting(_, 0) if state.view.get() == View::Validation => {
            "Loading the measured rows".to_owned()
        }
        Status::Waiting(_, 0) => "Loading this view".to_owned(),
        Status::Waiting(done, of) | Status::Growing(done, of) => {
            format!("{} done", format::percent(f64::from(done) / f64::from(of)))
        }
        Status::Asked | Status::Answered | Status::Refused => String::new(),
        Status::Cancelled => "Cancelled: what is shown is of an earlier question, if anything".to_owned(),
        Status::Incomplete(why) | Status::Failed(why) => why,
    };
    let quiet = move || matches!(status.get(), Status::Asked | Status::Answered | Status::Refused);
    view! {
        <div class="progress" data-status=move || quiet().then_some("answered")>
            <p role="status">{text}</p>
            <Show when=waiting>
                <progress
                    aria-label="Progress"
                    max=move || bar().map(|(_, of)| of)
                    value=move || bar().map(|(done, _)| done)
                ></progress>
                <button type="button" id="cancel" on:click=move |_| answer::cancel(state)>"Cancel"</button>
            </Show>
            <Show when=move || matches!(status.get(), Status::Cancelled | Status::Incomplete(_) | Status::Failed(_))>
                <button type="button" id="again" on:click=move |_| again(state)>"Try again"</button>
            </Show>
        </div>
    }
}

/// Asks for everything again.
fn again(state: State) {
    form::ask(state);
    answer::ask(state);
}

/// Figures and tables, and those that come later below them. Links in them are questions, which the address brings
/// back here.
#[component]
pub(crate) fn Figures() -> impl IntoView {
    let state = state();
    let shown = state.shown;
    let later = move || state.outdated() || shown.rest.get() == Rest::Late;
    let save = move |event: MouseEvent| {
        if let Some((of, format)) = wanted(&event) {
            shown.save(of, format);
        }
    };
    view! {
        <div class="answers" on:click=save>
            <section
                class="figures"
                aria-label="Figures"
                data-stale=move || state.outdated().then_some("")
                node_ref=filled(shown.figures)
            ></section>
            <section
                class="figures"
                id="more"
                aria-label="More figures"
                data-stale=move || later().then_some("")
                node_ref=filled(shown.more)
            ></section>
        </div>
    }
}

/// A place that shows this markup.
fn filled(markup: RwSignal<String>) -> NodeRef<Section> {
    let place = NodeRef::<Section>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get() {
            put(&place, &markup.read());
        }
    });
    place
}

/// What a download button stands for.
fn wanted(event: &MouseEvent) -> Option<(String, Format)> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let button = target.closest("[data-export]").ok()??;
    let of = button.closest("[data-figure], [data-table]").ok()??;
    let of = of.get_attribute("data-figure").or_else(|| of.get_attribute("data-table"))?;
    Some((of, Format::named(&button.get_attribute("data-export")?)?))
}
