//! The Sizing view's entry in the table of views.

use super::Sizing;
use crate::view::entry::Entry;
use crate::view::sections::{Section, section};
use crate::view::title::sized;

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &[
        "gpus",
        "cost",
        "sure",
        "ttft",
        "tpot",
        "ttft-p50",
        "ttft-p90",
        "ttft-p95",
        "ttft-p99",
        "tpot-p50",
        "tpot-p90",
        "tpot-p95",
        "tpot-p99",
        "latency-p50",
        "latency-p90",
        "latency-p95",
        "latency-p99",
        "usd-output",
        "in-flight",
        "utilisation",
        "power",
        "servers",
        "on-demand",
        "owned",
        "fleets",
        "cached",
        "days",
        "energy",
        "gpu-hours",
        "step",
        "mfu",
        "memory",
        "runs",
    ],
    title: sized,
    start: || Box::<Sizing>::default(),
};

const SECTIONS: &[Section] = &[
    section("fleets", "Fleets", &["fleets", "runs"]),
    section("speed", "Cost and speed", &["fleet-costs", "run-costs"]),
    section("missed", "What misses", &["missed"]),
];
