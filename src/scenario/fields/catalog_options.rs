//! Options that come from the catalogue: models, devices, technologies, and the number formats of a device.

use super::options::Opt;
use crate::catalog::{Accelerator, Architecture, accelerator, catalog, technology};
use crate::order;
use crate::scenario::machine_comparison::OWN;
use crate::scenario::{Choice, NONE, Scenario, Speculation};
use crate::system::{Device, Precision};
use crate::words::Word as _;

/// The chosen device, if there is one of that name.
pub fn device(scenario: &Scenario) -> Option<&Accelerator> {
    match &scenario.system.accelerator {
        Choice::Named(id) => accelerator(id),
        Choice::Explicit(accelerator) => Some(accelerator),
    }
}

/// The catalogue's models, by family.
pub(super) fn models(_: &Scenario) -> Vec<Opt> {
    let group = |model: &Architecture| Some(model.family.clone());
    catalog()
        .architectures
        .iter()
        .map(|model| Opt { group: group(model), ..Opt::new(&model.id, &model.name) })
        .collect()
}

/// What can draft for the chosen model: its own prediction modules, and models with its vocabulary.
pub(super) fn drafts(scenario: &Scenario) -> Vec<Opt> {
    let vocab = scenario.architecture().map_or(0, |model| model.vocab);
    let chosen = &scenario.speculation.model;
    let drafts = catalog()
        .architectures
        .iter()
        .filter(|model| *chosen == model.id || (model.vocab == vocab && vocab > 0 && model.is_causal()));
    let none = Opt::new(NONE, "None");
    let predicts = scenario.architecture().is_ok_and(|model| model.prediction.is_some());
    let modules = predicts || chosen == Speculation::MODULES;
    let own = modules.then(|| Opt::new(Speculation::MODULES, "The model's prediction modules (MTP)"));
    std::iter::once(none).chain(own).chain(drafts.map(|model| Opt::new(&model.id, &model.name))).collect()
}

/// The catalogue's devices, by vendor; then those that only papers have, by paper.
pub(super) fn accelerators(_: &Scenario) -> Vec<Opt> {
    let mut options: Vec<Opt> = catalog()
        .accelerators
        .iter()
        .filter(|device| device.paper.is_none())
        .map(|device| Opt {
            group: Some(device.vendor.clone()),
            ..Opt::new(&device.id, device.listed_name())
        })
        .collect();
    order::sort(&mut options, |a, b| b.group.cmp(&a.group));
    let published = catalog().accelerators.iter().filter_map(|device| {
        let group = format!("Machines of {}", device.paper.as_ref()?);
        Some(Opt { group: Some(group), ..Opt::new(&device.id, device.listed_name()) })
    });
    options.extend(published);
    options
}

/// Choices of the second GPU: none, or a device of the catalogue.
pub(super) fn second_gpus(scenario: &Scenario) -> Vec<Opt> {
    std::iter::once(Opt::new(NONE, "None")).chain(accelerators(scenario)).collect()
}

/// Choices of the prefill workers' device: the question's own, or a device of the catalogue.
pub(super) fn prefill_gpus(scenario: &Scenario) -> Vec<Opt> {
    std::iter::once(Opt::new(NONE, "The same")).chain(accelerators(scenario)).collect()
}

/// Number formats of matrix multiplies; unsupported ones are marked.
pub(super) fn precisions(scenario: &Scenario) -> Vec<Opt> {
    formats(device(scenario), |opt| Opt {
        enabled: false,
        label: format!("{} (not on this GPU)", opt.label),
        ..opt
    })
}

/// Formats of stored weights: what the device cannot multiply is widened first.
pub(super) fn weights(scenario: &Scenario) -> Vec<Opt> {
    formats(device(scenario), |opt| Opt { label: format!("{} (widened to multiply)", opt.label), ..opt })
}

/// Number formats of the KV cache. Of GGUF's formats, llama.cpp takes those of one block format.
pub(super) fn storage(scenario: &Scenario) -> Vec<Opt> {
    let chosen = scenario.inference.kv_precision;
    let cached = |format: &Precision| {
        let file = format.is_gguf() || format.is_mlx() || format.is_exl();
        let weights = matches!(format, Precision::Awq | Precision::Nf4 | Precision::Nf4Double);
        !(file || weights) || matches!(format, Precision::Q8_0 | Precision::Q4_0) || *format == chosen
    };
    Precision::ALL.into_iter().filter(cached).map(format).collect()
}

/// All formats, those that the device cannot multiply changed.
fn formats(device: Option<&Accelerator>, unsupported: fn(Opt) -> Opt) -> Vec<Opt> {
    let device = device.map(Device::of);
    let offered = |precision: Precision| match &device {
        Some(device) if device.peak(precision).is_none() => unsupported(format(precision)),
        Some(_) | None => format(precision),
    };
    Precision::ALL.into_iter().map(offered).collect()
}

/// The option of a number format, under the heading of its kind of file if it has one.
fn format(precision: Precision) -> Opt {
    let group = match precision {
        _ if precision.is_gguf() => Some("GGUF".to_owned()),
        _ if precision.is_mlx() => Some("MLX".to_owned()),
        _ if precision.is_exl() => Some("EXL".to_owned()),
        _ => None,
    };
    Opt { group, ..Opt::new(precision.word(), precision.name()) }
}

/// Formats of frozen weights.
pub(super) fn bases(scenario: &Scenario) -> Vec<Opt> {
    let chosen = scenario.recipe.base;
    let offered = |format: &Precision| {
        use Precision as P;
        [P::Bf16, P::Fp8, P::Int8, P::Int4, P::Nf4, P::Nf4Double].contains(format) || *format == chosen
    };
    Precision::ALL.into_iter().filter(offered).map(format).collect()
}

/// Processes.
pub(super) fn nodes(_: &Scenario) -> Vec<Opt> {
    let nodes = technology().nodes.iter();
    nodes.map(|node| Opt::new(&node.id, format!("{} ({})", node.name, node.year))).collect()
}

/// Kinds of multiprocessors.
pub(super) fn cores(_: &Scenario) -> Vec<Opt> {
    technology().cores.iter().map(|core| Opt::new(&core.id, &core.name)).collect()
}

/// DRAM technologies.
pub(super) fn stacks(_: &Scenario) -> Vec<Opt> {
    technology().stacks.iter().map(|stack| Opt::new(&stack.memory, stack.name())).collect()
}

/// Generations of links.
pub(super) fn fabrics(_: &Scenario) -> Vec<Opt> {
    technology().fabrics.iter().map(|fabric| Opt::new(&fabric.id, &fabric.name)).collect()
}

/// The machines that can be compared: the question's own, and the catalogue's.
pub(super) fn compared(scenario: &Scenario) -> Vec<Opt> {
    let own = Opt::new(OWN, "This question's GPU");
    [own].into_iter().chain(accelerators(scenario)).collect()
}

/// The second machine of a comparison.
pub(super) fn second(scenario: &Scenario) -> Option<&Accelerator> {
    let id = &scenario.comparison.to;
    if id == OWN { device(scenario) } else { accelerator(id) }
}

/// Formats in which the second machine multiplies.
pub(super) fn formats_of_second(scenario: &Scenario) -> Vec<Opt> {
    let not = |opt: Opt| Opt { enabled: false, label: format!("{} (not on it)", opt.label), ..opt };
    formats(second(scenario), not)
}
