//! The question as a form: the fields of the view, under their headings.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::constants_panel::Constants;
use super::field::FieldRow;
use super::field_kind::{Field, Group};
use super::fields::FIELDS;
use super::state::state;
use crate::scenario::View;

/// The form of the current view.
#[component]
pub(crate) fn Form() -> impl IntoView {
    let state = state();
    view! {
        <form class="form" aria-label="Question" on:submit=|event| event.prevent_default()>
            {move || {
                let view = state.view.get();
                Group::ALL.into_iter().map(|group| view! { <FormGroup group view /> }).collect_view()
            }}
            // The generations are compared under each device's own.
            <Show when=move || state.view.get() != View::Generations>
                <Constants />
            </Show>
        </form>
    }
}

#[component]
fn FormGroup(group: Group, view: View) -> impl IntoView {
    let fields = |advanced: bool| -> Vec<&'static Field> {
        FIELDS
            .iter()
            .filter(|field| field.group == group && field.advanced == advanced && field.views.contains(&view))
            .collect()
    };
    let (plain, advanced) = (fields(false), fields(true));
    (!plain.is_empty()).then(|| {
        view! {
            <fieldset>
                <legend>{group.name()}</legend>
                <div class="fields">{rows(&plain)}</div>
                {(!advanced.is_empty()).then(|| view! { <Advanced group fields=advanced /> })}
            </fieldset>
        }
    })
}

/// Fields behind one more click; the fold opens by itself when one of them is wrong.
#[component]
fn Advanced(group: Group, fields: Vec<&'static Field>) -> impl IntoView {
    let state = state();
    let open = RwSignal::new(false);
    let messages: Vec<_> = fields.iter().map(|field| state.message(field)).collect();
    Effect::new(move |_| {
        if messages.iter().any(|message| message.with(Option::is_some)) {
            open.set(true);
        }
    });
    let toggle = move |event: ev::Event| {
        let details = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        open.set(details.is_some_and(|details| details.has_attribute("open")));
    };
    view! {
        <details prop:open=move || open.get() on:toggle=toggle>
            <summary>"Advanced" <span class="visually-hidden">": " {group.name()}</span></summary>
            <div class="fields">{rows(&fields)}</div>
        </details>
    }
}

fn rows(fields: &[&'static Field]) -> impl IntoView + use<> {
    fields.iter().map(|field| view! { <FieldRow field=*field /> }).collect_view()
}
