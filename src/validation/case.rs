//! One published measurement, and the scenario that predicts it.

use std::fmt;

use super::quantity::Quantity;
use crate::catalog::Architecture;
use crate::published::subramanian;
use crate::scenario::{Problem, Scenario, SystemChoice};
use crate::system::{KernelLibrary, Work};

/// One published row.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Id of the row in the collection of measurements.
    pub id: String,
    /// Source of the row; for a served request, the server and the system.
    pub source: String,
    /// Publication: title, place, revision.
    pub origin: String,
    /// The device: the catalogue's id, or the published name where the catalogue has none.
    pub device: String,
    /// The model as published; for a kernel, which one.
    pub model: String,
    /// Kind of model.
    pub family: Family,
    /// Number format as published.
    pub precision: String,
    /// Completeness of the description.
    pub tier: Tier,
    /// The question for the model, or the reason why there is none.
    pub question: Result<Question, Skip>,
    /// Measured quantities and values.
    pub measured: Vec<(Quantity, f64)>,
    /// True if a constant was fitted on this row.
    pub used_in_fit: bool,
}

/// The source whose values are output of the code of arXiv 2410.00273, which are no measurements.
pub const COMPUTED: &str = "subramanian-2024";

impl Case {
    /// Returns true if the values were measured.
    pub fn is_measured(&self) -> bool {
        self.source != COMPUTED
    }

    /// The scenario of the row's run, or of the first of several; `None` for kernels, and for rows that are not predicted.
    pub fn scenario(&self) -> Option<&Scenario> {
        self.question.as_ref().ok()?.scenario()
    }
}

/// Completeness of the description of a row's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Everything that the model needs is stated.
    A,
    /// Something is missing.
    B,
    /// A headline number only.
    C,
}

impl Tier {
    /// Name in files and on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }

    /// The tier of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::A, Self::B, Self::C].into_iter().find(|tier| tier.name() == name)
    }
}

/// Kind of model of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Every token passes every weight.
    Dense,
    /// Each token passes some experts.
    Moe,
    /// No model: a single kernel or collective.
    Kernel,
}

impl Family {
    /// The kind of a language model.
    pub const fn of(model: &Architecture) -> Self {
        if model.moe.is_some() { Self::Moe } else { Self::Dense }
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Moe => "mixture of experts",
            Self::Kernel => "kernel",
        }
    }
}

/// Question for the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A scenario, as on the page.
    Scenario(Box<Scenario>),
    /// Runs of different lengths with the same software on the same device, of which the mean rate is published.
    Runs(Vec<Scenario>),
    /// Time of a single kernel or collective on a catalogue device.
    Work {
        /// The device, with its differences from the catalogue.
        system: Box<SystemChoice>,
        /// Work of the kernel or collective.
        work: Work,
        /// Library of the kernel.
        library: KernelLibrary,
    },
    /// One plan under the model of arXiv 2410.00273.
    Subramanian {
        /// The machine.
        machine: Box<subramanian::Machine>,
        /// The model.
        model: subramanian::Transformer,
        /// The plan.
        plan: subramanian::Plan,
        /// Sequences per step.
        batch: u32,
    },
    /// The fastest of all plans under the model of arXiv 2410.00273.
    SubramanianSearch {
        /// The machine.
        machine: Box<subramanian::Machine>,
        /// The model.
        model: subramanian::Transformer,
        /// Space of plans that is searched.
        space: subramanian::Space,
    },
}

/// Why a row has no prediction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The row lacks this field.
    Missing(&'static str),
    /// The row has a defect that a written rule names.
    Defect(&'static str),
    /// The row is about something that the model has no term for.
    NotModelled(String),
    /// The model refuses the scenario.
    Refused(String),
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(field) => write!(f, "missing: {field}"),
            Self::Defect(rule) => write!(f, "known defect: {rule}"),
            Self::NotModelled(what) => write!(f, "not modelled: {what}"),
            Self::Refused(problem) => write!(f, "refused: {problem}"),
        }
    }
}

impl Skip {
    /// The reason without what differs from row to row.
    pub fn kind(&self) -> String {
        match self {
            Self::Refused(problem) => format!("refused: {}", problem.split(':').next().unwrap_or(problem)),
            other => other.to_string(),
        }
    }

    /// The reason of a scenario that the model refuses because of these problems.
    pub(super) fn refused(problems: &[Problem]) -> Self {
        let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::Refused(sentences.join("; "))
    }
}

impl Question {
    /// The scenario, or the first of several runs; `None` if there is none.
    pub fn scenario(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Runs(runs) => runs.first(),
            Self::Work { .. } | Self::Subramanian { .. } | Self::SubramanianSearch { .. } => None,
        }
    }
}
