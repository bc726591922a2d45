//! Number field of the form.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::ids::id;
use crate::app::field_parts::numeric;
use crate::app::state::state;
use crate::scenario::fields::{Field, Number};

/// A text field for a number, and two buttons for the pointer: the arrow keys do the same.
#[component]
pub(super) fn NumberControl(field: &'static Field, number: Number, wrong: Signal<bool>) -> impl IntoView {
    let state = state();
    let shown = Memo::new(move |_| state.text(field, number));
    let placeholder = Memo::new(move |_| state.scenario.with(|scenario| number.placeholder(scenario)));
    // The value from before the edit.
    let before = StoredValue::new(state.held(field));
    let begin = move || before.set_value(state.held(field));
    let step = move |up| {
        state.step(field, number, up);
        begin();
    };
    let end = move || {
        state.finish(field);
        begin();
    };
    let pressed = move |event: KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        event.prevent_default();
        step(up);
    };
    view! {
        <div class="number">
            <input
                {..numeric(&id(field.path), number.whole, wrong)}
                data-field=field.path
                placeholder=move || placeholder.get()
                prop:value=move || shown.get()
                on:focus=move |_| begin()
                on:input=move |event| state.enter(field, number, event_target_value(&event), before.get_value())
                on:change=move |_| end()
                on:keydown=pressed
            />
            <button type="button" tabindex="-1" aria-hidden="true" on:click=move |_| step(false)>"−"</button>
            <button type="button" tabindex="-1" aria-hidden="true" on:click=move |_| step(true)>"+"</button>
        </div>
    }
}
