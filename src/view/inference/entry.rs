//! The Inference view's entry in the table of views.

use super::Inference;
use crate::view::entry::Entry;
use crate::view::sections::{MEASURED, NEAR, Section, rare, section};
use crate::view::title::{hardware, model};

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &[
        "ttft",
        "tpot",
        "latency",
        "tokens",
        "kv",
        "batch",
        "memory",
        "usd-input",
        "usd-output",
        "energy",
        "cached",
        "vision",
        "audio",
        "host-memory",
        "second-memory",
        "expert-memory",
        "context",
        "measured",
    ],
    title: |question| format!("Serving {} on {}", model(question), hardware(question)),
    start: || Box::<Inference>::default(),
};

const SECTIONS: &[Section] = &[
    section("load", "Load", &["load", "percentiles"]),
    rare("prefix-cache", "Prefix cache", &["prefix-cache", "cache-tiers"]),
    section("phases", "Prefill and decode", &["prefill-breakdown", "decode-breakdown"]),
    section("dram", "DRAM", &["dram-gpus", "dram-latency"]),
    section("dram-choices", "DRAM by batch, format, model", &["dram-batch", "dram-format", "dram-model"]),
    section("links", "Links", &["link-latency"]),
    section("memory", "Memory", &["memory", "memories", "capacity"]),
    section("operators", "Operators", &["roofline", "bound-by"]),
    section("deployments", "Deployments", &["tradeoff", "deployments"]),
    section("models", "Other models", &["models"]),
    section("launch", "Launch", &["launch"]),
    NEAR,
    MEASURED,
];
