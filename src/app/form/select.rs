//! List field of the form.

use leptos::either::Either;
use leptos::prelude::*;

use super::ids::{described_by, id};
use crate::app::pick::Opener;
use crate::app::state::state;
use crate::scenario::Scenario;
use crate::scenario::fields::{Field, Menu, Opt};

/// The browser's own list. A long one opens a search in place of the browser's drop-down.
#[component]
pub(super) fn SelectControl(
    field: &'static Field,
    options: fn(&Scenario) -> Vec<Opt>,
    wrong: Signal<bool>,
) -> impl IntoView {
    let state = state();
    let opener = Opener::new(field, options);
    let menu = Memo::new(move |_| state.scenario.with(|scenario| Menu::of(field, options, scenario)));
    let groups = move || {
        let Menu { groups, chosen } = menu.get();
        let group = move |(heading, members): (Option<String>, Vec<Opt>)| {
            let member = |option: Opt| choice(option.value == chosen, option);
            let members = members.into_iter().map(member).collect_view();
            match heading {
                Some(heading) => Either::Left(view! { <optgroup label=heading>{members}</optgroup> }),
                None => Either::Right(members),
            }
        };
        groups.into_iter().map(group).collect_view()
    };
    view! {
        <select
            id=id(field.path)
            data-field=field.path
            aria-describedby=described_by(field.path)
            aria-invalid=move || wrong.get().then_some("true")
            on:change=move |event| state.choose(field.path, &event_target_value(&event))
            on:pointerdown=move |event| opener.note_press(&event)
            on:mousedown=move |event| opener.open_by_mouse(&event)
            on:touchend=move |event| opener.open_by_tap(&event)
            on:keydown=move |event| opener.open_by_key(&event)
        >
            {groups}
        </select>
    }
}

fn choice(selected: bool, option: Opt) -> impl IntoView {
    view! {
        <option value=option.value disabled=!option.enabled prop:selected=selected>
            {option.label}
        </option>
    }
}
