//! One of several, with what is out of reach shown as such.

use leptos::prelude::*;

use super::entry::CUSTOM;
use super::field::Row;
use super::options::Opt;
use super::state::state;
use crate::scenario::Scenario;

/// A drop-down.
#[component]
pub(crate) fn SelectField(row: Row, options: fn(&Scenario) -> Vec<Opt>) -> impl IntoView {
    let state = state();
    let place = row.field.place;
    let value = Memo::new(move |_| state.scenario.with(place.read));
    let offered = Memo::new(move |_| state.scenario.with(options));
    let invalid = row.invalid();
    let choose = move |event| {
        let text = event_target_value(&event);
        state.scenario.update(|scenario| (place.write)(scenario, &text));
    };
    view! {
        <select id=row.id aria-describedby=row.described_by aria-invalid=invalid on:change=choose>
            {move || {
                let offered = offered.get();
                // Only a link can say something that is not on offer.
                let other = Memo::new({
                    let offered = offered.clone();
                    move |_| value.with(|value| {
                        (!offered.iter().any(|option| option.value == *value)).then(|| value.clone())
                    })
                });
                view! {
                    {move || other.get().map(|other| {
                        let label = if other == CUSTOM { "Custom, from the link".to_owned() } else { other.clone() };
                        view! { <option value=other prop:selected=true>{label}</option> }
                    })}
                    {groups(offered).into_iter().map(|(group, options)| {
                        let options = options
                            .into_iter()
                            .map(|option| {
                                let own = option.value.clone();
                                view! {
                                    <option
                                        value=option.value
                                        disabled=!option.enabled
                                        prop:selected=move || value.with(|value| *value == own)
                                    >
                                        {option.label}
                                    </option>
                                }
                            })
                            .collect_view();
                        match group {
                            Some(group) => view! { <optgroup label=group>{options}</optgroup> }.into_any(),
                            None => options.into_any(),
                        }
                    }).collect_view()}
                }
            }}
        </select>
    }
}

/// Neighbours of the same heading together.
fn groups(options: Vec<Opt>) -> Vec<(Option<String>, Vec<Opt>)> {
    let mut groups: Vec<(Option<String>, Vec<Opt>)> = Vec::new();
    for option in options {
        match groups.last_mut() {
            Some((heading, members)) if *heading == option.group => members.push(option),
            _ => groups.push((option.group.clone(), vec![option])),
        }
    }
    groups
}
