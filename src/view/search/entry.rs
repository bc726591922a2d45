//! The Search view's entry in the table of views.

use super::Searching;
use crate::view::entry::Entry;
use crate::view::sections::{Section, rare, section};
use crate::view::title::{hardware, model};

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &[
        "step",
        "mfu",
        "memory",
        "cost",
        "feasible",
        "cheapest",
        "below",
        "above",
        "dram-llm",
        "dram-vit",
        "rate-llm",
        "rate-vit",
        "domain-llm",
        "domain-vit",
        "sweep-dram",
        "sweep-rate",
        "sweep-domain",
    ],
    title: |question| format!("Plans of {} on {}", model(question), hardware(question)),
    start: || Box::<Searching>::default(),
};

const SECTIONS: &[Section] = &[
    section("plans", "Best plans", &["ranking", "plans"]),
    section("scaling", "Scaling", &["scaling"]),
    section("tried", "What was tried", &["stopped", "axes", "strategies"]),
    rare("dram", "DRAM", &["dram-llm", "dram-vit", "sweep-dram"]),
    rare("rate", "Arithmetic", &["rate-llm", "rate-vit", "sweep-rate"]),
    rare("domain", "GPUs and domain", &["domain-llm", "domain-vit", "sweep-domain"]),
];
