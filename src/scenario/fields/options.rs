//! The options of fields, in the order in which they are offered.

use crate::catalog::{Fit, aliases, fit};
use crate::economics::Terms;
use crate::generations::TaskKind;
use crate::inference::{Engine, Launch};
use crate::plan::{Schedule, TensorKind};
use crate::published::{EXHIBITS, Exhibit};
use crate::scenario::{GALLERY, Scenario, Topic, Trait, View};
use crate::search::{Methods, Objective, Subject};
use crate::serving::simulation::{Lengths, Level};
use crate::sizing::{LoadKind, SizingJob, SizingObjective};
use crate::system::{AllReduce, AssumptionSet};
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

    /// Matches the option with a text that is searched for: by its label, value and heading, and by the aliases of a device or
    /// model.
    pub fn fit(&self, text: &str) -> Option<Fit> {
        let group = self.group.as_deref().unwrap_or_default();
        let mut names = vec![self.label.as_str(), &self.value, group];
        for alias in aliases(&self.value) {
            names.push(alias);
        }
        fit(text, &names)
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
