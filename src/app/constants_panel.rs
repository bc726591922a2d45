//! The fitted constants of the chosen device, to look at and to edit.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};

use super::browser;
use super::merge::put;
use super::state::{State, state};
use crate::figure::escape;
use crate::scenario::View;
use crate::worker::constants;

/// A fold that is filled when it is first opened.
#[component]
pub(crate) fn Constants() -> impl IntoView {
    let state = state();
    let open = RwSignal::new(state.scenario.with_untracked(|scenario| !scenario.constants.is_empty()));
    let edited = Memo::new(move |_| state.scenario.with(|scenario| scenario.constants.len()));
    // What the form says, so that other fields do not redraw it.
    let asked = Memo::new(move |_| {
        state.scenario.with(|scenario| {
            // Scaling numbers are listed in place of a device's constants.
            let scaling = scenario.view == View::Technology;
            (scaling, scenario.system.accelerator.clone(), scenario.constants.clone())
        })
    });
    let markup = RwSignal::new(String::new());
    Effect::new(move |_| {
        // Read rather than tracked: a memo that nobody reads follows nothing.
        asked.with(|_| ());
        if open.get() {
            let form = state.scenario.with_untracked(constants::form);
            markup.set(form.unwrap_or_else(|message| escape(&message)));
        }
    });
    let place = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get() {
            put(&place, &markup.read());
        }
    });
    let toggle = move |event: ev::Event| {
        // Folds inside report here as well.
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(fold) = target.filter(|fold| fold.has_attribute("data-constants")) {
            open.set(fold.has_attribute("open"));
        }
    };
    view! {
        <details class="constants" data-constants="" prop:open=open.get_untracked() on:toggle=toggle>
            <summary>
                "Constants"
                {move || match edited.get() {
                    0 => String::new(),
                    count => format!(", {count} edited"),
                }}
            </summary>
            <div
                node_ref=place
                on:change=move |event| typed(state, &event)
                on:click=move |event| reset(state, &event)
            ></div>
        </details>
    }
}

/// Takes what was typed, or says beside the field what is wrong with it.
fn typed(state: State, event: &ev::Event) {
    let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
        return;
    };
    let bound = |name: &str| input.get_attribute(name).and_then(|bound| bound.parse::<f64>().ok());
    let (Some(key), Some(low), Some(high)) =
        (input.get_attribute("data-constant"), bound("data-low"), bound("data-high"))
    else {
        return;
    };
    let value = input.value().trim().parse::<f64>().ok().filter(|value| (low..=high).contains(value));
    let message = browser::html_element(&format!("{}-message", input.id()));
    if let Some(value) = value {
        state.scenario.update(|scenario| {
            scenario.constants.insert(key, value);
        });
        return;
    }
    input.set_attribute("aria-invalid", "true").ok();
    if let (Some(message), Some(range)) = (message, input.get_attribute("data-range")) {
        message.set_text_content(Some(&format!("Must be a number {range}")));
    }
}

/// Takes one edit back, or all.
fn reset(state: State, event: &ev::MouseEvent) {
    let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(key) = button.and_then(|button| button.get_attribute("data-reset")) {
        state.scenario.update(|scenario| {
            if key.is_empty() {
                scenario.constants.clear();
            } else {
                scenario.constants.remove(&key);
            }
        });
    }
}
