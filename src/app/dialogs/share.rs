//! The Share dialog: the question as a link, Markdown, iframe, custom element and citation, with a preview.

use leptos::prelude::*;

use super::frame::Frame;
use crate::app::browser;
use crate::app::copyable::Copyable;
use crate::app::parts::Slot;
use crate::app::state::state;
use crate::scenario::link;
use crate::view::Shared;

/// The module that defines the custom element, which the preview uses like any other page.
const ELEMENT: &str = "./embed.js";

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
    let figure = RwSignal::new(first.map(|(id, _)| id.clone()).unwrap_or_default());
    let theme = RwSignal::new(String::new());
    browser::load_module(ELEMENT);
    let shared = Memo::new(move |_| Shared {
        page: browser::address().trim_end_matches("index.html").to_owned(),
        link: state.scenario.with(|scenario| link::encode_at(scenario, &state.part.get())),
        figure: figure.get(),
        theme: theme.get(),
        title: document().title().trim_end_matches(" – Foretoken").to_owned(),
        date: browser::today(),
    });
    let text = move |of: fn(&Shared) -> String| Signal::derive(move || shared.with(of));
    let chosen = |text: String| (!text.is_empty()).then_some(text);
    let options = figures.into_iter().map(|(id, title)| view! { <option value=id>{title}</option> });
    view! {
        <Frame title="Share">
            <div class="choices">
                <label for="share-figure">"Show"</label>
                <select id="share-figure" on:change=move |event| figure.set(event_target_value(&event))>
                    {options.collect_view()}
                    <option value="">"The whole answer"</option>
                </select>
                <label for="share-theme">"Theme"</label>
                <select id="share-theme" on:change=move |event| theme.set(event_target_value(&event))>
                    <option value="">"Same as the document"</option>
                    <option value="light">"Light"</option>
                    <option value="dark">"Dark"</option>
                </select>
            </div>
            <Copyable label="Link" text=text(Shared::address) />
            <Copyable label="Markdown" text=text(Shared::markdown) />
            <Copyable label="Iframe" text=text(Shared::iframe) />
            <Copyable label="Element" text=text(Shared::element) />
            <Copyable label="BibTeX" text=text(Shared::bibtex) />
            <h3>"Preview"</h3>
            <div class="preview">
                <foretoken-figure
                    label="Preview"
                    link=move || shared.with(|shared| shared.link.clone())
                    figure=move || chosen(figure.get())
                    theme=move || chosen(theme.get())
                ></foretoken-figure>
            </div>
        </Frame>
    }
}
