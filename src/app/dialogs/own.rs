//! The dialogs in which a visitor describes a model or a GPU of their own. Entries are kept in the browser by their names;
//! the link of a question that uses one spells it out.

use std::collections::BTreeMap;

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::frame::{Frame, Modal, modal};
use crate::app::browser;
use crate::app::state::{State, state};
use crate::json;
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

    /// All entries in local storage, also those of other releases that cannot be read here.
    fn stored(self) -> Vec<Value> {
        browser::recall(self.key()).and_then(|text| json::from_text(&text).ok()).unwrap_or_default()
    }

    /// The entries in local storage that can be read.
    fn kept(self) -> Vec<Own> {
        self.stored().iter().filter_map(|value| self.read(value)).collect()
    }

    /// Stores an entry; it replaces one of the same name.
    fn keep(self, entry: &Own) {
        let mut stored = self.without(entry.name());
        stored.push(entry.to_json());
        self.store(stored);
    }

    /// All stored entries except those of a name.
    fn without(self, name: &str) -> Vec<Value> {
        let mut stored = self.stored();
        stored.retain(|value| value["name"] != name);
        stored
    }

    fn store(self, stored: Vec<Value>) {
        browser::remember(self.key(), &Value::from(stored).to_string());
    }

    /// A name that no stored entry has.
    fn free_name(self) -> String {
        let taken: Vec<String> = self.kept().iter().map(|entry| entry.name().to_owned()).collect();
        let first = self.first_name();
        let numbered = (2..).map(|number| format!("{first} {number}"));
        let mut names = std::iter::once(first.to_owned()).chain(numbered);
        names.find(|name| !taken.contains(name)).unwrap_or_else(|| first.to_owned())
    }
}

/// An entry that is being described.
#[derive(Clone, Copy, Debug)]
struct Draft {
    kind: Kind,
    entry: RwSignal<Own>,
    /// Messages about texts that are not numbers, by path.
    unread: RwSignal<BTreeMap<&'static str, String>>,
    /// Problems found when the entry was last submitted.
    faults: RwSignal<Vec<Problem>>,
}

impl Draft {
    /// The entry, if every text is a number.
    fn finished(self) -> Option<Own> {
        let entry = self.entry.get_untracked().fitted();
        self.faults.set(entry.problems());
        let first = self.kind.asks().into_iter().find(|ask| !self.message(ask.path).is_empty());
        match first {
            Some(wrong) => browser::focus(&id(wrong.path)),
            None if self.faults.with_untracked(Vec::is_empty) => return Some(entry),
            None => {}
        }
        None
    }

    /// Returns true if a problem concerns this number.
    fn is_of(self, fault: &Problem, path: &str) -> bool {
        fault.field.strip_prefix(self.kind.path()).and_then(|rest| rest.strip_prefix('.')) == Some(path)
    }

    /// Problems of properties that the form does not ask for.
    fn others(self) -> Vec<String> {
        let asks = self.kind.asks();
        let other = |fault: &&Problem| !asks.iter().any(|ask| self.is_of(fault, ask.path));
        self.faults.with(|faults| faults.iter().filter(other).map(Problem::to_string).collect())
    }

    /// Message about a number; empty if it is valid.
    fn message(self, path: &str) -> String {
        if let Some(unread) = self.unread.with(|unread| unread.get(path).cloned()) {
            return unread;
        }
        self.faults.with(|faults| {
            let mine = faults.iter().find(|fault| self.is_of(fault, path));
            mine.map_or_else(String::new, |fault| fault.message.clone())
        })
    }

    fn take(self, ask: Ask, text: &str) {
        let mut outcome = Ok(());
        self.entry.update(|entry| outcome = entry.take(ask, text));
        self.faults.update(|faults| faults.retain(|fault| !self.is_of(fault, ask.path)));
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
    let draft = Draft {
        kind,
        entry: RwSignal::new(base.named(&kind.free_name())),
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

/// Asks the question with this entry.
fn visit(state: State, modal: Modal, entry: Own) {
    let mut question = state.scenario.get_untracked();
    entry.put(&mut question);
    modal.close();
    state.visit(question);
}

/// The id of a number's control.
fn id(path: &str) -> String {
    format!("own-{}", path.replace(['.', '_'], "-"))
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

/// The stored entries, each with buttons to use and to remove it.
#[component]
fn Entries(kind: Kind) -> impl IntoView {
    let (state, modal) = (state(), modal());
    let entries = RwSignal::new(kind.kept());
    let row = move |entry: Own| {
        let name = entry.name().to_owned();
        let (to_use, to_remove) = (format!("Use {name}"), format!("Remove {name}"));
        let gone = name.clone();
        let remove = move |_| {
            kind.store(kind.without(&gone));
            entries.set(kind.kept());
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
    let rows = move || entries.get().into_iter().map(row).collect_view();
    view! {
        <h3 hidden=move || entries.with(Vec::is_empty)>"Kept in this browser"</h3>
        <ul class="kept">{rows}</ul>
    }
}
