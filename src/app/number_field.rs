//! A number that is typed, stepped with the arrow keys, or clicked up and down.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::entry::Place;
use super::field::Row;
use super::field_kind::Number;
use super::number::{self, Range};
use super::options::device;
use super::state::{State, state};
use crate::scenario::Scenario;

/// A number field. What cannot be read stays as typed, and the question stays as it was.
#[component]
pub(crate) fn NumberField(row: Row, number: Number) -> impl IntoView {
    let entry = Entry::new(state(), row.field.place, number);
    let step = move |up| move |_| entry.step(up);
    let arrows = move |event: KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        event.prevent_default();
        entry.step(up);
    };
    let placeholder = move || {
        let otherwise = number.otherwise?;
        entry.state.scenario.with(|scenario| device(scenario).map(otherwise)).map(number::show)
    };
    let invalid = row.invalid();
    view! {
        <div class="number">
            <input
                type="text"
                inputmode=if number.whole { "numeric" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                id=row.id
                aria-describedby=row.described_by
                aria-invalid=invalid
                placeholder=placeholder
                prop:value=move || entry.text.get()
                on:input=move |event| entry.typed(event_target_value(&event))
                on:keydown=arrows
            />
            // The arrow keys do the same, so that these are for the pointer only.
            <button type="button" tabindex="-1" aria-hidden="true" on:click=step(false)>"−"</button>
            <button type="button" tabindex="-1" aria-hidden="true" on:click=step(true)>"+"</button>
        </div>
    }
}

/// What is typed, and the number that it stands for.
#[derive(Clone, Copy)]
struct Entry {
    state: State,
    place: Place,
    number: Number,
    range: Range,
    text: RwSignal<String>,
}

impl Entry {
    fn new(state: State, place: Place, number: Number) -> Self {
        let value = Memo::new(move |_| state.scenario.with(|scenario| shown(scenario, place, number)));
        let entry = Self {
            state,
            place,
            number,
            range: number.range(place),
            text: RwSignal::new(value.get_untracked()),
        };
        // Another question replaces what is typed, unless what is typed says just that.
        Effect::watch(
            move || (value.get(), state.epoch.get()),
            move |(value, epoch), last: Option<&(String, u32)>, _: Option<()>| {
                let replaced = last.is_some_and(|(_, last)| last != epoch);
                let said = entry.text.with_untracked(|text| entry.read(text).ok());
                if replaced || said.as_deref() != Some(value) {
                    entry.text.set(value.clone());
                }
            },
            false,
        );
        entry
    }

    /// The text that a typed text is read as, in the shown unit; empty where the field may be.
    fn read(self, text: &str) -> Result<String, String> {
        if self.number.otherwise.is_some() && text.trim().is_empty() {
            return Ok(String::new());
        }
        number::parse(text, self.range).map(number::show)
    }

    fn typed(self, text: String) {
        let path = self.place.path;
        match self.read(&text) {
            Ok(value) => {
                if self.state.errors.with_untracked(|errors| errors.contains_key(path)) {
                    self.state.errors.update(|errors| drop(errors.remove(path)));
                }
                let value = value.parse().map_or(value, |shown: f64| number::show(shown * self.number.scale));
                self.state.scenario.update(|scenario| (self.place.write)(scenario, &value));
            }
            Err(message) => self.state.errors.update(|errors| drop(errors.insert(path, message))),
        }
        self.text.set(text);
    }

    /// One step from what is there, or else from what holds instead.
    fn step(self, up: bool) {
        let typed = self.text.with_untracked(|text| number::parse(text, self.range).ok());
        let scenario = self.state.scenario;
        let held = || scenario.with_untracked(|s| shown(s, self.place, self.number).parse().ok());
        let otherwise = || scenario.with_untracked(|s| Some(self.number.otherwise?(device(s)?)));
        if let Some(value) = typed.or_else(held).or_else(otherwise) {
            self.typed(number::show(self.number.next(value, up, self.range)));
        }
    }
}

/// The text of the scenario's value, in the shown unit.
fn shown(scenario: &Scenario, place: Place, number: Number) -> String {
    let text = (place.read)(scenario);
    match text.parse::<f64>() {
        Ok(value) => number::show(value / number.scale),
        Err(_) => text,
    }
}
