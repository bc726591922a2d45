//! The dialog in which a list is searched.
//!
//! Keyboard interaction follows the combobox pattern of the ARIA Authoring Practices: the focus stays in the text
//! field, and `aria-activedescendant` names the option that Enter selects.

use leptos::ev::PointerEvent;
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::search::Search;
use super::{Group, Pick, Picking};
use crate::app::browser;
use crate::app::dialogs::layout;
use crate::app::length::pixels;

/// What a list can be searched by: only models and devices have makers, and only models sizes.
fn searched_by(path: &str) -> &'static str {
    match path {
        "model" => "Name, size or maker",
        "system.accelerator" | "system.second" | "system.prefill" | "comparison.from" | "comparison.to" => {
            "Name or maker"
        }
        _ => "Name",
    }
}

/// The search of a list.
#[component]
pub(in crate::app::dialogs) fn PickDialog(list: Pick) -> impl IntoView {
    let picking: Picking = expect_context();
    let label = list.field.label;
    let width = list.width();
    let search = Search::new(list);
    let corner = RwSignal::new((0.0, 0.0));
    let place = move || {
        if let Some(dialog) = search.modal.place().get_untracked() {
            corner.set(search.pick.with_value(|pick| pick.corner(dialog.offset_height().into())));
        }
    };
    let leave = move |event: PointerEvent| {
        if event.target() == event.current_target() {
            search.modal.close();
        }
    };
    let view = view! {
        <dialog
            class="pick"
            aria-label=label
            node_ref=search.modal.place()
            style:width=pixels(width)
            style:top=move || pixels(corner.get().0)
            style:left=move || pixels(corner.get().1)
            on:pointerdown=leave
            on:close=move |_| picking.set(None)
        >
            <Query search label />
            <Choices search label />
            <p role="status">{move || search.status()}</p>
        </dialog>
    };
    Effect::new(move |_| {
        if search.modal.place().get().is_some() {
            place();
        }
    });
    layout::follow(place);
    view
}

/// The text field of the search.
#[component]
fn Query(search: Search, label: &'static str) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let end = u32::try_from(search.text.with_untracked(String::len)).unwrap_or_default();
    field.on_load(move |field| {
        field.focus().ok();
        field.set_selection_range(end, end).ok();
    });
    let placeholder = search.pick.with_value(|pick| searched_by(pick.field.path));
    let typed = move |event| {
        search.cursor.set(None);
        search.text.set(event_target_value(&event));
    };
    view! {
        <input
            type="text"
            id="pick-text"
            node_ref=field
            prop:value=move || search.text.get()
            placeholder=placeholder
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            role="combobox"
            aria-label=format!("Search: {label}")
            aria-autocomplete="list"
            aria-expanded="true"
            aria-controls="pick-list"
            aria-activedescendant=move || search.active.get().map(id)
            on:input=typed
            on:keydown=move |event| search.press(&event)
        />
    }
}

/// The matching options, under their headings.
#[component]
fn Choices(search: Search, label: &'static str) -> impl IntoView {
    let groups = move || {
        let groups = search.groups.get().into_iter().enumerate();
        groups.map(|(position, group)| view! { <Options search label position group /> }).collect_view()
    };
    let view = view! {
        // Keep the focus in the text field.
        <div id="pick-list" role="listbox" aria-label=label on:mousedown=|event| event.prevent_default()>
            {groups}
        </div>
    };
    // Runs after the view's effect, which renders the option.
    Effect::new(move |last: Option<()>| {
        let element: Option<HtmlElement> =
            search.active.get().and_then(|option| browser::html_element(&id(option)));
        if let Some(element) = element {
            let options = ScrollIntoViewOptions::new();
            let block =
                if last.is_none() { ScrollLogicalPosition::Center } else { ScrollLogicalPosition::Nearest };
            options.set_block(block);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
    view
}

/// One group.
#[component]
fn Options(search: Search, label: &'static str, position: usize, group: Group) -> impl IntoView {
    let heading = format!("pick-group-{position}");
    let named = group.name.is_some();
    let labelled = named.then(|| heading.clone());
    let options = group.options.into_iter().map(|option| view! { <Choice search option /> }).collect_view();
    view! {
        <div
            role="group"
            aria-labelledby=labelled
            aria-label=(!named).then_some(label)
        >
            {group
                .name
                .map(|name| {
                    view! {
                        <div id=heading class="pick-group" role="presentation">
                            {name}
                        </div>
                    }
                })} {options}
        </div>
    }
}

/// One option.
#[component]
fn Choice(search: Search, option: usize) -> impl IntoView {
    let shown = search.pick.with_value(|pick| {
        pick.options.get(option).map(|option| (option.label.clone(), option.enabled)).unwrap_or_default()
    });
    let (name, enabled) = shown;
    view! {
        <div
            id=id(option)
            role="option"
            aria-selected=move || (search.active.get() == Some(option)).to_string()
            aria-disabled=(!enabled).to_string()
            on:click=move |_| search.choose(option)
        >
            {name}
        </div>
    }
}

/// Element id of an option.
fn id(option: usize) -> String {
    format!("pick-{option}")
}
