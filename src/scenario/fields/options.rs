//! The options of fields, in the order in which they are offered.

use crate::catalog::{Accelerator, Architecture, accelerator, catalog, technology};
use crate::economics::Terms;
use crate::generations::TaskKind;
use crate::inference::{Engine, Launch};
use crate::order;
use crate::plan::{Schedule, TensorKind};
use crate::published::{EXHIBITS, Exhibit};
use crate::scenario::machine_comparison::OWN;
use crate::scenario::{Choice, GALLERY, NONE, Scenario, Speculation, Topic, Trait, View};
use crate::search::{Methods, Objective, Subject};
use crate::serving::simulation::{Lengths, Level};
use crate::sizing::{LoadKind, SizingJob, SizingObjective};
use crate::system::{AllReduce, AssumptionSet, Device, Precision};
use crate::training::{Framework, Gradients, Optimizer};
use crate::words::Word;
use crate::workload::{AttentionKernel, Targets};
use crate::workload::{ContextKind, ExpertDispatch, Recompute};

/// One thing to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Opt {
    /// Value in the document.
    pub value: String,
    /// Label on the page.
    pub label: String,
    /// Heading of the option.
    pub group: Option<String>,
    /// True if it can be chosen.
    pub enabled: bool,
}

impl Opt {
    pub(super) fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), group: None, enabled: true }
    }
}

/// Options from words with their names.
fn named<T: Copy + Word>(all: impl IntoIterator<Item = T>, name: fn(T) -> &'static str) -> Vec<Opt> {
    all.into_iter().map(|word| Opt::new(word.word(), name(word))).collect()
}

/// The views of the page.
pub(super) fn views(_: &Scenario) -> Vec<Opt> {
    named(View::ALL, View::name)
}

/// Launch modes of kernels.
pub(super) fn launches(_: &Scenario) -> Vec<Opt> {
    named(Launch::ALL, Launch::name)
}

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

/// Recomputation in the backward pass.
pub(super) fn recompute(_: &Scenario) -> Vec<Opt> {
    named(Recompute::ALL, Recompute::name)
}

/// Attention kernels.
pub(super) fn attention(_: &Scenario) -> Vec<Opt> {
    named(AttentionKernel::ALL, AttentionKernel::name)
}

/// Stages of ZeRO.
pub(super) fn zero(_: &Scenario) -> Vec<Opt> {
    vec![
        Opt::new("0", "Nothing"),
        Opt::new("1", "Optimizer state (ZeRO-1)"),
        Opt::new("2", "And gradients (ZeRO-2)"),
        Opt::new("3", "And weights (ZeRO-3, FSDP)"),
    ]
}

/// Formats in which gradients are summed.
pub(super) fn gradients(_: &Scenario) -> Vec<Opt> {
    vec![
        Opt::new(Gradients::Fp32.word(), "32 bits"),
        Opt::new(Gradients::Bf16.word(), "16 bits"),
        Opt::new(Gradients::Released.word(), "16 bits, freed in the backward pass"),
    ]
}

/// Optimizers.
pub(super) fn optimizers(_: &Scenario) -> Vec<Opt> {
    named(Optimizer::ALL, Optimizer::name)
}

/// Matrices with adapters.
pub(super) fn targets(_: &Scenario) -> Vec<Opt> {
    named(Targets::ALL, Targets::name)
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

/// Training software.
pub(super) fn frameworks(_: &Scenario) -> Vec<Opt> {
    named(Framework::ALL, Framework::name)
}

/// The sets of constants.
pub(super) fn assumptions(_: &Scenario) -> Vec<Opt> {
    named(AssumptionSet::ALL, AssumptionSet::name)
}

/// Objectives of the search for plans.
pub(super) fn objectives(_: &Scenario) -> Vec<Opt> {
    named(Objective::ALL, Objective::name)
}

/// Statistics that a service level can limit.
pub(super) fn percentiles(_: &Scenario) -> Vec<Opt> {
    named(Level::ALL, Level::name)
}

/// Distributions of lengths.
pub(super) fn lengths(scenario: &Scenario) -> Vec<Opt> {
    let mut options = named(Lengths::ALL, Lengths::name);
    if scenario.sizing.trace == 0 && scenario.sizing.lengths != Lengths::Trace {
        options.retain(|option| option.value != Lengths::Trace.word());
    }
    options
}

/// Jobs of the Sizing view.
pub(super) fn sizing_jobs(_: &Scenario) -> Vec<Opt> {
    named(SizingJob::ALL, SizingJob::name)
}

/// Quantities by which a fleet's load can be given.
pub(super) fn load_kinds(_: &Scenario) -> Vec<Opt> {
    named(LoadKind::ALL, LoadKind::name)
}

/// The quantities that the best fleet or run can minimise.
pub(super) fn sizing_objectives(_: &Scenario) -> Vec<Opt> {
    named(SizingObjective::ALL, SizingObjective::name)
}

/// The ways to pay for GPUs.
pub(super) fn terms(_: &Scenario) -> Vec<Opt> {
    named(Terms::ALL, Terms::name)
}

/// Subjects of the Search view.
pub(super) fn subjects(_: &Scenario) -> Vec<Opt> {
    named(Subject::ALL, Subject::name)
}

/// Strategies of arXiv 2410.00273.
pub(super) fn strategies(_: &Scenario) -> Vec<Opt> {
    named(Methods::ALL, Methods::name)
}

/// Tasks for which accelerators are built.
pub(super) fn tasks(_: &Scenario) -> Vec<Opt> {
    named(TaskKind::ALL, TaskKind::name)
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

/// Results of the two papers, under their papers.
pub(super) fn exhibits(_: &Scenario) -> Vec<Opt> {
    let of = |exhibit: &Exhibit| Opt {
        group: Some(exhibit.paper.name().to_owned()),
        ..Opt::new(exhibit.id, exhibit.name)
    };
    [Opt::new(GALLERY, "All results")].into_iter().chain(EXHIBITS.iter().map(of)).collect()
}

/// Kinds of measured quantities.
pub(super) fn topics(_: &Scenario) -> Vec<Opt> {
    named(Topic::ALL, Topic::name)
}

/// Traits by which measured rows are grouped.
pub(super) fn traits(_: &Scenario) -> Vec<Opt> {
    Trait::ALL.into_iter().map(|by| Opt::new(by.id(), by.name())).collect()
}

/// Serving software.
pub(super) fn engines(_: &Scenario) -> Vec<Opt> {
    named(Engine::ALL, Engine::name)
}

/// All-reduce algorithms of tensor parallelism.
pub(super) fn all_reduces(_: &Scenario) -> Vec<Opt> {
    named(AllReduce::ALL, AllReduce::name)
}

/// Orders of a pipeline.
pub(super) fn schedules(_: &Scenario) -> Vec<Opt> {
    named(Schedule::ALL, Schedule::name)
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

/// Kinds of tensor parallelism.
pub(super) fn tensor_kinds(_: &Scenario) -> Vec<Opt> {
    named(TensorKind::ALL, TensorKind::name)
}

/// Kinds of exchange of keys and values in context parallelism.
pub(super) fn context_kinds(_: &Scenario) -> Vec<Opt> {
    named(ContextKind::ALL, ContextKind::name)
}

/// Kinds of dispatch of tokens to experts.
pub(super) fn expert_dispatches(_: &Scenario) -> Vec<Opt> {
    named(ExpertDispatch::ALL, ExpertDispatch::name)
}
