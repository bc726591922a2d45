//! The whole page: header, presets, headline numbers, form, figures.

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::answer;
use super::browser;
use super::dialogs::{Dialogs, Picking};
use super::drop;
use super::edits::Edits;
use super::form::{Controls, Form, Unfolded};
use super::fragment;
use super::header::Header;
use super::host;
use super::keys;
use super::notices::LinkProblems;
use super::parts::{Headline, Parts};
use super::presets::Presets;
use super::share::Share;
use super::state::{State, state};
use crate::figure::Size;
use crate::published::Paper;
use crate::scenario::{Scenario, View};
use crate::view::page_title;

/// Media query of windows in which figures have less than 560 pixels.
const NARROW: &str = "(max-width: 39.99rem)";

/// Media query of windows in which figures have less than 800 pixels: from 64 rem on, the form takes part of the width.
const MEDIUM: &str = "(max-width: 54.99rem), (min-width: 64rem) and (max-width: 78.99rem)";

/// Media query of the medium layout inside another page, where there is no form.
const MEDIUM_EMBEDDED: &str = "(max-width: 54.99rem)";

/// The page; `glue` is the address of the module that loads the program.
#[component]
pub(crate) fn App(glue: String) -> impl IntoView {
    let state = State::new(fragment::read(), size());
    provide_context(state);
    provide_context(Unfolded::new());
    provide_context(Picking::new_local(None));
    tips();
    fragment::follow(state);
    answer::follow(state, glue);
    drop::follow(state);
    if browser::embedded() {
        host::follow(state);
    } else {
        keys::follow(state, Edits::follow(state));
    }
    Effect::new(move |_| document().set_title(&state.scenario.with(title)));
    let settled = Memo::new(move |_| state.shown.settled());
    // The lists are drawn before the next frame.
    Effect::new(move |_| {
        state.view.track();
        state.part.track();
        settled.track();
        request_animation_frame(|| browser::center_current(".top nav ul, .presets .goals, .contents"));
    });
    view! {
        <a
            class="skip"
            href="#answer"
            on:click=|event| {
                // The fragment is the question: the browser must not replace it by `#answer`.
                event.prevent_default();
                browser::focus("answer");
            }
        >
            "Skip to the answer"
        </a>
        <Header />
        <main
            data-ready=move || state.shown.settled().then_some("")
            data-blank=move || state.shown.age.get().blank.then_some("")
            data-bare=move || state.shown.bare().then_some("")
        >
            <Presets />
            <LinkProblems />
            <div class="page" on:click=move |event| fragment::follow_link(state, &event)>
                <Headline />
                {(!browser::embedded()).then(|| view! { <Form /> })}
                <Parts />
                <Controls />
            </div>
        </main>
        <Footer />
        <Dialogs />
    }
}

/// The bottom of the page: the link, documents about the page, and what its predictions are based on.
#[component]
fn Footer() -> impl IntoView {
    let state = state();
    view! {
        <footer class="foot">
            <Share />
            <p class="embed-only">
                <a target="_blank" rel="noopener" href=move || state.scenario.with(fragment::address)>
                    "Open in Foretoken"
                </a>
            </p>
            <About />
            <p>{move || state.scenario.with(Scenario::basis)}</p>
            <p>
                "Everything is computed in this browser: nothing that you enter is sent anywhere. "
                "Predictions are of an analytical model, not measurements"
            </p>
        </footer>
    }
}

/// Footer links to method, papers, errors, citation, licences and source.
#[component]
fn About() -> impl IntoView {
    const SOURCE: &str = env!("CARGO_PKG_REPOSITORY");
    let state = state();
    let view = |view, text: &'static str| {
        let there = move || state.scenario.with(|scenario| scenario.seen_in(view));
        item(Signal::derive(move || fragment::address(&there())), text)
    };
    let fixed = |address: &'static str, text: &'static str| item(Signal::stored(address.to_owned()), text);
    let papers = Paper::ALL.map(|paper| fixed(paper.address(), paper.name()));
    view! {
        <nav class="about" aria-label="About Foretoken">
            <ul>
                {fixed("docs/method/index.html", "Method")}
                {fixed("docs/embed.html", "Embedding")}
                {fixed("docs/link.html", "Links")}
                {view(View::Validation, "Accuracy")}
                {view(View::Papers, "Results of the papers")}
                {papers}
                {fixed("citation.txt", "Cite")}
                {fixed("license-mit.txt", "MIT licence")}
                {fixed("license-apache.txt", "Apache licence")}
                {(!SOURCE.is_empty()).then(|| fixed(SOURCE, "Source"))}
            </ul>
        </nav>
    }
}

fn item(address: Signal<String>, text: &'static str) -> AnyView {
    view! { <li><a href=move || address.get()>{text}</a></li> }.into_any()
}

/// The size of figures, which follows the width of the window so that their text has at least 12 pixels.
fn size() -> Memo<Size> {
    let medium = if browser::embedded() { MEDIUM_EMBEDDED } else { MEDIUM };
    let (narrow, medium) = (matches(NARROW), matches(medium));
    Memo::new(move |_| match (narrow.get(), medium.get()) {
        (true, _) => Size::Narrow,
        (_, true) => Size::Medium,
        _ => Size::Wide,
    })
}

/// Returns whether a media query matches, now and after every change.
fn matches(query: &str) -> ReadSignal<bool> {
    let (holds, set) = signal(false);
    if let Ok(Some(query)) = window().match_media(query) {
        set.set(query.matches());
        EventListener::new(&query, "change", move |event| {
            let query = event.target().and_then(|target| target.dyn_into::<web_sys::MediaQueryList>().ok());
            if let Some(query) = query {
                set.set(query.matches());
            }
        })
        .forget();
    }
    holds
}

/// Hides the open tooltip when Escape is pressed, wherever the focus is, or a link with a tooltip is followed. Tooltips appear
/// again when the pointer or the focus reaches the next element that has one.
fn tips() {
    let hide = |event: &web_sys::Event| {
        let event: Option<&web_sys::KeyboardEvent> = event.dyn_ref();
        if let (Some("Escape"), Some(root)) =
            (event.map(web_sys::KeyboardEvent::key).as_deref(), browser::root())
        {
            root.set_attribute("data-tips", "off").ok();
        }
    };
    let show = |event: &web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let of_tip = target.is_some_and(|target| target.matches("[aria-describedby]").unwrap_or_default());
        if let (true, Some(root)) = (of_tip, browser::root()) {
            root.remove_attribute("data-tips").ok();
        }
    };
    // The tooltip would cover the answer that the link leads to.
    let follow = |event: &web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|target| target.closest("a[aria-describedby]").ok().flatten());
        if let (Some(_), Some(root)) = (link, browser::root()) {
            root.set_attribute("data-tips", "off").ok();
        }
    };
    EventListener::new(&document(), "click", follow).forget();
    EventListener::new(&document(), "keydown", hide).forget();
    EventListener::new(&document(), "mouseover", show).forget();
    EventListener::new(&document(), "focusin", show).forget();
}

/// Title of the document, and so of a bookmark of this question.
fn title(scenario: &Scenario) -> String {
    format!("{} – Foretoken", page_title(scenario))
}
