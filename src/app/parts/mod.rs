//! The answer on the page: numbers first, then figures, tables and notices.

mod cards;
mod commands;
mod contents;
mod download;
mod drawing;
mod figure;
mod lead;
mod notice;
mod pins;
mod progress;
mod series;
mod table;

use leptos::prelude::*;

pub(super) use self::cards::{Headline, number_card};
pub(super) use self::figure::FigurePart;
pub(super) use self::notice::link;
pub(crate) use self::table::Rows;

use self::commands::CommandsPart;
use self::contents::Contents;
use self::notice::NoticePart;
use self::table::TablePart;
use super::browser;
use super::host;
use super::state::slots::{Held, Slot};
use super::state::state;
use crate::view::section_with;

/// Figures, tables and notices, one section at a time. Their links change the fragment of the address, from which `fragment`
/// reads the next question.
#[component]
pub(super) fn Parts() -> impl IntoView {
    let state = state();
    let slots = state.shown.slots;
    // When this runs, parts that the newest answer lacks are removed. If one of them had the focus, that moves to the answer.
    Effect::new(move |before: Option<bool>| {
        slots.track();
        if before == Some(true) && browser::focus_is_lost() {
            browser::focus("answer");
        }
        browser::focus_is_within(".answers")
    });
    view! {
        <div class="answers">
            <Contents />
            {host::wanted().map(|wanted| view! { <Missing wanted /> })}
            <Awaited />
            <section
                class="figures"
                aria-label="Figures"
                data-stale=move || state.outdated().then_some("")
            >
                <For each=move || slots.get() key=|slot| slot.key.clone() let:slot>
                    <PartView of=slot />
                </For>
            </section>
        </div>
    }
}

/// Says that the open section is being computed, as long as it has no part. A link may open the section that is computed last.
#[component]
fn Awaited() -> impl IntoView {
    let state = state();
    let note = move || {
        let section = state.awaited()?;
        let text = format!("\u{201c}{}\u{201d} is being computed", section.name);
        Some(view! { <p class="notice" data-awaited="">{text}</p> }.into_any())
    };
    note.into_any()
}

/// Inside another page: the names of the answer's figures, if it has none of the wanted name.
#[component]
fn Missing(wanted: String) -> impl IntoView {
    let shown = state().shown;
    let names = move || {
        let titled = |slot: &Slot| slot.title().map(|(id, _)| id);
        shown.slots.with(|slots| slots.iter().filter_map(titled).collect::<Vec<_>>())
    };
    let note = move || {
        let names = names();
        let missing = shown.settled() && !names.is_empty() && !names.contains(&wanted);
        // A question that does not fit into memory has no figures of times. The sentence of its answer gives the reason.
        let unfit = !shown.problems.with(Vec::is_empty);
        missing.then(|| {
            let lead = shown.head.with(|head| head.sentence.clone());
            if unfit && !lead.is_empty() {
                return view! { <p id="no-figure" class="notice">{lead}</p> }.into_any();
            }
            let wanted: String = wanted.chars().take(40).collect();
            let text = format!("This answer has no figure called {wanted}. It has {}", names.join(", "));
            view! { <p id="no-figure" class="notice">{text}</p> }.into_any()
        })
    };
    note.into_any()
}

/// One part.
#[component]
fn PartView(of: Slot) -> impl IntoView {
    let state = state();
    let (view, progress) = (state.view, state.shown.progress);
    let id = of.id().to_owned();
    let old = RwSignal::from(of.old);
    let late = Signal::derive(move || (old.get() && progress.get().is_some()).then_some(""));
    let alone = host::wanted();
    let hidden = Signal::derive(move || {
        if let Some(wanted) = &alone {
            return *wanted != id;
        }
        let open = state.section();
        open.is_some_and(|open| section_with(view.get(), &id).is_some_and(|section| section != open))
    });
    match of.held {
        Held::Figure(figure) => view! { <FigurePart figure=figure.into() late hidden /> }.into_any(),
        Held::Table(part) => view! { <TablePart part=part.into() late hidden /> }.into_any(),
        Held::Notice(notice) => view! { <NoticePart notice=notice.into() hidden /> }.into_any(),
        Held::Commands(part) => view! { <CommandsPart part=part.into() hidden /> }.into_any(),
    }
}
