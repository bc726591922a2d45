//! The dialogs in which a visitor describes a model or a GPU of his own. Entries are kept in the browser by their names;
//! the link of a question that uses one spells it out.

use std::collections::BTreeMap;

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::frame::{Frame, Modal, modal};
use crate::app::browser;
use crate::app::state::{State, state};
use crate::scenario::Problem;
use crate::scenario::own::{Ask, Kind, Own};

impl Kind {
    /// Title of the dialog.
    const fn title(self) -> &'static str {
        match self {
            Self::Model => "A model of your own",
            Self::Gpu => "A GPU of your own",
        }
    }

    /// Local-storage key of the entries.
    const fn key(self) -> &'static str {
        match self {
            Self::Model => "foretoken-own-models",
            Self::Gpu => "foretoken-own-gpus",
        }
    }

    /// Name of a new entry.
    const fn first_name(self) -> &'static str {
        match self {
            Self::Model => "My model",
            Self::Gpu => "My GPU",
        }
    }

    /// What of the original carries over beside the numbers.
    const fn carried(self) -> &'static str {
        match self {
            Self::Model => {
                "Norms, biases, gates and positions are those of the original. Files opens any config.json"
            }
            Self::Gpu => "Efficiency of kernels, caches and topology of the links are those of the original",
        }
    }

    /// The entries that were kept.
    fn kept(self) -> Vec<Own> {
        browser::recall(self.key()).map_or_else(Vec::new, |text| self.read(&text))
    }

    /// Keeps entries.
    fn keep(self, entries: &[Own]) {
        let entries: Vec<Value> = entries.iter().map(Own::to_json).collect();
        browser::remember(self.key(), &Value::from(entries).to_string());
    }
}

/// An entry that is being described.
#[derive(Clone, Copy, Debug)]
struct Draft {
    kind: Kind,
    entry: RwSignal<Own>,
    /// Texts that are no numbers, as a sentence each, by path.
    unread: RwSignal<BTreeMap<&'static str, String>>,
    /// Problems of the entry, found when it was last to be used.
    faults: RwSignal<Vec<Problem>>,
}

impl Draft {
    /// The entry, if its numbers are those of one.
    fn finished(self) -> Option<Own> {
        self.faults.set(self.entry.with_untracked(Own::problems));
        let finished =
            self.faults.with_untracked(Vec::is_empty) && self.unread.with_untracked(BTreeMap::is_empty);
        finished.then(|| self.entry.get_untracked())
    }

    /// What is wrong with a number; empty if nothing is.
    fn message(self, path: &str) -> String {
        if let Some(unread) = self.unread.with(|unread| unread.get(path).cloned()) {
            return unread;
        }
        self.faults.with(|faults| {
            let mine = faults.iter().find(|fault| fault.field.ends_with(path));
            mine.map_or_else(String::new, |fault| fault.message.clone())
        })
    }

    fn take(self, ask: Ask, text: &str) {
        let mut outcome = Ok(());
        self.entry.update(|entry| outcome = entry.take(ask, text));
        self.faults.update(|faults| faults.retain(|fault| !fault.field.ends_with(ask.path)));
        self.unread.update(|unread| {
            unread.remove(ask.path);
            unread.extend(outcome.err().map(|fault| (ask.path, fault)));
        });
    }
}

/// The dialog of one kind of entry.
#[component]
pub(super) fn OwnDialog(kind: Kind) -> impl IntoView {
    let base = state().scenario.with_untracked(|question| kind.base(question));
    view! {
        <Frame title=kind.title()>
            {base.map(|base| view! { <Described kind base /> })}
            <Entries kind />
        </Frame>
    }
}

/// What the entry starts from, and the form.
#[component]
fn Described(kind: Kind, base: Own) -> impl IntoView {
    let original = base.name().to_owned();
    let draft = Draft {
        kind,
        entry: RwSignal::new(base.named(kind.first_name())),
        unread: RwSignal::default(),
        faults: RwSignal::default(),
    };
    view! {
        <p>{format!("Starts from {original}. {}", kind.carried())}</p>
        <Describe draft />
    }
}

/// The form.
#[component]
fn Describe(draft: Draft) -> impl IntoView {
    let (state, modal) = (state(), modal());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(entry) = draft.finished() else { return };
        let mut entries = draft.kind.kept();
        entries.retain(|known| known.name() != entry.name());
        entries.push(entry.clone());
        draft.kind.keep(&entries);
        visit(state, modal, entry);
    };
    view! {
        <form class="own" on:submit=submit>
            <Name draft />
            <div class="fields">
                {draft.kind.asks().into_iter().map(|ask| view! { <Number ask draft /> }.into_any()).collect_view()}
            </div>
            <button type="submit" id="own-use">"Use it, and keep it in this browser"</button>
        </form>
    }
}

/// Asks the question with this entry.
fn visit(state: State, modal: Modal, entry: Own) {
    let mut question = state.scenario.get_untracked();
    entry.put(&mut question);
    modal.close();
    state.visit(question);
}

/// The name of the entry.
#[component]
fn Name(draft: Draft) -> impl IntoView {
    let rename = move |event| {
        let name = event_target_value(&event);
        let name = if name.trim().is_empty() { draft.kind.first_name() } else { name.trim() };
        draft.entry.update(|entry| *entry = entry.clone().named(name));
    };
    view! {
        <div class="field">
            <label for="own-name">"Name"</label>
            <input type="text" id="own-name" autocomplete="off" maxlength="60" value=draft.kind.first_name() on:input=rename />
        </div>
    }
}

/// A number of the entry.
#[component]
fn Number(ask: Ask, draft: Draft) -> impl IntoView {
    let id = format!("own-{}", ask.path.replace(['.', '_'], "-"));
    let message = Memo::new(move |_| draft.message(ask.path));
    let (help, fault) = (format!("{id}-help"), format!("{id}-message"));
    view! {
        <div class="field">
            <label for=id.clone()>
                {ask.label} {(!ask.unit.is_empty()).then(|| view! { " " <span class="unit">{ask.unit}</span> })}
            </label>
            <input
                type="text"
                id=id
                autocomplete="off"
                inputmode=if ask.whole { "numeric" } else { "decimal" }
                aria-describedby=format!("{help} {fault}")
                aria-invalid=move || (!message.with(String::is_empty)).then_some("true")
                value=draft.entry.with_untracked(|entry| entry.text(ask.path))
                on:input=move |event| draft.take(ask, &event_target_value(&event))
            />
            <p class="help" id=help>{ask.help}</p>
            <p class="message" id=fault>{message}</p>
        </div>
    }
}

/// The entries that were kept: each can be used, or removed.
#[component]
fn Entries(kind: Kind) -> impl IntoView {
    let (state, modal) = (state(), modal());
    let entries = RwSignal::new(kind.kept());
    let row = move |(index, entry): (usize, Own)| {
        let name = entry.name().to_owned();
        let (to_use, to_remove) = (format!("Use {name}"), format!("Remove {name}"));
        let remove = move |_| {
            entries.update(|entries| {
                entries.remove(index);
                kind.keep(entries);
            });
        };
        view! {
            <li>
                <span>{name}</span>
                <button type="button" aria-label=to_use on:click=move |_| visit(state, modal, entry.clone())>"Use"</button>
                <button type="button" aria-label=to_remove on:click=remove>"Remove"</button>
            </li>
        }
        .into_any()
    };
    let rows = move || entries.get().into_iter().enumerate().map(row).collect_view();
    view! {
        <h3 hidden=move || entries.with(Vec::is_empty)>"Kept in this browser"</h3>
        <ul class="kept">{rows}</ul>
    }
}
