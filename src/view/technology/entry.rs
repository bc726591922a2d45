//! The Technology view's entry in the table of views.

use super::Frontiers;
use crate::view::entry::Entry;
use crate::view::sections::{Section, section};
use crate::view::title::model;

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &["speedup", "peak", "dram", "energy", "binds"],
    title: |question| format!("{} across process nodes", model(question)),
    start: || Box::<Frontiers>::default(),
};

const SECTIONS: &[Section] = &[
    section("memory", "Nodes and memories", &["node-speedup"]),
    section("links", "Links", &["node-speedup-links"]),
    section("energy", "Energy", &["node-energy"]),
    section("limits", "Limits", &["binding-map", "binding-shares"]),
    section("accelerator", "Accelerator", &["account", "built"]),
    section("numbers", "Scaling numbers", &["numbers"]),
];
