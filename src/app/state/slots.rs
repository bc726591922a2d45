//! Places of figures, tables and notices, which stay where a newer answer has the same parts.

use leptos::prelude::*;

use crate::figure::Figure;
use crate::view::{Commands, Notice, Part, TablePart};

/// The place of a part.
#[derive(Clone)]
pub(crate) struct Slot {
    /// The part's kind and machine name, unique within an answer.
    pub(in crate::app) key: (u8, String),
    /// Content of the slot.
    pub(in crate::app) held: Held,
    /// True if it shows a part of an earlier answer, whose newer one is still to come.
    pub(in crate::app) old: ArcRwSignal<bool>,
}

/// Content of a slot.
#[derive(Clone)]
pub(in crate::app) enum Held {
    /// A figure.
    Figure(ArcRwSignal<Figure>),
    /// A table.
    Table(ArcRwSignal<TablePart>),
    /// A notice.
    Notice(ArcRwSignal<Notice>),
    /// Launch commands.
    Commands(ArcRwSignal<Commands>),
}

impl Slot {
    fn new(part: Part) -> Self {
        Self {
            key: key(&part),
            held: match part {
                Part::Figure(figure) => Held::Figure(ArcRwSignal::new(figure)),
                Part::Table(table) => Held::Table(ArcRwSignal::new(table)),
                Part::Notice(notice) => Held::Notice(ArcRwSignal::new(notice)),
                Part::Commands(part) => Held::Commands(ArcRwSignal::new(part)),
            },
            old: ArcRwSignal::new(false),
        }
    }

    /// Machine name of the part.
    pub(crate) fn id(&self) -> &str {
        &self.key.1
    }

    /// Machine name and heading; a notice has none.
    pub(crate) fn title(&self) -> Option<(String, String)> {
        let title = match &self.held {
            Held::Figure(figure) => figure.with_untracked(|figure| figure.title.clone()),
            Held::Table(part) => part.with_untracked(|part| part.title.clone()),
            Held::Commands(part) => part.with_untracked(|part| part.title.clone()),
            Held::Notice(_) => return None,
        };
        Some((self.key.1.clone(), title))
    }

    /// The part that is shown.
    pub(crate) fn part(&self) -> Part {
        match &self.held {
            Held::Figure(held) => Part::Figure(held.get_untracked()),
            Held::Table(held) => Part::Table(held.get_untracked()),
            Held::Notice(held) => Part::Notice(held.get_untracked()),
            Held::Commands(held) => Part::Commands(held.get_untracked()),
        }
    }

    /// Shows a newer part of the same kind.
    fn take(&self, part: Part) {
        set(&self.old, false);
        match (&self.held, part) {
            (Held::Figure(held), Part::Figure(figure)) => set(held, figure),
            (Held::Table(held), Part::Table(table)) => set(held, table),
            (Held::Notice(held), Part::Notice(notice)) => set(held, notice),
            (Held::Commands(held), Part::Commands(part)) => set(held, part),
            // Slots of different kinds have different keys.
            _ => {}
        }
    }
}

fn key(part: &Part) -> (u8, String) {
    let kind = match part {
        Part::Figure(_) => 0,
        Part::Table(_) => 1,
        Part::Notice(_) => 2,
        Part::Commands(_) => 3,
    };
    (kind, part.id().to_owned())
}

/// Sets a signal unless its value is equal, to avoid needless rendering.
fn set<T: PartialEq + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|held| *held != value) {
        signal.set(value);
    }
}

/// Shows newer parts after the `known` slots of the same answer, in the places of older parts. Other older parts are removed
/// if `whole` is true; otherwise they stay below.
pub(crate) fn renew(shown: RwSignal<Vec<Slot>>, known: usize, parts: Vec<Part>, whole: bool) {
    let mut slots = shown.get_untracked();
    let keys: Vec<_> = slots.iter().map(|slot| slot.key.clone()).collect();
    let mut before = slots.split_off(known.min(slots.len()));
    for part in parts {
        match before.iter().position(|slot| slot.key == key(&part)) {
            Some(place) => {
                let slot = before.remove(place);
                slot.take(part);
                slots.push(slot);
            }
            None => slots.push(Slot::new(part)),
        }
    }
    if !whole {
        for slot in &before {
            set(&slot.old, true);
        }
        slots.append(&mut before);
    }
    if !slots.iter().map(|slot| &slot.key).eq(&keys) {
        shown.set(slots);
    }
}
