//! The named sections of each view's answer, of which the page shows one at a time.

use std::iter;

use crate::catalog::{nearest, suggestion};
use crate::scenario::{GALLERY, Problem, Scenario, View, link};

/// A few parts of an answer that belong together and fit on about one screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Machine name, which links keep for ever.
    pub id: &'static str,
    /// Name in the list of sections.
    pub name: &'static str,
    /// The machine names of its figures and tables.
    pub parts: &'static [&'static str],
}

const fn section(id: &'static str, name: &'static str, parts: &'static [&'static str]) -> Section {
    Section { id, name, parts }
}

/// The name in links of all sections together.
pub const ALL: &str = "all";

/// Section of training and inference answers with measured values.
const MEASURED: Section = section(
    "measured",
    "Your measurement",
    &[
        "measured",
        "measured-rows",
        "profile-terms",
        "profile-course",
        "measured-terms",
        "measured-phases",
        "difference-step",
        "difference-ttft",
        "difference-tpot",
        "difference-latency",
        "causes",
        "changes",
        "changes-tpot",
        "nearest",
    ],
);

/// Id of the table of published runs near a question without a measured value, and of its section.
pub(super) const PUBLISHED: &str = "published";

/// Section of published runs near the question. Their file is fetched when the section is opened.
const NEAR: Section = section(PUBLISHED, "Published runs", &[PUBLISHED]);

const TRAINING: &[Section] = &[
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

const INFERENCE: &[Section] = &[
    section("load", "Load", &["load", "percentiles"]),
    section("prefix-cache", "Prefix cache", &["prefix-cache", "cache-tiers"]),
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

const SIZING: &[Section] = &[
    section("fleets", "Fleets", &["fleets", "runs"]),
    section("speed", "Cost and speed", &["fleet-costs", "run-costs"]),
    section("missed", "What misses", &["missed"]),
];

const SEARCH: &[Section] = &[
    section("plans", "Best plans", &["ranking", "plans"]),
    section("scaling", "Scaling", &["scaling"]),
    section("tried", "What was tried", &["stopped", "axes", "strategies"]),
    section("dram", "DRAM", &["dram-llm", "dram-vit", "sweep-dram"]),
    section("rate", "Arithmetic", &["rate-llm", "rate-vit", "sweep-rate"]),
    section("domain", "GPUs and domain", &["domain-llm", "domain-vit", "sweep-domain"]),
];

const GENERATIONS: &[Section] = &[
    section("training", "Training", &["speedup", "plans"]),
    section("serving", "Serving", &["speedup-served"]),
    section("phases", "Prefill and decode", &["speedup-prefill", "speedup-decode"]),
    section("costs", "Energy and cost", &["speedup-energy", "speedup-cost", "served-plans"]),
    section("causes", "Causes", &["waterfall", "configurations", "variants"]),
    section("limits", "Limits", &["binding-training"]),
    section("serving-limits", "Limits of serving", &["binding-prefill", "binding-decode"]),
];

const TECHNOLOGY: &[Section] = &[
    section("memory", "Nodes and memories", &["node-speedup"]),
    section("links", "Links", &["node-speedup-links"]),
    section("energy", "Energy", &["node-energy"]),
    section("limits", "Limits", &["binding-map", "binding-shares"]),
    section("accelerator", "Accelerator", &["account", "built"]),
    section("numbers", "Scaling numbers", &["numbers"]),
];

const VALIDATION: &[Section] = &[
    section("measured", "Predicted and measured", &["scatter"]),
    section("errors", "Errors", &["histogram", "groups"]),
    section("league", "Other estimators", &["league"]),
    section("rows", "Rows", &["rows"]),
];

/// Sections of the papers' results, of which each answer has those of its own charts.
const PAPERS: &[Section] = &[
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

/// The sections of a view's answers, in reading order.
pub const fn sections(view: View) -> &'static [Section] {
    match view {
        View::Training => TRAINING,
        View::Inference => INFERENCE,
        View::Sizing => SIZING,
        View::Search => SEARCH,
        View::Generations => GENERATIONS,
        View::Technology => TECHNOLOGY,
        View::Papers => PAPERS,
        View::Validation => VALIDATION,
    }
}

/// Returns true if the answer to this question has sections; the list of the papers' results has none.
pub fn sectioned(scenario: &Scenario) -> bool {
    scenario.view != View::Papers || scenario.papers.result != GALLERY
}

/// The named sections of an answer with these parts, and that of all of them where they are more than one.
pub fn contents<'a>(
    view: View,
    parts: &(impl Iterator<Item = &'a str> + Clone),
) -> Vec<(&'static str, &'static str)> {
    let there = |section: &&Section| parts.clone().any(|part| section.parts.contains(&part));
    let named: Vec<_> =
        sections(view).iter().filter(there).map(|section| (section.id, section.name)).collect();
    let all = (named.len() > 1).then_some((ALL, "All"));
    named.into_iter().chain(all).collect()
}

/// The section of a view that a link means: by its own name, or by that of one of its parts.
pub fn section_of(view: View, name: &str) -> Option<&'static Section> {
    let all = sections(view);
    all.iter().find(|section| section.id == name).or_else(|| section_with(view, name))
}

/// The problem of a link to a part that the view's answer never has.
pub fn unknown_part(view: View, part: &str) -> Option<Problem> {
    let all = sections(view);
    if part.is_empty() || part == ALL || section_of(view, part).is_some() {
        return None;
    }
    let names = all.iter().flat_map(|section| iter::once(section.id).chain(section.parts.iter().copied()));
    let near = suggestion(nearest(part, names));
    Some(Problem::new("part", format!("the answer has no part `{}`{near}", link::shown(part))))
}

/// Returns true if a link to this part of a view's answer opens the section of published rows. A link to all sections
/// does not, because it would fetch their file.
pub fn opens_published(view: View, part: &str) -> bool {
    section_of(view, part).is_some_and(|section| section.id == PUBLISHED)
}

/// The section of a view that has this part.
pub fn section_with(view: View, part: &str) -> Option<&'static Section> {
    sections(view).iter().find(|section| section.parts.contains(&part))
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_unknown_part_is_named_with_the_nearest_one() {
        let message = |view, part| unknown_part(view, part).map(|problem| problem.message);
        for known in ["", ALL, "memory", "dram-latency", "dram"] {
            assert_eq!(message(View::Inference, known), None, "{known}");
        }
        let near = message(View::Inference, "memroy").expect("a problem");
        assert_eq!(near, "the answer has no part `memroy`: did you mean `memory`?");
        let strange = message(View::Training, "<b>").expect("a problem");
        assert_eq!(strange, "the answer has no part `<b>`");
        assert!(message(View::Training, &"x".repeat(100_000)).is_some_and(|message| message.len() < 100));
    }

    use std::collections::BTreeSet;

    use super::*;
    use crate::figure::FIGURES;

    #[test]
    fn names_and_parts_are_unique_within_a_view() {
        for view in View::ALL {
            let (mut names, mut parts) = (BTreeSet::new(), BTreeSet::new());
            for section in sections(view) {
                assert!(section.id != ALL && names.insert(section.id), "{view:?}: {}", section.id);
                assert!(!section.name.is_empty() && !section.parts.is_empty(), "{}", section.id);
                for part in section.parts {
                    assert!(parts.insert(part), "{view:?}: {part}");
                }
            }
        }
    }

    /// A figure without a section would appear in all of them.
    #[test]
    fn every_figure_is_in_a_section() {
        for figure in FIGURES {
            assert!(section_with(figure.view, figure.id).is_some(), "{:?}: {}", figure.view, figure.id);
        }
    }

    #[test]
    fn links_name_a_section_or_one_of_its_parts() {
        let named = |name| section_of(View::Inference, name).map(|section| section.id);
        assert_eq!(named("dram"), Some("dram"));
        assert_eq!(named("dram-gpus"), Some("dram"));
        assert_eq!(named("nothing"), None);
    }
}
