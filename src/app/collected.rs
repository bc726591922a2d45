//! The measured rows that are collected for a calibration: from opened files, and from the form.

use leptos::prelude::*;

use crate::calibration::{Collected, collect, row_name};
use crate::measured::Opened;
use crate::scenario::Scenario;

thread_local! {
    /// The rows, kept while the page is open. A thread-local, since files can be dropped while the dialog is closed.
    static ROWS: ArcRwSignal<Vec<Collected>> = ArcRwSignal::new(Vec::new());
}

/// The collected rows.
pub(super) fn rows() -> ArcRwSignal<Vec<Collected>> {
    ROWS.with(Clone::clone)
}

/// Adds the rows of an opened file.
pub(super) fn keep(opened: &Opened) {
    rows().update(|rows| collect(rows, opened));
}

/// Rows whose settings are all confirmed, with their names.
pub(super) fn confirmed() -> Vec<(String, Scenario)> {
    rows().with(|rows| {
        let all = rows.iter().enumerate().filter(|(_, row)| row.open.is_none());
        all.map(|(place, row)| (row_name(place, &row.question), row.question.clone())).collect()
    })
}
