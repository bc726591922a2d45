//! Pinned questions: they stay in the charts while the question changes.

use leptos::prelude::*;

use crate::figure::MOST_PINNED;
use crate::scenario::Scenario;

thread_local! {
    /// The pinned questions, oldest first, kept while the page is open.
    static PINNED: ArcRwSignal<Vec<Scenario>> = ArcRwSignal::new(Vec::new());
}

/// Pins these questions instead of the earlier ones. Those beyond the room of a chart are left out.
pub(super) fn pin(mut questions: Vec<Scenario>) {
    questions.truncate(MOST_PINNED);
    pinned().set(questions);
}

/// The pinned questions, oldest first.
pub(super) fn pinned() -> ArcRwSignal<Vec<Scenario>> {
    PINNED.with(Clone::clone)
}
