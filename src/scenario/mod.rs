//! The question: the versioned document that files, links and forms share.
//!
//! A scenario is untrusted: nothing in it is used before `resolve` has checked it.

pub mod answers;
mod basis;
mod bounds;
pub mod checkpoint;
mod choice;
pub mod compare;
mod constants;
mod document;
mod errors;
mod fact;
pub mod fields;
mod fine_tuning;
pub mod goal;
pub mod huggingface;
pub mod import;
pub mod link;
mod listed;
mod machine_comparison;
mod measured;
pub(crate) mod names;
mod native;
mod offloaded;
pub mod own;
mod papers;
mod prefill_gpu;
pub mod preset;
pub mod problem;
mod profile;
mod resolve;
mod rows;
mod second_gpu;
mod shortage;
mod speculation;
pub mod technology;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalog::{Accelerator, Architecture};
use crate::economics::Economics;
use crate::inference::InferenceLoad;
use crate::plan::Plan;
use crate::search::Scope;
use crate::sizing::SizingChoice;
use crate::system::{AssumptionSet, HostMemory};
use crate::training::TrainingRecipe;

pub use choice::Choice;
pub use errors::{ErrorChoice, Topic, Trait};
pub use fact::{Fact, Facts, Given};
pub use import::{import, read_profile};
pub use machine_comparison::MachineComparison;
pub use measured::{Activities, CourseText, Measured, Phases};
pub use papers::{GALLERY, PaperChoice};
pub use problem::Problem;
pub use profile::Profile;
pub(crate) use rows::is_rows;
pub use rows::{read_rows, write_rows};
pub use speculation::{NONE, Speculation};
pub use technology::TechnologyChoice;

/// The one document version so far. Its defaults never change.
pub const VERSION: u32 = 1;

/// A question: which model, on what, how, seen from where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Version whose defaults replace missing values.
    pub version: u32,
    /// The page's view.
    pub view: View,
    /// The model.
    pub model: Choice<Architecture>,
    /// The hardware.
    pub system: SystemChoice,
    /// Parallelism plan of training.
    pub parallelism: Plan,
    /// Training recipe: batch, sequence, number format, tokens.
    pub recipe: TrainingRecipe,
    /// Served load: prompt and output tokens, batch, deployment.
    pub inference: InferenceLoad,
    /// Draft of speculative decoding.
    pub speculation: Speculation,
    /// Prices of GPUs and electricity, and failure rates of GPUs.
    pub economics: Economics,
    /// Set of constants. Sets of different authors are available.
    pub assumptions: AssumptionSet,
    /// Constants of the set that have other values here, by the keys of [`crate::system::calibration::listed`].
    pub constants: BTreeMap<String, f64>,
    /// Measured values. They do not change predictions.
    #[serde(skip_serializing_if = "Measured::is_empty")]
    pub measured: Measured,
    /// Calibration profile: corrections fitted to measured values.
    #[serde(skip_serializing_if = "Profile::is_empty")]
    pub profile: Profile,
    /// Scope of the Search view.
    pub search: Scope,
    /// The traffic that the Sizing view carries, and what its best fleet has least of.
    pub sizing: SizingChoice,
    /// The two machines that the Generations view compares in detail.
    pub comparison: MachineComparison,
    /// The accelerator that the Technology view builds, and its task.
    pub technology: TechnologyChoice,
    /// The table or figure that the Papers view shows.
    pub papers: PaperChoice,
    /// The errors that the Validation view shows.
    pub errors: ErrorChoice,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            version: VERSION,
            view: View::default(),
            model: Choice::Named("llama-3.1-70b".to_owned()),
            system: SystemChoice::default(),
            parallelism: Plan::usual(),
            recipe: TrainingRecipe::default(),
            inference: InferenceLoad::default(),
            speculation: Speculation::default(),
            economics: Economics::default(),
            assumptions: AssumptionSet::default(),
            constants: BTreeMap::new(),
            measured: Measured::default(),
            profile: Profile::default(),
            search: Scope::default(),
            sizing: SizingChoice::default(),
            comparison: MachineComparison::default(),
            technology: TechnologyChoice::default(),
            papers: PaperChoice::default(),
            errors: ErrorChoice::default(),
        }
    }
}

/// A question that the page answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Step time, MFU and memory of training.
    #[default]
    Training,
    /// TTFT, TPOT, KV cache, what binds each matrix multiply.
    Inference,
    /// Devices and numbers of GPUs for given traffic or a training deadline.
    Sizing,
    /// The best parallelism plans for training.
    Search,
    /// Speed-up of each hardware generation.
    Generations,
    /// Effects of better process nodes, memories and links.
    Technology,
    /// Tables and figures of two papers, computed beside their published values.
    Papers,
    /// Errors of predictions on published measurements.
    Validation,
}

impl View {
    /// All views, in the order of the page's navigation.
    pub const ALL: [Self; 8] = [
        Self::Training,
        Self::Inference,
        Self::Sizing,
        Self::Search,
        Self::Generations,
        Self::Technology,
        Self::Papers,
        Self::Validation,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "Training",
            Self::Inference => "Inference",
            Self::Sizing => "Sizing",
            Self::Search => "Search",
            Self::Generations => "Generations",
            Self::Technology => "Technology",
            Self::Papers => "Papers",
            Self::Validation => "Validation",
        }
    }

    /// Returns true if the answer is an estimate of the question, without a search.
    pub const fn has_estimate(self) -> bool {
        matches!(self, Self::Training | Self::Inference | Self::Generations)
    }

    /// Returns true if the answer is about published results, which do not depend on the question's model and device.
    pub const fn is_published(self) -> bool {
        matches!(self, Self::Papers | Self::Validation)
    }

    /// Name in documents and links.
    pub fn id(self) -> &'static str {
        crate::words::Word::word(self)
    }
}

/// The hardware: a catalogue device, the number of GPUs, and the differences from the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SystemChoice {
    /// The device.
    pub accelerator: Choice<Accelerator>,
    /// Number of GPUs that train together.
    pub gpus: u32,
    /// DRAM bandwidth instead of the catalogue's, GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_gb_s: Option<f64>,
    /// DRAM capacity instead of the catalogue's, GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_gib: Option<f64>,
    /// Scale-up bandwidth per GPU and direction instead of the catalogue's, GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up_gb_s: Option<f64>,
    /// GPUs in one scale-up domain instead of the catalogue's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up_domain: Option<u32>,
    /// Scale-out bandwidth per GPU and direction instead of the catalogue's, GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_out_gb_s: Option<f64>,
    /// Network adapters per GPU, each with the scale-out bandwidth; below 1 where GPUs share one.
    pub adapters: f64,
    /// GPUs of a pod, between which the fabric is not oversubscribed; a scale-up domain if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<u32>,
    /// Bandwidth into a pod's switches over that between pods; 1 where the fabric is not oversubscribed.
    pub oversubscription: f64,
    /// True if switches reduce in the network (SHARP).
    pub in_network: bool,
    /// Memory of the host, GiB.
    pub host_gib: f64,
    /// Nominal bandwidth of the host's memory, GB/s.
    pub host_gb_s: f64,
    /// A GPU of another kind in the same machine, by its id in the catalogue; `none` without one.
    pub second: String,
    /// The device of workers that only prefill, by its id in the catalogue; `none` where it is the question's own.
    pub prefill: String,
}

impl Default for SystemChoice {
    fn default() -> Self {
        Self {
            accelerator: Choice::Named("h100-sxm".to_owned()),
            gpus: 512,
            dram_gb_s: None,
            dram_gib: None,
            scale_up_gb_s: None,
            scale_up_domain: None,
            scale_out_gb_s: None,
            adapters: 1.0,
            pod: None,
            oversubscription: 1.0,
            in_network: false,
            host_gib: HostMemory::DESKTOP_GIB,
            host_gb_s: HostMemory::DESKTOP_GB_S,
            second: NONE.to_owned(),
            prefill: NONE.to_owned(),
        }
    }
}
