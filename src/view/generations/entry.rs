//! The Generations view's entry in the table of views.

use super::Generations;
use crate::view::entry::Entry;
use crate::view::sections::{Section, section};
use crate::view::title::model;

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &["speedup-b200", "speedup-best", "served-b200", "speedup-asked"],
    title: |question| format!("{} across GPU generations", model(question)),
    start: || Box::<Generations>::default(),
};

const SECTIONS: &[Section] = &[
    section("training", "Training", &["speedup", "plans"]),
    section("serving", "Serving", &["speedup-served"]),
    section("phases", "Prefill and decode", &["speedup-prefill", "speedup-decode"]),
    section("costs", "Energy and cost", &["speedup-energy", "speedup-cost", "served-plans"]),
    section("causes", "Causes", &["waterfall", "configurations", "variants"]),
    section("limits", "Limits", &["binding-training"]),
    section("serving-limits", "Limits of serving", &["binding-prefill", "binding-decode"]),
];
