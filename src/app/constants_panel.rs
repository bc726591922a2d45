//! The fitted constants of the chosen device, or the scaling numbers of the Technology view, to look at and to edit.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use super::field_parts::{Label, Message, numeric};
use super::state::{State, state};
use crate::scenario::{Problem, View};
use crate::units::Amount;
use crate::view::Constants as Listed;
use crate::view::constants::{Constant, Group, rounded, written};

/// A fold that is filled when it is first opened.
#[component]
pub(crate) fn Constants() -> impl IntoView {
    let state = state();
    let edited = Memo::new(move |_| state.scenario.with(|scenario| scenario.constants.len()));
    let opened = edited.get_untracked() > 0;
    let open = RwSignal::new(opened);
    // The part of the scenario on which the constants depend, so that edits of other fields do not list them again.
    let subject = Memo::new(move |_| {
        state.scenario.with(|scenario| {
            let scaling = scenario.view == View::Technology;
            (scaling, scenario.system.accelerator.clone(), scenario.constants.clone())
        })
    });
    let listed = Memo::new(move |_| {
        subject.with(|_| ());
        open.get().then(|| state.scenario.with_untracked(Listed::of))
    });
    let groups = move || match listed.get() {
        Some(Ok(listed)) => listed.groups,
        _ => Vec::new(),
    };
    let about = move || match listed.get() {
        Some(Ok(listed)) => format!("Of {}. {}", listed.of, listed.scope),
        Some(Err(problem)) => problem.message,
        None => String::new(),
    };
    // The event does not bubble, so that the folds inside do not call this.
    let toggle = move |event: ev::Event| open.set(event_target::<Element>(&event).has_attribute("open"));
    let some = move || edited.get() > 0;
    let reset = move |_| state.scenario.update(|scenario| scenario.constants.clear());
    view! {
        <details class="constants" data-constants="" prop:open=opened on:toggle=toggle>
            <summary>
                "Constants"
                {move || match edited.get() {
                    0 => String::new(),
                    count => format!(", {count} edited"),
                }}
            </summary>
            <p>{about}</p>
            <Show when=some>
                <button type="button" id="constants-reset" on:click=reset>"Reset all"</button>
            </Show>
            <For each=groups key=|group| (group.name.clone(), group.source.clone()) let:group>
                <GroupFold listed name=group.name />
            </For>
        </details>
    }
}

/// The constants of one kernel or one technology, folded away unless one of them is edited.
#[component]
fn GroupFold(listed: Memo<Option<Result<Listed, Problem>>>, name: String) -> impl IntoView {
    let id = id(&name);
    let title = if name.is_empty() { "Other".to_owned() } else { name.clone() };
    let group = Memo::new(move |_| {
        let listed = listed.read();
        let groups = listed.as_ref()?.as_ref().ok()?;
        groups.groups.iter().find(|group| group.name == name).cloned()
    });
    let edited = Memo::new(move |_| group.with(|group| group.as_ref().is_some_and(Group::edited)));
    let about = move || group.with(|group| group.as_ref().map(about));
    let keys = move || group.get().map(|group| group.constants).unwrap_or_default();
    view! {
        <details open=edited.get_untracked()>
            <summary id=format!("group-{id}")>{title}{move || edited.get().then_some(", edited")}</summary>
            <p>{about}</p>
            <For each=keys key=|constant| (constant.key.clone(), constant.value.to_bits()) let:constant>
                <ConstantField constant />
            </For>
        </details>
    }
}

/// Describes a group: its error on rows outside its fit, and its source.
fn about(group: &Group) -> String {
    let error = group.error.map(|error| format!("Mean error {}", Amount::percent(error)));
    let rows = group
        .rows
        .map(|(fitted, scored)| format!(", fitted on {fitted} measurements and scored on {scored} others. "));
    [error.unwrap_or_default(), rows.unwrap_or_default(), group.source.clone()].concat()
}

/// One constant: its name, value, source and a field to edit it.
#[component]
fn ConstantField(constant: Constant) -> impl IntoView {
    let state = state();
    let Constant { key, name, unit, meaning, value, low, high, source, .. } = constant;
    let id = id(&key);
    let range = format!("from {} to {}", rounded(low), rounded(high));
    let found = if source.is_empty() { "fitted" } else { "published" };
    let source = if source.is_empty() { source } else { format!(". {source}") };
    let help = format!("{meaning}; {found} {}, {range}{source}", rounded(value));
    let (wrong, text) = (RwSignal::new(false), RwSignal::new(String::new()));
    let key = StoredValue::new(key);
    let edit = Memo::new(move |_| {
        key.with_value(|key| state.scenario.with(|scenario| scenario.constants.get(key).copied()))
    });
    // Another question, or a reset, replaces the typed text.
    Effect::new(move |_| {
        text.set(edit.get().map_or_else(|| rounded(value), written));
        wrong.set(false);
    });
    let changed = move |event: ev::Event| {
        let typed = event_target_value(&event);
        let number = typed.trim().parse::<f64>().ok().filter(|number| (low..=high).contains(number));
        wrong.set(number.is_none());
        text.set(typed);
        if let Some(number) = number {
            put(state, key.get_value(), Some(number));
        }
    };
    let message =
        Signal::derive(move || if wrong.get() { format!("Must be a number {range}") } else { String::new() });
    let reset = {
        let (id, name) = (id.clone(), name.clone());
        move || {
            edit.get().map(|_| {
                view! {
                    <button
                        type="button"
                        id=format!("{id}-reset")
                        aria-label=format!("Reset {name} of {}", key.get_value())
                        on:click=move |_| put(state, key.get_value(), None)
                    >
                        "Reset"
                    </button>
                }
            })
        }
    };
    view! {
        <div class="constant">
            <Label id=id.clone() name unit />
            <div>
                <input {..numeric(&id, false, wrong.into())} prop:value=text on:change=changed />
                {reset}
            </div>
            <Message id=id.clone() text=message />
            <p id=format!("{id}-help")>{help}</p>
        </div>
    }
}

/// Gives a constant a value; `None` restores the fitted or published one.
fn put(state: State, key: String, value: Option<f64>) {
    state.scenario.update(|scenario| match value {
        Some(value) => drop(scenario.constants.insert(key, value)),
        None => drop(scenario.constants.remove(&key)),
    });
}

/// The id of a constant's or a group's control.
fn id(key: &str) -> String {
    format!("constant-{}", key.replace('.', "-"))
}
