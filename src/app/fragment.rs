//! The question in the address bar: after the `#`, which no server sees.
//!
//! Typing rewrites the current entry of the browser's history, at most four times a second. A view or a preset makes a new
//! entry, so that the back button returns to the question before it.

mod spot;

use std::cell::RefCell;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};

use super::browser;
use super::click::is_plain;
use super::pinned::{pin, pinned};
use super::state::{Dialog, Opened, State};
use crate::scenario::Scenario;
use crate::scenario::link::{self, Decoded};
use crate::view::unknown_part;

/// Delay between a key press and the update of the address, ms. Browsers limit the rate of updates.
const PAUSE_MS: u32 = 250;

thread_local! {
    /// Place that the address currently encodes.
    static WRITTEN: RefCell<Option<Place>> = const { RefCell::new(None) };
    /// Place that the address will encode, and the timer that writes it.
    static PENDING: RefCell<Option<(Place, Timeout)>> = const { RefCell::new(None) };
}

/// A question, and the part of its answer that is open.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    question: Scenario,
    part: String,
}

impl Place {
    /// The place that the page shows.
    fn of(state: State) -> Self {
        Self { question: state.scenario.get(), part: state.part.get() }
    }
}

/// Reads the address. The address of several questions is replaced by that of the first one.
pub(crate) fn read() -> Opened {
    let mut links = link::decode_all(&browser::hash());
    let pinned: Vec<Scenario> = links.extract_if(1.., |link| link.pin).map(|link| link.scenario).collect();
    let compared: Vec<Scenario> = links.iter().map(|link| link.scenario.clone()).collect();
    let compared = (compared.len() > 1).then_some(compared);
    let pinned = (!pinned.is_empty()).then_some(pinned);
    let first = links.into_iter().next().unwrap_or_else(|| link::decode(""));
    let Decoded { scenario: question, mut part, mut problems, notices, .. } = first;
    problems.extend(notices);
    if let Some(problem) = unknown_part(question.view, &part) {
        problems.push(problem);
        part.clear();
    }
    let place = Place { question, part };
    WRITTEN.set(Some(place.clone()));
    if compared.is_some() || pinned.is_some() {
        write(&place, false);
    }
    let Place { question, part } = place;
    Opened { question, part, problems, compared, pinned }
}

/// The address of a question on this page.
pub(crate) fn address(scenario: &Scenario) -> String {
    address_at(scenario, "")
}

/// The link of what is shown: the question, the open part, and the pinned questions.
pub(crate) fn link_here(state: State) -> String {
    let part = state.part.get();
    state.scenario.with(|scenario| pinned().with(|pinned| link::encode_pinned(scenario, &part, pinned)))
}

/// The address of a part of a question's answer on this page.
pub(crate) fn address_at(scenario: &Scenario, part: &str) -> String {
    format!("{}#{}", browser::address(), link::encode_at(scenario, part))
}

/// Follows a link to another question of the same view, e.g. the next page of rows. If the link names no part, the open
/// part stays open.
pub(crate) fn follow_link(state: State, event: &MouseEvent) {
    let link = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let link = link.and_then(|target| target.closest("a[href^='#']").ok().flatten());
    let Some(link) = link.and_then(|link| link.get_attribute("href")).filter(|_| is_plain(event)) else {
        return;
    };
    spot::keep_at(&link);
    let Decoded { scenario, part, .. } = link::decode(&link);
    if part.is_empty() && scenario.view == state.view.get_untracked() {
        event.prevent_default();
        state.visit(scenario);
    }
}

/// Writes each change of the question into the address, and reads the question from each other change of the address.
pub(crate) fn follow(state: State) {
    spot::follow(state);
    Effect::watch(move || Place::of(state), |place, _, _: Option<()>| write_soon(place), false);
    let read_back = move |_: &web_sys::Event| {
        PENDING.set(None);
        let known = WRITTEN.with_borrow(Clone::clone);
        let Opened { question, part, problems, compared, pinned } = read();
        if let Some(pinned) = pinned {
            pin(pinned);
        }
        if let Some(compared) = compared {
            state.compared.set(compared);
            state.dialog.set(Some(Dialog::Compare));
        } else if state.dialog.with_untracked(|dialog| matches!(dialog, Some(Dialog::Compare))) {
            // A link in the comparison's tables was followed.
            state.dialog.set(None);
        }
        let unchanged = known.is_some_and(|known| known.question == question)
            && state.scenario.with_untracked(|scenario| *scenario == question);
        state.part.set(part);
        let shown = unchanged && problems.is_empty();
        if !shown {
            state.replace(question, problems);
        }
        spot::recall(shown);
    };
    let window = window();
    EventListener::new(&window, "popstate", read_back).forget();
    EventListener::new(&window, "hashchange", read_back).forget();
}

impl State {
    /// Asks another question in a new entry of the browser's history, so that the back button returns to this one. Within
    /// a view, the same part of the answer stays open.
    pub(crate) fn visit(self, scenario: Scenario) {
        let same = self.view.get_untracked() == scenario.view;
        let part = if same { self.part.get_untracked() } else { String::new() };
        self.visit_at(scenario, part);
    }

    /// Asks another question in a new entry of the browser's history, and opens a part of its answer.
    pub(crate) fn visit_at(self, scenario: Scenario, part: String) {
        flush();
        push(&scenario, &part);
        self.part.set(part);
        self.replace(scenario, Vec::new());
    }

    /// Opens a part of this answer in a new entry of the browser's history.
    pub(crate) fn open(self, part: &str) {
        flush();
        self.scenario.with_untracked(|scenario| push(scenario, part));
        self.part.set(part.to_owned());
    }
}

/// Writes a pending address at once.
fn flush() {
    if let Some((place, timeout)) = PENDING.take() {
        timeout.cancel();
        write(&place, false);
    }
}

/// Makes a new entry in the browser's history.
fn push(question: &Scenario, part: &str) {
    spot::keep();
    write(&Place { question: question.clone(), part: part.to_owned() }, true);
}

fn write_soon(place: &Place) {
    if WRITTEN.with_borrow(|written| written.as_ref() == Some(place)) {
        PENDING.set(None);
        return;
    }
    PENDING.set(Some((place.clone(), Timeout::new(PAUSE_MS, flush))));
}

/// Writes a place into the address: as a new entry of the history, or in the current one. Some sandboxed frames forbid both;
/// the page works without.
fn write(place: &Place, entry: bool) {
    WRITTEN.set(Some(place.clone()));
    let fragment = link::encode_at(&place.question, &place.part);
    // Inside another page the address belongs to that page's author.
    if browser::embedded() || fragment == browser::hash() {
        return;
    }
    let url = format!("#{fragment}");
    if let Ok(history) = window().history() {
        if entry {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url)).ok();
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url)).ok();
        }
    }
}
