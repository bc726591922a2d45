//! The Validation view's entry in the table of views.

use super::Validating;
use crate::view::entry::Entry;
use crate::view::sections::{Section, section};

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &["abroad", "rows", "mean", "median", "bias", "p90"],
    title: |question| format!("{}: predicted against measured", question.errors.of.name()),
    start: || Box::<Validating>::default(),
};

const SECTIONS: &[Section] = &[
    section("measured", "Predicted and measured", &["scatter"]),
    section("errors", "Errors", &["histogram", "groups"]),
    section("league", "Other estimators", &["league"]),
    section("rows", "Rows", &["rows"]),
];
