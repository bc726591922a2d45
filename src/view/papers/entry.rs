//! The Papers view's entry in the table of views.

use super::Papers;
use crate::published::exhibit_named;
use crate::view::entry::Entry;
use crate::view::sections::{Section, rare};

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
    rare("steps", "Step time", &["validated-steps", "authors-steps"]),
    rare("utilisation", "MFU and HFU", &["validated-mfu", "validated-hfu"]),
    rare("replicated", "With replicas", &["replicated-step"]),
    rare("requests", "Latency", &["validated-requests"]),
    rare("passes", "Passes", &["layer-passes"]),
    rare("activations", "Activations", &["recompute-activations"]),
    rare("activation-shares", "Share of activations", &["recompute-shares"]),
    rare("memory-classes", "Memory by class", &["recompute-memory"]),
    rare("state", "Weights and optimizer", &["recompute-state"]),
    rare("dram", "Latency", &["dram-memories"]),
    rare("roofline", "Roofline", &["operator-roofline"]),
    rare("intensity", "FLOPs per byte", &["operator-intensity"]),
    rare("operator-limits", "Times", &["operator-times"]),
    rare("systems", "Speed-up", &["system-speedup"]),
    rare("causes", "Causes", &["system-causes"]),
    rare("memories", "Memories", &["nodes-memory"]),
    rare("links", "Links", &["nodes-links"]),
    rare("gpt3", "GPT3-1T", &["study-gpt3"]),
    rare("vit", "Vision transformer", &["study-vit"]),
    rare("plans", "Plans", &["study-plans"]),
    rare("gpt3-a100", "GPT3-1T, A100", &["study-gpt3-a100"]),
    rare("gpt3-h200", "GPT3-1T, H200", &["study-gpt3-h200"]),
    rare("gpt3-b200", "GPT3-1T, B200", &["study-gpt3-b200"]),
    rare("vit-a100", "ViT, A100", &["study-vit-a100"]),
    rare("vit-h200", "ViT, H200", &["study-vit-h200"]),
    rare("vit-b200", "ViT, B200", &["study-vit-b200"]),
    rare("nvs4", "Domains of 4", &["days-nvs4"]),
    rare("nvs8", "Domains of 8", &["days-nvs8"]),
    rare("nvs64", "Domains of 64", &["days-nvs64"]),
    rare("fewest", "Fewest GPUs, 2D gain", &["days-smallest", "days-2d-gain"]),
    rare("shares", "Shares", &["optimum-shares"]),
    rare("step", "Step time", &["optimum-steps"]),
    rare("memory", "Memory", &["optimum-memory"]),
    rare("depth", "Depth", &["depth-time"]),
    rare("depth-memory-use", "Memory", &["depth-memory"]),
    rare("grid", "SUMMA grid", &["grid-time"]),
    rare("capacity", "DRAM", &["sweep-dram"]),
    rare("rate", "Arithmetic", &["sweep-rate"]),
    rare("domain-gpt3", "GPT3-1T", &["domain-gpt3-1d"]),
    rare("domain-summa", "ViT, SUMMA", &["domain-vit-summa"]),
    rare("domain-sequence", "ViT, sequence-parallel", &["domain-vit-seqp"]),
    rare("devices", "Devices", &["device-speedup"]),
    rare("collectives", "Times", &["nccl-times"]),
    rare("ratios", "By size", &["nccl-ratio"]),
    rare("megatron", "Measured steps", &["megatron-steps", "megatron-fused"]),
    rare("code", "Authors' code", &["megatron-code", "megatron-activations"]),
    rare("layers", "One layer", &["megatron-layer"]),
    rare("best-step", "Best plan", &["perlmutter-steps", "perlmutter-memory"]),
    rare("values", "Values", &["values"]),
];
