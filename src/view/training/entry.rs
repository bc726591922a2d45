//! The Training view's entry in the table of views.

use super::Training;
use crate::view::entry::Entry;
use crate::view::sections::{MEASURED, NEAR, Section, section};
use crate::view::title::{hardware, model};

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &["step", "mfu", "tokens", "days", "memory", "measured"],
    title: |question| format!("Training {} on {}", model(question), hardware(question)),
    start: || Box::<Training>::default(),
};

const SECTIONS: &[Section] = &[
    section("step", "Step", &["step-breakdown", "bound"]),
    section("memory", "Memory", &["memory", "memory-timeline"]),
    section("operators", "Operators", &["roofline", "operators"]),
    section("schedule", "Schedule", &["timeline"]),
    section("sensitivity", "Sensitivity", &["sensitivity", "plan-sensitivity"]),
    section("cost", "Cost", &["costs"]),
    section("launch", "Launch", &["launch"]),
    NEAR,
    MEASURED,
];
