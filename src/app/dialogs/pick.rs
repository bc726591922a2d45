//! Search in the form's long lists, which replaces the browser's drop-down.
//!
//! Keyboard interaction follows the combobox pattern of the ARIA Authoring Practices: the focus stays in the text
//! field, and `aria-activedescendant` names the option that Enter selects.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlElement, HtmlSelectElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::frame::Modal;
use super::layout;
use crate::app::browser;
use crate::app::length::pixels;
use crate::app::state::{State, state};
use crate::catalog::fit;
use crate::scenario::Scenario;
use crate::scenario::fields::{Field, Menu, Opt};

/// Minimum number of options of a searchable list. Shorter lists use the browser's drop-down.
const LONG: usize = 17;

/// Number of options that Page Up and Page Down move by.
const PAGE: usize = 10;

/// Minimum width of the search, pixels.
const WIDTH: f64 = 340.0;

/// Minimum distance between the search and the edge of the window, pixels.
const MARGIN: f64 = 8.0;

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

/// A list being searched.
#[derive(Clone)]
pub(crate) struct Pick {
    /// The `<select>` element that the search replaces.
    list: HtmlSelectElement,
    /// The field of the list.
    field: &'static Field,
    /// The options of the list.
    options: Vec<Opt>,
    /// Index of the option that the question has; `None` for a value that only a link can set.
    selected: Option<usize>,
    /// Initial text of the search.
    text: String,
}

impl Pick {
    /// The search of a field's list; `None` if the list is not long enough to be searchable.
    pub(crate) fn of(
        question: &Scenario,
        list: HtmlSelectElement,
        field: &'static Field,
        options: fn(&Scenario) -> Vec<Opt>,
        text: &str,
    ) -> Option<Self> {
        let chosen = Menu::of(field, options, question).chosen;
        let options = options(question);
        let selected = options.iter().position(|option| option.value == chosen);
        (options.len() >= LONG).then(|| Self { list, field, options, selected, text: text.to_owned() })
    }

    /// Focuses the list, so that the browser returns the focus to it when the search closes.
    pub(crate) fn focus(&self) {
        self.list.focus().ok();
    }

    /// The options that match a text best, by group.
    fn found(&self, text: &str) -> Vec<Group> {
        let fits = |option: &Opt| {
            fit(text, &[&option.label, &option.value, option.group.as_deref().unwrap_or_default()])
        };
        let fits: Vec<_> = self.options.iter().map(fits).collect();
        let Some(best) = fits.iter().copied().max().flatten() else { return Vec::new() };
        let mut groups: Vec<Group> = Vec::new();
        for (index, option) in self.options.iter().enumerate().filter(|(index, _)| fits[*index] == Some(best))
        {
            match groups.iter_mut().find(|group| group.name == option.group) {
                Some(group) => group.options.push(index),
                None => groups.push(Group { name: option.group.clone(), options: vec![index] }),
            }
        }
        groups
    }

    /// Width of the search, pixels.
    fn width(&self) -> f64 {
        let list = self.list.get_bounding_client_rect().width();
        list.max(WIDTH).min(browser::window_width() - 2.0 * MARGIN)
    }

    /// Position (top, left) of a search of this height, pixels: over the list, but inside the window.
    fn corner(&self, height: f64) -> (f64, f64) {
        let (list, width) = (self.list.get_bounding_client_rect(), self.width());
        let start = if browser::right_to_left() { list.right() - width } else { list.left() };
        let top = list.top().min(browser::window_height() - height - MARGIN).max(MARGIN);
        (top, start.min(browser::window_width() - width - MARGIN).max(MARGIN))
    }
}

/// The list being searched, if any: a Leptos context that the page provides.
pub(crate) type Picking = RwSignal<Option<Pick>, LocalStorage>;

/// Options under one heading.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: Option<String>,
    /// Indices in the list.
    options: Vec<usize>,
}

/// A search in progress.
#[derive(Clone, Copy)]
struct Search {
    state: State,
    modal: Modal,
    pick: StoredValue<Pick, LocalStorage>,
    text: RwSignal<String>,
    groups: Memo<Vec<Group>>,
    /// The option chosen with the arrow keys since the text last changed.
    cursor: RwSignal<Option<usize>>,
    /// The option that Enter selects.
    active: Memo<Option<usize>>,
}

impl Search {
    fn new(pick: Pick) -> Self {
        let state = state();
        let text = RwSignal::new(pick.text.clone());
        let selected = pick.selected;
        let pick = StoredValue::new_local(pick);
        let groups = Memo::new(move |_| pick.with_value(|pick| text.with(|text| pick.found(text))));
        let cursor = RwSignal::new(None);
        let active = Memo::new(move |_| {
            groups.with(|groups| {
                let shown = || groups.iter().flat_map(|group| group.options.iter().copied());
                let here =
                    |wanted: Option<usize>| wanted.filter(|wanted| shown().any(|option| option == *wanted));
                here(cursor.get()).or_else(|| here(selected)).or_else(|| shown().next())
            })
        });
        Self { state, modal: Modal::new(), pick, text, groups, cursor, active }
    }

    /// The matching options in the order shown.
    fn shown(self) -> Vec<usize> {
        self.groups.with_untracked(|groups| groups.iter().flat_map(|group| group.options.clone()).collect())
    }

    /// Status line: the number of matching options.
    fn status(self) -> String {
        let found: usize = self.groups.with(|groups| groups.iter().map(|group| group.options.len()).sum());
        if found == 0 {
            return "No match. Describe your own model or GPU, or open a file (“Files”, at the top)"
                .to_owned();
        }
        format!("{found} of {}", self.pick.with_value(|pick| pick.options.len()))
    }

    /// Moves the cursor by a number of options. At the ends it wraps around if `wraps`.
    fn step(self, forwards: bool, by: usize, wraps: bool) {
        let shown = self.shown();
        let Some(last) = shown.len().checked_sub(1) else { return };
        let active = self.active.get_untracked();
        let at = shown.iter().position(|option| Some(*option) == active).unwrap_or_default();
        let next = match forwards {
            true if at == last && wraps => 0,
            true => (at + by).min(last),
            false if at == 0 && wraps => last,
            false => at.saturating_sub(by),
        };
        self.cursor.set(shown.get(next).copied());
    }

    fn press(self, event: &KeyboardEvent) {
        if event.is_composing() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => self.step(true, 1, true),
            "ArrowUp" => self.step(false, 1, true),
            "PageDown" => self.step(true, PAGE, false),
            "PageUp" => self.step(false, PAGE, false),
            "Enter" => {
                if let Some(option) = self.active.get_untracked() {
                    self.choose(option);
                }
            }
            // The focus returns to the list, and the browser's own Tab handling then moves it to the next control.
            "Tab" => return self.modal.close(),
            _ => return,
        }
        event.prevent_default();
    }

    /// Sets the field to an option.
    fn choose(self, option: usize) {
        let chosen = self.pick.with_value(|pick| {
            let option = pick.options.get(option).filter(|option| option.enabled)?;
            Some((pick.field.path, option.value.clone()))
        });
        if let Some((path, value)) = chosen {
            self.modal.close();
            self.state.choose(path, &value);
        }
    }
}

/// The search of a list.
#[component]
pub(super) fn PickDialog(list: Pick) -> impl IntoView {
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
