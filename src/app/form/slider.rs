//! Slider of a number, for readers of a figure in another page.

use leptos::prelude::*;

use super::ids::described_by;
use crate::app::state::state;
use crate::scenario::fields::{Field, Number};

/// A slider over the steps of a number around the value that the page was opened with. The text field beside it takes any
/// other value.
#[component]
pub(super) fn Slider(field: &'static Field, number: Number) -> impl IntoView {
    let state = state();
    let stops = StoredValue::new(
        state.scenario.with_untracked(|question| number.stops(question, field.get(question))),
    );
    let last = stops.with_value(|stops| stops.len().saturating_sub(1));
    let at = Memo::new(move |_| {
        let text = state.text(field, number);
        stops.with_value(|stops| number.stop_at(stops, &text))
    });
    let said = move || {
        let text = stops.with_value(|stops| stops.get(at.get()).cloned());
        format!("{} {}", text.unwrap_or_default(), field.unit).trim_end().to_owned()
    };
    let slide = move |event| {
        let stop = event_target_value(&event).parse::<usize>().ok();
        if let Some(text) = stop.and_then(|stop| stops.with_value(|stops| stops.get(stop).cloned())) {
            state.enter(field, number, text, state.held(field));
        }
    };
    view! {
        <input
            type="range"
            class="slider"
            min="0"
            max=last.to_string()
            step="1"
            aria-label=format!("{}, slider", field.spoken())
            aria-describedby=described_by(field.path)
            aria-valuetext=said
            prop:value=move || at.get().to_string()
            on:input=slide
        />
    }
}
