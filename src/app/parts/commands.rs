//! Launch commands, each with a button that copies it.

use leptos::prelude::*;

use crate::app::copyable::Copyable;
use crate::launch::Command;
use crate::view;

/// Rows of a command that are shown before it scrolls.
const ROWS: usize = 24;

/// The commands of a question under a heading.
#[component]
pub(super) fn CommandsPart(part: RwSignal<view::Commands>, hidden: Signal<bool>) -> impl IntoView {
    let id = part.with_untracked(|part| part.id.clone());
    let tools = Memo::new(move |_| part.with(|part| part.commands.len()));
    let heading = format!("commands-{id}");
    view! {
        <section class="table-card" data-commands=id aria-labelledby=heading hidden=hidden>
            <header>
                <h3 id=heading.clone()>{move || part.with(|part| part.title.clone())}</h3>
                <p class="finding">{move || part.with(|part| part.finding.clone())}</p>
            </header>
            {move || (0..tools.get()).map(|place| view! { <OneCommand part place /> }).collect_view()}
        </section>
    }
}

/// The command of one tool, with what it leaves out.
#[component]
fn OneCommand(part: RwSignal<view::Commands>, place: usize) -> impl IntoView {
    let command = Memo::new(move |_| part.with(|part| part.commands.get(place).cloned().unwrap_or_default()));
    let label = Signal::derive(move || command.with(|command| command.tool.clone()));
    let text = Signal::derive(move || command.with(|command| command.text.trim_end().to_owned()));
    let notes = move || {
        let Command { version, notes, .. } = command.get();
        let version = format!("Flags as of {version}");
        notes.into_iter().chain([version]).map(|note| view! { <li>{note}</li> }).collect_view()
    };
    view! {
        <div class="command">
            <Copyable label text rows=ROWS />
            <ul class="notes">{notes}</ul>
        </div>
    }
}
