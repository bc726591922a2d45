//! A field of the form: name, control, help and problem.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::ids::{described_by, id};
use super::number::NumberControl;
use super::select::SelectControl;
use crate::app::browser;
use crate::app::field_parts::{Label, Message};
use crate::app::length::pixels;
use crate::app::state::state;
use crate::scenario::fields::{Field, Kind, Value};

/// A field of the form.
#[component]
pub(super) fn FieldControl(field: &'static Field) -> impl IntoView {
    let state = state();
    let message = Memo::new(move |_| state.message(field.path));
    let wrong = Signal::derive(move || !message.with(String::is_empty));
    let (class, control) = match field.kind {
        Kind::Number(number) => ("field", view! { <NumberControl field number wrong /> }.into_any()),
        Kind::Select(options) => ("field", view! { <SelectControl field options wrong /> }.into_any()),
        Kind::Switch => ("field switch-field", view! { <SwitchControl field wrong /> }.into_any()),
        Kind::Text => return ().into_any(),
    };
    let wide = move || field.wide.contains(&state.view.get()).then_some("");
    let id = id(field.path);
    let help = format!("{id}-help");
    // A label such as `Spare replicas` says its unit.
    let unit = if field.label.to_ascii_lowercase().ends_with(field.unit) { "" } else { field.unit };
    let hint = NodeRef::<html::Button>::new();
    let whole = NodeRef::<html::Div>::new();
    // Distances of the field from the window's start edge and top, px. The form scrolls and clips its content, so that the
    // help is positioned by the window.
    let corner = RwSignal::new((0.0, 0.0));
    let locate = move || {
        let Some(whole) = whole.get_untracked() else { return };
        let there = whole.get_bounding_client_rect();
        let start =
            if browser::right_to_left() { browser::window_width() - there.right() } else { there.left() };
        corner.set((start, there.top()));
    };
    let press = move |event: KeyboardEvent| {
        if event.key() == "F1"
            && let Some(hint) = hint.get_untracked()
        {
            event.prevent_default();
            // The button that shows the help is no stop of the Tab key.
            hint.focus().ok();
        }
    };
    view! {
        <div node_ref=whole class=class data-wide=wide on:keydown=press>
            <Label id=id.clone() name=field.label unit />
            {control}
            <button
                type="button"
                class="hint"
                tabindex="-1"
                node_ref=hint
                aria-label=format!("About {}", field.spoken())
                aria-describedby=help.clone()
                on:pointerenter=move |_| locate()
                on:focus=move |_| locate()
            >
                "?"
            </button>
            <span
                class="tip"
                role="tooltip"
                id=help
                style=("--tip-start", move || pixels(corner.get().0))
                style=("--tip-top", move || pixels(corner.get().1))
            >
                {explanation(field)}
            </span>
            <Message id text=message />
        </div>
    }
    .into_any()
}

/// The help of a field, and the numbers that it takes.
fn explanation(field: &Field) -> String {
    let Field { help, unit, .. } = *field;
    match field.kind {
        Kind::Number(number) => format!("{help}; {} {unit}", number.range_text()).trim_end().to_owned(),
        Kind::Select(_) | Kind::Switch | Kind::Text => help.to_owned(),
    }
}

/// A check box.
#[component]
fn SwitchControl(field: &'static Field, wrong: Signal<bool>) -> impl IntoView {
    let state = state();
    let on = Memo::new(move |_| state.scenario.with(|scenario| field.get(scenario) == Value::Switch(true)));
    view! {
        <input
            type="checkbox"
            id=id(field.path)
            data-field=field.path
            aria-describedby=described_by(field.path)
            aria-invalid=move || wrong.get().then_some("true")
            prop:checked=move || on.get()
            on:change=move |event| state.switch(field, event_target_checked(&event))
        />
    }
}
