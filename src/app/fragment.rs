//! The question in the address bar: after the `#`, which no server sees.
//!
//! Typing rewrites the current entry of the history, at most four times a second; a view or a preset is a new
//! entry, so that back returns to what was there before.

use std::cell::RefCell;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::browser;
use super::dialogs::Dialog;
use super::state::State;
use crate::scenario::link::{self, Decoded};
use crate::scenario::{Problem, Scenario};

/// How long the address waits for the next key press. Browsers refuse rewriting it too often.
const PAUSE_MS: u32 = 250;

thread_local! {
    /// The question that the address already says.
    static WRITTEN: RefCell<Option<Scenario>> = const { RefCell::new(None) };
    /// The question that the address is about to say.
    static PENDING: RefCell<Option<(Scenario, Timeout)>> = const { RefCell::new(None) };
}

/// What an address opens.
pub(crate) struct Opened {
    /// The question, the first one of a comparison.
    pub(crate) question: Scenario,
    /// What its link has that cannot be used.
    pub(crate) problems: Vec<Problem>,
    /// All questions of a comparison, where the address has several.
    pub(crate) compared: Option<Vec<Scenario>>,
}

/// What the address opens. The address of a comparison becomes that of its first question.
pub(crate) fn read() -> Opened {
    let links = link::decode_all(&browser::hash());
    let compared = (links.len() > 1).then(|| links.iter().map(|link| link.scenario.clone()).collect());
    let first = links.into_iter().next().unwrap_or_else(|| link::decode(""));
    let Decoded { scenario: question, problems } = first;
    WRITTEN.set(Some(question.clone()));
    if compared.is_some() {
        write(&question, false);
    }
    Opened { question, problems, compared }
}

/// The address of a question on this page.
pub(crate) fn address(scenario: &Scenario) -> String {
    format!("{}#{}", browser::address(), link::encode(scenario))
}

/// Keeps the address and the question in step, both ways.
pub(crate) fn follow(state: State) {
    Effect::watch(move || state.scenario.get(), |scenario, _, _: Option<()>| write_soon(scenario), false);
    let read_back = move |_: &web_sys::Event| {
        PENDING.set(None);
        let known = WRITTEN.with_borrow(Clone::clone);
        let Opened { question, problems, compared } = read();
        if let Some(compared) = compared {
            state.compared.set(compared);
            state.dialog.set(Some(Dialog::Compare));
        }
        let unchanged = known.as_ref() == Some(&question)
            && state.scenario.with_untracked(|scenario| *scenario == question);
        if !unchanged || !problems.is_empty() {
            state.replace(question, problems);
        }
    };
    let window = window();
    EventListener::new(&window, "popstate", read_back).forget();
    EventListener::new(&window, "hashchange", read_back).forget();
}

/// Writes what is still waiting.
pub(crate) fn flush() {
    if let Some((scenario, timeout)) = PENDING.take() {
        timeout.cancel();
        write(&scenario, false);
    }
}

/// Makes a new entry in the history.
pub(crate) fn push(scenario: &Scenario) {
    write(scenario, true);
}

fn write_soon(scenario: &Scenario) {
    if WRITTEN.with_borrow(|written| written.as_ref() == Some(scenario)) {
        PENDING.set(None);
        return;
    }
    PENDING.set(Some((scenario.clone(), Timeout::new(PAUSE_MS, flush))));
}

/// The history refuses in some sandboxes; the page then works without it.
fn write(scenario: &Scenario, entry: bool) {
    WRITTEN.set(Some(scenario.clone()));
    let fragment = link::encode(scenario);
    // Inside another page the address belongs to that page's author.
    if browser::embedded() || fragment == browser::hash() {
        return;
    }
    let location = window().location();
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    let url = format!("{path}{query}#{fragment}");
    if let Ok(history) = window().history() {
        if entry {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url)).ok();
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url)).ok();
        }
    }
}
