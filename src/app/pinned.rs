//! Pinned questions: their curves stay in the charts while the question changes.

use leptos::prelude::*;

use crate::scenario::Scenario;

thread_local! {
    /// The pinned questions, oldest first, kept while the page is open.
    static PINNED: ArcRwSignal<Vec<Scenario>> = ArcRwSignal::new(Vec::new());
}

/// The pinned questions, oldest first.
pub(super) fn pinned() -> ArcRwSignal<Vec<Scenario>> {
    PINNED.with(Clone::clone)
}
