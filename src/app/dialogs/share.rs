//! The Share dialog: the question as a link, as the text that each kind of document needs, and as a citation.

use gloo::events::EventListener;
use leptos::prelude::*;

use super::frame::Frame;
use crate::app::browser;
use crate::app::copyable::Copyable;
use crate::app::form::MOST_CONTROLS;
use crate::app::fragment;
use crate::app::host;
use crate::app::state::slots::Slot;
use crate::app::state::state;
use crate::figure::Size;
use crate::scenario::fields::{Field, of_form};
use crate::view::{DocumentKind, Shared, page_title};

/// The module that defines the custom element, which the preview uses like any other page.
const ELEMENT: &str = "./embed.js";

/// Keys of the fields that readers may change, in the order in which they were chosen.
type Keys = RwSignal<Vec<&'static str>>;

/// The dialog.
#[component]
pub(super) fn Share() -> impl IntoView {
    let state = state();
    let figures: Vec<_> =
        state.shown.slots.with_untracked(|slots| slots.iter().filter_map(Slot::title).collect());
    // The open section's first figure, if it has one.
    let section = untrack(|| state.section());
    let open = |(id, _): &&(String, _)| section.is_none_or(|section| section.parts.contains(&id.as_str()));
    let first = figures.iter().find(open).or_else(|| figures.first());
    let first = first.map(|(id, _)| id.clone()).unwrap_or_default();
    let host = RwSignal::new(DocumentKind::WebPage);
    let figure = RwSignal::new(first.clone());
    let number = RwSignal::new(String::new());
    let theme = RwSignal::new(String::new());
    let frameless = RwSignal::new(false);
    let keys: Keys = RwSignal::new(Vec::new());
    browser::load_module(ELEMENT);
    let height = preview_height(figure);
    let shared = Memo::new(move |_| Shared {
        page: browser::site(),
        link: fragment::link_here(state),
        figure: figure.get(),
        first: first.clone(),
        number: number.get(),
        theme: theme.get(),
        controls: keys.with(|keys| keys.join(",")),
        frameless: frameless.get(),
        height: height.get().filter(|_| figure.with(|figure| !figure.is_empty())),
        title: state.scenario.with(page_title),
        date: browser::today(),
    });
    let text = move |of: fn(&Shared) -> String| Signal::derive(move || shared.with(of));
    let of_host = move || {
        let host = host.get();
        let labels: Vec<&'static str> =
            shared.with(|shared| host.snippets(shared)).into_iter().map(|snippet| snippet.label).collect();
        labels.into_iter().map(move |label| (host, label)).collect::<Vec<_>>()
    };
    let snippet = move |(host, label): (DocumentKind, &'static str)| {
        let text = Signal::derive(move || {
            let snippets = shared.with(|shared| host.snippets(shared));
            snippets
                .into_iter()
                .find(|snippet| snippet.label == label)
                .map_or_else(String::new, |found| found.text)
        });
        view! { <Copyable label text /> }
    };
    view! {
        <Frame title="Share">
            <Copyable label="Link" text=text(Shared::address) />
            <div class="choices">
                <Figures figures figure />
                <Hosts host />
            </div>
            <div class="choices">
                <label for="share-theme">"Theme"</label>
                <select id="share-theme" on:change=move |event| theme.set(event_target_value(&event))>
                    <option value="">"Same as the document"</option>
                    <option value="light">"Light"</option>
                    <option value="dark">"Dark"</option>
                </select>
                <label>
                    <input
                        type="checkbox"
                        id="share-frameless"
                        on:change=move |event| frameless.set(event_target_checked(&event))
                    />
                    "Without a border"
                </label>
                <Show when=move || host.get() == DocumentKind::WebPage>
                    <Numbers number />
                </Show>
            </div>
            <Sliders keys />
            <For each=of_host key=|&(host, label)| (host.id(), label) children=snippet />
            <Copyable label="BibTeX" text=text(Shared::bibtex) />
            <Preview shared />
        </Frame>
    }
}

/// Room that a frame has beyond its content, px, so that a rounded length does not give it a scroll bar.
const SPARE: f64 = 2.0;

/// The height that the preview reports, which has the width of a column of text; `None` before, and on a phone, where it is
/// narrower.
fn preview_height(figure: RwSignal<String>) -> Memo<Option<u32>> {
    let told = RwSignal::new(None::<f64>);
    Effect::new(move |_| {
        figure.track();
        told.set(None);
    });
    let heard = move |event: &web_sys::Event| {
        if let Some(height) = host::told_height(event) {
            told.set(Some(height));
        }
    };
    let listener = StoredValue::new_local(EventListener::new(&window(), "message", heard));
    on_cleanup(move || listener.dispose());
    let size = state().size;
    Memo::new(move |_| told.get().filter(|_| size.get() != Size::Narrow).map(|told| (told + SPARE) as u32))
}

/// The figures and tables of the answer.
#[component]
fn Figures(figures: Vec<(String, String)>, figure: RwSignal<String>) -> impl IntoView {
    let options = figures.into_iter().map(|(id, title)| view! { <option value=id>{title}</option> });
    view! {
        <label for="share-figure">"Show"</label>
        <select id="share-figure" prop:value=figure on:change=move |event| figure.set(event_target_value(&event))>
            {options.collect_view()}
            <option value="">"The whole answer"</option>
        </select>
    }
}

/// The kinds of documents.
#[component]
fn Hosts(host: RwSignal<DocumentKind>) -> impl IntoView {
    let options = DocumentKind::ALL.map(|host| view! { <option value=host.id()>{host.name()}</option> });
    let choose = move |event| {
        let id = event_target_value(&event);
        host.set(DocumentKind::ALL.into_iter().find(|host| host.id() == id).unwrap_or(DocumentKind::WebPage));
    };
    view! {
        <label for="share-host">"in"</label>
        <select id="share-host" on:change=choose>{options}</select>
    }
}

/// The numbers of the answer, for a sentence.
#[component]
fn Numbers(number: RwSignal<String>) -> impl IntoView {
    let state = state();
    let cards = state.shown.cards.get_untracked();
    let options = cards.into_iter().map(|card| view! { <option value=card.id>{card.label}</option> });
    view! {
        <label for="share-number">"Number"</label>
        <select
            id="share-number"
            prop:value=number
            on:change=move |event| number.set(event_target_value(&event))
        >
            <option value="">"None"</option>
            {options.collect_view()}
        </select>
    }
}

/// The fields that readers may change below the figure: a list for each that is chosen, and one more.
#[component]
fn Sliders(keys: Keys) -> impl IntoView {
    let form = state().form();
    let places = move || (0..MOST_CONTROLS.min(keys.with(Vec::len) + 1)).collect::<Vec<_>>();
    view! {
        <fieldset class="choices">
            <legend>"Readers may change"</legend>
            <For each=places key=|place| *place children=move |place| {
                let fields: Vec<&'static Field> = of_form(form.get_untracked()).collect();
                let options = fields.iter().map(|field| view! { <option value=field.key>{field.label}</option> });
                let chosen = move || keys.with(|keys| keys.get(place).copied().unwrap_or_default());
                let label = format!("Field {} that readers may change", place + 1);
                let known = fields.clone();
                let choose = move |event| {
                    let key = event_target_value(&event);
                    let field = known.iter().find(|field| field.key == key);
                    keys.update(|keys| {
                        keys.truncate(place);
                        keys.extend(field.map(|field| field.key).filter(|key| !keys.contains(key)));
                    });
                };
                view! {
                    <select aria-label=label prop:value=chosen on:change=choose>
                        <option value="">"Nothing"</option>
                        {options.collect_view()}
                    </select>
                }
            } />
        </fieldset>
    }
}

/// The figure as a document shows it.
#[component]
fn Preview(shared: Memo<Shared>) -> impl IntoView {
    let part = move |of: fn(&Shared) -> &str| {
        shared.with(|shared| Some(of(shared).to_owned()).filter(|text| !text.is_empty()))
    };
    view! {
        <h3>"Preview"</h3>
        <div class="preview">
            <foretoken-figure
                label="Preview"
                link=move || shared.with(|shared| shared.link.clone())
                figure=move || part(|shared| &shared.figure)
                theme=move || part(|shared| &shared.theme)
                controls=move || part(|shared| &shared.controls)
                frameless=move || shared.with(|shared| shared.frameless.then_some(""))
            ></foretoken-figure>
        </div>
    }
}
