//! Entries that the browser keeps between visits, by their names.

use leptos::prelude::*;
use serde_json::Value;

use crate::app::browser;
use crate::app::dialogs::frame::{Modal, modal};
use crate::app::state::{State, state};
use crate::json;
use crate::scenario::own::{Kind, Own};

impl Kind {
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

    /// All entries in local storage, also those of other releases that cannot be read here.
    fn stored(self) -> Vec<Value> {
        browser::recall(self.key()).and_then(|text| json::from_text(&text).ok()).unwrap_or_default()
    }

    /// The entries in local storage that can be read.
    fn kept(self) -> Vec<Own> {
        self.stored().iter().filter_map(|value| self.read(value)).collect()
    }

    /// Stores an entry; it replaces one of the same name.
    pub(super) fn keep(self, entry: &Own) {
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

    /// Writes all entries to local storage.
    fn store(self, stored: Vec<Value>) {
        browser::remember(self.key(), &Value::from(stored).to_string());
    }

    /// A name that no stored entry has.
    pub(super) fn free_name(self) -> String {
        let taken: Vec<String> = self.kept().iter().map(|entry| entry.name().to_owned()).collect();
        let first = self.first_name();
        let numbered = (2..).map(|number| format!("{first} {number}"));
        let mut names = std::iter::once(first.to_owned()).chain(numbered);
        names.find(|name| !taken.contains(name)).unwrap_or_else(|| first.to_owned())
    }
}

/// Asks the question with this entry.
pub(super) fn visit(state: State, modal: Modal, entry: Own) {
    let mut question = state.scenario.get_untracked();
    entry.put(&mut question);
    modal.close();
    state.visit(question);
}

/// The stored entries, each with buttons to use and to remove it.
#[component]
pub(super) fn Entries(kind: Kind) -> impl IntoView {
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
