//! The question as a form, drawn from the table of fields.

mod edit;
mod field;
mod ids;
mod number;
mod select;
mod slider;

use std::collections::BTreeSet;

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use self::field::FieldControl;
use self::ids::id;
use self::slider::Slider;
use super::browser;
use super::constants_panel::Constants;
use super::dialogs::OpenButton;
use super::state::{Dialog, state};
use crate::scenario::fields::{FIELDS, Field, Group, Kind, of_group};
use crate::scenario::{View, own};

/// Whether the form is open in windows that have no room for it beside the answer.
#[derive(Clone, Copy)]
pub(crate) struct Unfolded(RwSignal<bool>);

impl Unfolded {
    /// A folded form, whose state the page provides.
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(false))
    }

    /// Unfolds the form and moves the focus to a field.
    pub(crate) fn reveal(self, path: &str) {
        self.0.set(true);
        let id = id(path);
        // The form is drawn before the next frame.
        request_animation_frame(move || browser::reveal(&id));
    }
}

/// The form of the current view.
#[component]
pub(crate) fn Form() -> impl IntoView {
    let (view, form) = (state().view, state().form());
    let Unfolded(unfolded) = expect_context();
    let has_fields = move |group: &Group| of_group(form.get(), *group, false).next().is_some();
    let groups = move || Group::ALL.into_iter().filter(has_fields).collect::<Vec<_>>();
    view! {
        // In windows without room for the form beside the answer, the form is folded, so that the chart follows the answer.
        <button
            type="button"
            class="unfold"
            aria-expanded=move || unfolded.get().to_string()
            aria-controls="form"
            on:click=move |_| unfolded.update(|open| *open = !*open)
        >
            "Change the question"
        </button>
        <form
            id="form"
            class="form"
            aria-label="Question"
            data-folded=move || (!unfolded.get()).then_some("")
            on:submit=|event| event.prevent_default()
        >
            <For each=groups key=|group| group.id() children=|group| view! { <Fieldset group /> } />
            // These views do not use the question's constants: Generations has each device's own, Papers those of the authors.
            <Show when=move || !matches!(view.get(), View::Generations | View::Papers)>
                <Constants />
            </Show>
        </form>
    }
}

/// The most fields that a host may put below a figure.
pub(crate) const MOST_CONTROLS: usize = 3;

/// Inside another page: the fields that the host requests by their link keys, e.g. `?controls=tp,serve.batch`.
#[component]
pub(crate) fn Controls() -> impl IntoView {
    let asked = if browser::embedded() { browser::query("controls") } else { None };
    asked.map(|asked| {
        let fields = asked.split(',').filter_map(|key| FIELDS.iter().find(|field| field.key == key));
        let shown = fields.filter(|field| !field.views.is_empty()).take(MOST_CONTROLS);
        let controls = shown.map(|field| view! { <FieldWithSlider field /> }.into_any()).collect_view();
        view! {
            <form class="controls" aria-label="Question" on:submit=|event| event.prevent_default()>
                <div class="fields">{controls}</div>
            </form>
        }
        .into_any()
    })
}

/// A field, with a slider if it is a number.
#[component]
fn FieldWithSlider(field: &'static Field) -> impl IntoView {
    let slider = match field.kind {
        Kind::Number(number) => Some(view! { <Slider field number /> }.into_any()),
        Kind::Select(_) | Kind::Switch | Kind::Text => None,
    };
    view! { <div><FieldControl field /> {slider}</div> }
}

/// The fields under one heading.
#[component]
fn Fieldset(group: Group) -> impl IntoView {
    let form = state().form();
    let folded = Memo::new(move |_| of_group(form.get(), group, true).next().is_some());
    view! {
        <fieldset id=group.id()>
            <legend>{group.name()}</legend>
            <Fields group advanced=false />
            {(group == Group::Hardware).then(|| view! { <Own /> })}
            <Show when=move || folded.get()>
                <Fold group />
            </Show>
        </fieldset>
    }
}

/// Buttons for a model and a GPU of the visitor's own, where the form has such a field.
#[component]
fn Own() -> impl IntoView {
    let form = state().form();
    let asks = move |path: &str| of_group(form.get(), Group::Hardware, false).any(|field| field.path == path);
    view! {
        <p class="own-buttons">
            {move || asks("model").then(|| view! { <OpenButton dialog=Dialog::Own(own::Kind::Model) text="Your own model" class="link" /> })}
            {move || asks("system.accelerator").then(|| view! { <OpenButton dialog=Dialog::Own(own::Kind::Gpu) text="Your own GPU" class="link" /> })}
        </p>
    }
}

/// The fields that few people change. The fold opens when one of them gets a problem; the visitor may close it again.
#[component]
fn Fold(group: Group) -> impl IntoView {
    let state = state();
    let form = state.form();
    let open = RwSignal::new(false);
    let wrong = Memo::new(move |_| {
        let paths = of_group(form.get(), group, true).map(|field| field.path);
        paths.filter(|path| !state.message(path).is_empty()).collect::<BTreeSet<_>>()
    });
    Effect::new(move |last: Option<BTreeSet<&str>>| {
        let wrong = wrong.get();
        if !wrong.is_subset(&last.unwrap_or_default()) {
            open.set(true);
        }
        wrong
    });
    let toggled = move |event: ev::Event| open.set(event_target::<Element>(&event).has_attribute("open"));
    view! {
        <details id=format!("advanced-{}", group.id()) prop:open=move || open.get() on:toggle=toggled>
            <summary>"Advanced"<span class="visually-hidden">": "{group.name()}</span></summary>
            <Fields group advanced=true />
        </details>
    }
}

/// The fields under a heading, collapsible or not. A field that two views share keeps its state between them.
#[component]
fn Fields(group: Group, advanced: bool) -> impl IntoView {
    let form = state().form();
    let fields = move || of_group(form.get(), group, advanced).collect::<Vec<_>>();
    view! {
        <div class="fields">
            <For each=fields key=|field| (field.path, field.label) children=|field| view! { <FieldControl field /> } />
        </div>
    }
}
