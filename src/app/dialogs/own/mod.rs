//! The dialogs in which a visitor describes a model or a GPU of their own. Entries are kept in the browser by their names;
//! the link of a question that uses one spells it out.

mod draft;
mod kept;

use leptos::ev;
use leptos::prelude::*;

use self::draft::{Draft, id};
use self::kept::{Entries, visit};
use super::frame::{Frame, modal};
use crate::app::browser;
use crate::app::field_parts::{Label, Message, numeric};
use crate::app::state::state;
use crate::scenario::own::{Ask, Kind, Own};

impl Kind {
    /// Title of the dialog.
    const fn title(self) -> &'static str {
        match self {
            Self::Model => "A model of your own",
            Self::Gpu => "A GPU of your own",
        }
    }

    /// Properties of the original that the form does not ask for and that the entry keeps.
    const fn carried(self) -> &'static str {
        match self {
            Self::Model => {
                "Norms, biases, gates and positions are those of the original. The Files dialog reads any config.json"
            }
            Self::Gpu => {
                "Kernel efficiencies, caches, topology of the links, price and server power are those of the original"
            }
        }
    }
}

/// The dialog of one kind of entry.
#[component]
pub(super) fn OwnDialog(kind: Kind) -> impl IntoView {
    let base = state().scenario.with_untracked(|question| kind.base(question));
    view! {
        <Frame title=kind.title()>
            {match base {
                Some(base) => view! { <Described kind base /> }.into_any(),
                None => view! { <p>"The question has an unknown GPU: choose one from the list first"</p> }.into_any(),
            }}
            <Entries kind />
        </Frame>
    }
}

/// The name of the original, and the form.
#[component]
fn Described(kind: Kind, base: Own) -> impl IntoView {
    let original = base.name().to_owned();
    let draft = Draft::new(kind, base.named(&kind.free_name()));
    view! {
        <p>{format!("Starts from {original}. {}", kind.carried())}</p>
        <Describe draft />
    }
}

/// The form.
#[component]
fn Describe(draft: Draft) -> impl IntoView {
    let (state, modal) = (state(), modal());
    let kept = browser::remembers();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(entry) = draft.finished() else { return };
        draft.kind.keep(&entry);
        visit(state, modal, entry);
    };
    view! {
        <form class="own" on:submit=submit>
            <Name draft />
            <div class="fields">
                {draft.kind.asks().into_iter().map(|ask| view! { <Number ask draft /> }.into_any()).collect_view()}
            </div>
            <div role="alert">
                {move || draft.others().into_iter().map(|fault| view! { <p class="message">{fault}</p> }).collect_view()}
            </div>
            <button type="submit" id="own-use">
                {if kept { "Use it, and keep it in this browser" } else { "Use it" }}
            </button>
            {(!kept).then(|| view! {
                <p class="help">"This browser stores no data for the page. The link contains the entry."</p>
            })}
        </form>
    }
}

/// The name of the entry.
#[component]
fn Name(draft: Draft) -> impl IntoView {
    let rename = move |event| {
        let name = event_target_value(&event);
        let name = if name.trim().is_empty() { draft.kind.free_name() } else { name.trim().to_owned() };
        draft.entry.update(|entry| *entry = entry.clone().named(&name));
    };
    view! {
        <div class="field">
            <label for="own-name">"Name"</label>
            <input type="text" id="own-name" autocomplete="off" maxlength="60" value=draft.kind.free_name() on:input=rename />
        </div>
    }
}

/// A number of the entry.
#[component]
fn Number(ask: Ask, draft: Draft) -> impl IntoView {
    let id = id(ask.path);
    let message = Memo::new(move |_| draft.message(ask.path));
    let wrong = Signal::derive(move || !message.with(String::is_empty));
    view! {
        <div class="field">
            <Label id=id.clone() name=ask.label unit=ask.unit />
            <input
                {..numeric(&id, ask.whole, wrong)}
                value=draft.entry.with_untracked(|entry| entry.text(ask.path))
                on:input=move |event| draft.take(ask, &event_target_value(&event))
            />
            <p class="help" id=format!("{id}-help")>{ask.help}</p>
            <Message id text=message />
        </div>
    }
}
