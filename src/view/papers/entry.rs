//! The Papers view's entry in the table of views.

use super::Papers;
use crate::published::exhibit_named;
use crate::view::entry::Entry;
use crate::view::sections::{Section, section};

/// The view.
pub(in crate::view) static ENTRY: Entry = Entry {
    sections: SECTIONS,
    numbers: &["mean", "largest", "points", "kundu-2024", "subramanian-2024"],
    title: |question| match exhibit_named(&question.papers.result) {
        Some(exhibit) => exhibit.name.to_owned(),
        None => "Results of two papers".to_owned(),
    },
    start: || Box::<Papers>::default(),
};

/// Sections of the papers' results, of which each answer has those of its own charts.
const SECTIONS: &[Section] = &[
    section("steps", "Step time", &["validated-steps", "authors-steps"]),
    section("utilisation", "MFU and HFU", &["validated-mfu", "validated-hfu"]),
    section("replicated", "With replicas", &["replicated-step"]),
    section("requests", "Latency", &["validated-requests"]),
    section("passes", "Passes", &["layer-passes"]),
    section("activations", "Activations", &["recompute-activations"]),
    section("activation-shares", "Share of activations", &["recompute-shares"]),
    section("memory-classes", "Memory by class", &["recompute-memory"]),
    section("state", "Weights and optimizer", &["recompute-state"]),
    section("dram", "Latency", &["dram-memories"]),
    section("roofline", "Roofline", &["operator-roofline"]),
    section("intensity", "FLOPs per byte", &["operator-intensity"]),
    section("operator-limits", "Times", &["operator-times"]),
    section("systems", "Speed-up", &["system-speedup"]),
    section("causes", "Causes", &["system-causes"]),
    section("memories", "Memories", &["nodes-memory"]),
    section("links", "Links", &["nodes-links"]),
    section("gpt3", "GPT3-1T", &["study-gpt3"]),
    section("vit", "Vision transformer", &["study-vit"]),
    section("plans", "Plans", &["study-plans"]),
    section("gpt3-a100", "GPT3-1T, A100", &["study-gpt3-a100"]),
    section("gpt3-h200", "GPT3-1T, H200", &["study-gpt3-h200"]),
    section("gpt3-b200", "GPT3-1T, B200", &["study-gpt3-b200"]),
    section("vit-a100", "ViT, A100", &["study-vit-a100"]),
    section("vit-h200", "ViT, H200", &["study-vit-h200"]),
    section("vit-b200", "ViT, B200", &["study-vit-b200"]),
    section("nvs4", "Domains of 4", &["days-nvs4"]),
    section("nvs8", "Domains of 8", &["days-nvs8"]),
    section("nvs64", "Domains of 64", &["days-nvs64"]),
    section("fewest", "Fewest GPUs, 2D gain", &["days-smallest", "days-2d-gain"]),
    section("shares", "Shares", &["optimum-shares"]),
    section("step", "Step time", &["optimum-steps"]),
    section("memory", "Memory", &["optimum-memory"]),
    section("depth", "Depth", &["depth-time"]),
    section("depth-memory-use", "Memory", &["depth-memory"]),
    section("grid", "SUMMA grid", &["grid-time"]),
    section("capacity", "DRAM", &["sweep-dram"]),
    section("rate", "Arithmetic", &["sweep-rate"]),
    section("domain-gpt3", "GPT3-1T", &["domain-gpt3-1d"]),
    section("domain-summa", "ViT, SUMMA", &["domain-vit-summa"]),
    section("domain-sequence", "ViT, sequence-parallel", &["domain-vit-seqp"]),
    section("devices", "Devices", &["device-speedup"]),
    section("collectives", "Times", &["nccl-times"]),
    section("ratios", "By size", &["nccl-ratio"]),
    section("megatron", "Measured steps", &["megatron-steps", "megatron-fused"]),
    section("code", "Authors' code", &["megatron-code", "megatron-activations"]),
    section("layers", "One layer", &["megatron-layer"]),
    section("best-step", "Best plan", &["perlmutter-steps", "perlmutter-memory"]),
    section("values", "Values", &["values"]),
];
