//! Layers and experts in host memory: the settings that fit, their speed, and the GPU's share of a unified memory.

use super::speeds;
use crate::estimate::Footprint;
use crate::inference::{InferenceLoad, Place};
use crate::scenario::Scenario;
use crate::system::Precision;
use crate::units::{Amount, Bytes};
use crate::view::{Card, Link};

/// Start of the technology's name of a graphics card's memory.
const GRAPHICS: &str = "GDDR";

/// What fits on the GPU beside host memory, in the question's format and in 4 bits; of engines other than llama.cpp only on
/// graphics cards, where people use it.
pub(super) fn links(question: &Scenario) -> Vec<Link> {
    let Some(load) = question.in_llamacpp() else { return Vec::new() };
    let switches = load.engine != question.inference.engine;
    let graphics =
        question.system.accelerator().is_ok_and(|device| device.dram.technology.starts_with(GRAPHICS));
    if switches && !graphics {
        return Vec::new();
    }
    let four = Precision::Q4KM;
    let narrower = (four.element() < load.precision.element()).then_some(four);
    let formats = [Some(load.precision), narrower];
    let mut links = Vec::new();
    for precision in formats.into_iter().flatten() {
        let there = Scenario { inference: InferenceLoad { precision, ..load }, ..question.clone() };
        links.extend(whole(&there).or_else(|| there.offloaded().and_then(|there| offer(&there))));
    }
    links
}

/// The whole model on the GPU, if it fits.
fn whole(there: &Scenario) -> Option<Link> {
    there.inference().is_ok().then(|| offer(there)).flatten()
}

/// A question in llama.cpp with its flag, host memory and speed, which opens it.
fn offer(there: &Scenario) -> Option<Link> {
    let estimate = there.inference().ok()?;
    let load = &there.inference;
    let layers = there.architecture().ok()?.layers;
    let mut flags = Vec::new();
    flags.extend(load.gpu_layers.map(|slots| format!("-ngl {slots} of {}", layers + 1)));
    flags.extend((load.cpu_experts > 0).then(|| format!("--n-cpu-moe {} of {layers}", load.cpu_experts)));
    if flags.is_empty() {
        flags.push("all layers on the GPU".to_owned());
    }
    let host = estimate
        .offloaded_memory()
        .map_or_else(String::new, |(place, memory)| format!(", {}", used(place, &memory)));
    let text = format!(
        "llama.cpp in {} with {}{host}: {}",
        load.precision.name(),
        flags.join(" and "),
        speeds::spoken(there, &estimate)
    );
    Some(Link::to(text, there))
}

/// Name of the memory that holds the offloaded layers.
fn named(place: Place) -> &'static str {
    match place {
        Place::Host => "host memory",
        Place::SecondGpu => "the second GPU's memory",
        Place::ExpertGpu => "each expert GPU's memory",
    }
}

/// `31.2 GiB of 64.0 GiB of host memory`.
pub(super) fn used(place: Place, memory: &Footprint) -> String {
    let [used, all] = [memory.total(), memory.capacity].map(Amount::memory);
    format!("{used} of {all} of {}", named(place))
}

/// The card of the memory of the host or of a second GPU, if layers or experts are there.
pub(super) fn card(place: Place, memory: &Footprint) -> Card {
    let (total, capacity) = (memory.total(), memory.capacity);
    let note = format!(
        "{} weights, {} KV cache, {} other; {} of {}",
        Amount::memory(memory.weights),
        Amount::memory(memory.kv_cache),
        Amount::memory(memory.reserve + memory.activations),
        Amount::percent(total / capacity),
        Amount::memory(capacity),
    );
    let (id, label) = match place {
        Place::Host => ("host-memory", "Host memory"),
        Place::SecondGpu => ("second-memory", "Memory of the second GPU"),
        Place::ExpertGpu => ("expert-memory", "Memory of an expert GPU"),
    };
    Card::new(id, label, Amount::memory(total)).noted(note)
}

/// States that the memory of the host or of a second GPU is too small.
pub(super) fn too_small(place: Place, memory: &Footprint) -> String {
    let [needed, there] = [memory.total(), memory.capacity].map(Amount::memory);
    format!("Does not fit: needs {needed} of {} ({there} available)", named(place))
}

/// The limit of the GPU's share of a unified memory, if the load exceeds it; the system's own part is in the capacity's rest.
pub(super) fn limit(question: &Scenario, memory: &Footprint) -> Option<String> {
    let allowed: Bytes = memory.capacity * question.default_share()?;
    let total = memory.total();
    (total > allowed && memory.fits()).then(|| {
        // The setting is in MiB.
        let mib = (total.to_gib() * 1024.0).ceil();
        format!(
            ". macOS lets the GPU use about {} of {} by default: set iogpu.wired_limit_mb to at least {mib:.0}",
            Amount::memory(allowed),
            Amount::memory(memory.capacity),
        )
    })
}
