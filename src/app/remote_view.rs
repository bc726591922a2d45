//! A view whose answer the second program makes: its progress, its markup, and what can be done with both.

use leptos::ev::MouseEvent;
use leptos::html::Section;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::state::{State, state};
use super::{browser, export, remote};
use crate::scenario::{View, link};
use crate::units::format;
use crate::worker::{Ask, Format, Said};

/// What is known of the answer.
#[derive(Clone, Copy)]
pub(crate) struct Remote {
    headline: RwSignal<String>,
    figures: RwSignal<String>,
    /// The form of constants.
    pub(crate) constants: RwSignal<String>,
    status: RwSignal<Status>,
}

/// How the answer is doing.
#[derive(Clone, Debug, PartialEq)]
enum Status {
    /// It is asked for; so many steps of so many are done.
    Waiting(u32, u32),
    /// It is there.
    Answered,
    /// Somebody called it off.
    Cancelled,
    /// There is none, and this is why.
    Failed(String),
}

impl Remote {
    pub(crate) fn new() -> Self {
        Self {
            headline: RwSignal::default(),
            figures: RwSignal::default(),
            constants: RwSignal::default(),
            status: RwSignal::new(Status::Waiting(0, 0)),
        }
    }

    fn hear(self, said: Said) {
        match said {
            Said::Ready => {}
            Said::Progress { done, of } => self.status.set(Status::Waiting(done, of)),
            Said::Answer { headline, figures } => {
                self.headline.set(headline);
                self.figures.set(figures);
                self.status.set(Status::Answered);
            }
            Said::Constants { form } => self.constants.set(form),
            Said::File { of, format, text } => match format {
                Format::Svg => export::svg(&text, &of),
                Format::Png => export::png(&text, &of),
                Format::Csv => export::csv(&text, &of),
            },
            Said::Fault { message } => self.status.set(Status::Failed(message)),
        }
    }
}

thread_local! {
    static REMOTE: std::cell::Cell<Option<Remote>> = const { std::cell::Cell::new(None) };
}

/// Passes on what the second program says.
pub(crate) fn hear(said: Said) {
    if let Some(remote) = REMOTE.get() {
        remote.hear(said);
    }
}

/// Asks anew whenever the question changes while its view is shown.
pub(crate) fn follow(state: State) {
    REMOTE.set(Some(state.remote));
    Effect::new(move |_| {
        if state.view.get() == View::Validation {
            state.epoch.track();
            ask(state, state.scenario.with(link::encode), state.narrow.get());
        }
    });
}

fn ask(state: State, link: String, narrow: bool) {
    state.remote.status.set(Status::Waiting(0, 0));
    remote::ask(Ask::Answer { link, narrow }, hear);
}

/// Puts markup of the second program in place of what is there.
pub(crate) fn put(place: &web_sys::Element, markup: &str) {
    let focused = document().active_element().filter(|element| place.contains(Some(element)));
    place.set_inner_html(markup);
    // The keyboard stays where it was; where that is gone, it starts at the answer.
    if let Some(focused) = focused {
        let id = focused.id();
        let known = !id.is_empty() && document().get_element_by_id(&id).is_some();
        browser::focus(if known { &id } else { "answer" });
    }
}

/// Numbers and progress.
#[component]
pub(crate) fn RemoteHeadline() -> impl IntoView {
    let state = state();
    let Remote { headline, status, .. } = state.remote;
    let cancel = move |_| {
        remote::ask(Ask::Stop, hear);
        status.set(Status::Cancelled);
    };
    let again = move |_| {
        ask(state, state.scenario.with_untracked(link::encode), state.narrow.get_untracked());
    };
    let waiting = move || matches!(status.get(), Status::Waiting(..));
    let bar = move || match status.get() {
        Status::Waiting(done, of) if of > 0 => Some((done, of)),
        _ => None,
    };
    let text = move || match status.get() {
        Status::Waiting(_, 0) => "Loading the measured rows".to_owned(),
        Status::Waiting(done, of) => {
            format!(
                "Predicted {} of {} rows",
                format::grouped(f64::from(done)),
                format::grouped(f64::from(of))
            )
        }
        Status::Answered => String::new(),
        Status::Cancelled => "Cancelled: what is shown is of an earlier question, if anything".to_owned(),
        Status::Failed(why) => why,
    };
    view! {
        <dl data-stale=move || (status.get() != Status::Answered).then_some("") inner_html=headline></dl>
        <div class="progress" data-status=move || (status.get() == Status::Answered).then_some("answered")>
            <p role="status">{text}</p>
            <Show when=waiting>
                <progress
                    aria-label="Progress"
                    max=move || bar().map(|(_, of)| of)
                    value=move || bar().map(|(done, _)| done)
                ></progress>
                <button type="button" id="cancel" on:click=cancel>"Cancel"</button>
            </Show>
            <Show when=move || matches!(status.get(), Status::Cancelled | Status::Failed(_))>
                <button type="button" id="again" on:click=again>"Try again"</button>
            </Show>
        </div>
    }
}

/// Figures and tables. Links in them are questions, which the address brings back here.
#[component]
pub(crate) fn RemoteFigures() -> impl IntoView {
    let Remote { figures, status, .. } = state().remote;
    let section = NodeRef::<Section>::new();
    Effect::new(move |_| {
        let Some(section) = section.get() else { return };
        put(&section, &figures.read());
    });
    view! {
        <section
            class="figures"
            aria-label="Figures"
            data-stale=move || (status.get() != Status::Answered).then_some("")
            node_ref=section
            on:click=move |event| save(&event)
        ></section>
    }
}

/// Fetches what a download button stands for.
fn save(event: &MouseEvent) {
    let file = || {
        let target: web_sys::Element = event.target()?.dyn_into().ok()?;
        let button = target.closest("[data-export]").ok()??;
        let of = button.closest("[data-figure], [data-table]").ok()??;
        let of = of.get_attribute("data-figure").or_else(|| of.get_attribute("data-table"))?;
        Some(Ask::File { of, format: Format::named(&button.get_attribute("data-export")?)? })
    };
    if let Some(ask) = file() {
        remote::ask(ask, hear);
    }
}
