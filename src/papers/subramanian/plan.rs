//! The authors' plans as text, and as questions of the Training view.

use crate::catalog;
use crate::papers::Question;
use crate::published::subramanian::{Attention, Changed, Degrees, Plan, Run, Setup, Strategy};
use crate::scenario::{Choice, Scenario, View, link};
use crate::search::Subject;
use crate::system::AssumptionSet;
use crate::units::{Bytes, format};
use crate::workload::AttentionKernel;

/// A plan as a text, e.g. `TP 2×4, PP 64, DP 32, microbatch 1; a domain holds TP 2×4`.
pub(super) fn name(plan: &Plan) -> String {
    let tensor = |degrees: &Degrees| {
        if plan.strategy == Strategy::OneD {
            format!("TP {}", degrees.first)
        } else {
            format!("TP {}×{}", degrees.first, degrees.second)
        }
    };
    let panels = match plan.strategy {
        Strategy::Summa { panels } => format!(" in {panels} panels"),
        _ => String::new(),
    };
    let Plan { degrees, inside, microbatch, .. } = plan;
    let mut held: Vec<String> = Vec::new();
    if inside.first * inside.second > 1 {
        held.push(tensor(inside));
    }
    let others = [("DP", inside.data), ("PP", inside.pipeline)];
    held.extend(others.into_iter().filter(|part| part.1 > 1).map(|(name, size)| format!("{name} {size}")));
    let held = if held.is_empty() { String::new() } else { format!("; a domain holds {}", held.join(", ")) };
    let (tensor, pipeline, data) = (tensor(degrees), degrees.pipeline, degrees.data);
    format!("{tensor}{panels}, PP {pipeline}, DP {data}, microbatch {microbatch}{held}")
}

/// The training job, in terms of the catalogue and a recipe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// Catalogue id of the model.
    pub(super) model: &'static str,
    /// Tokens of a sequence.
    pub(super) sequence: u32,
    /// Sequences per step.
    pub(super) batch: u32,
    /// Tokens of the whole run.
    pub(super) tokens: f64,
    /// Attention kernels.
    pub(super) attention: Attention,
}

impl From<&Run> for Job {
    fn from(run: &Run) -> Self {
        Self {
            model: run.id,
            sequence: run.model.sequence,
            batch: Run::BATCH,
            tokens: run.tokens(),
            attention: run.model.attention,
        }
    }
}

/// Link to the plan in the Training view; `None` if the catalogue lacks the model or the system.
pub(super) fn question(job: impl Into<Job>, setup: Setup, plan: &Plan) -> Option<String> {
    scenario(&job.into(), setup, plan).as_ref().map(link::encode)
}

/// Link to the plan in the Training view, on devices with some features changed.
pub(super) fn question_with(run: &Run, setup: Setup, plan: &Plan, changed: &Changed) -> Option<String> {
    let mut scenario = scenario(&run.into(), setup, plan)?;
    let system = &mut scenario.system;
    system.dram_gb_s = changed.dram_gb_s;
    system.dram_gib = changed.capacity_gb.map(|gb| Bytes::new(gb * 1e9).to_gib());
    if let Some((matrix, vector)) = changed.rates_tflops {
        let mut device = catalog::accelerator(&setup.id())?.clone();
        let rates = &mut device.matrix_tflops;
        (rates.bf16, rates.fp16) = (Some(matrix), Some(matrix));
        device.vector16_tflops = Some(vector);
        system.accelerator = Choice::Explicit(Box::new(device));
    }
    Some(link::encode(&scenario))
}

/// Question of a search for plans of a run on this number of GPUs, or of the sweeps of system features; `None` if the
/// catalogue lacks the model or the system.
pub(super) fn search(run: &Run, setup: Setup, gpus: u32, of: Subject) -> Option<Question> {
    let mut scenario = Scenario { view: View::Search, ..trained(&run.into(), setup, gpus)? };
    let (system, gpus) = (setup.name(), format::grouped(f64::from(gpus)));
    let text = match of {
        Subject::Plans => format!("Search the plans on {gpus} GPUs: {system}"),
        Subject::Features => format!("Sweep DRAM, arithmetic and domain on {gpus} GPUs: {system}"),
    };
    scenario.search.of = of;
    Some(Question { text, link: link::encode(&scenario) })
}

fn scenario(job: &Job, setup: Setup, plan: &Plan) -> Option<Scenario> {
    let Degrees { first, second, data, pipeline } = plan.degrees;
    let scenario = trained(job, setup, first * second * data * pipeline)?;
    Some(Scenario { parallelism: plan.as_plan(), ..scenario })
}

/// A job on `gpus` GPUs with the default plan.
fn trained(job: &Job, setup: Setup, gpus: u32) -> Option<Scenario> {
    let device = setup.id();
    let architecture = catalog::architecture(job.model)?;
    catalog::accelerator(&device)?;
    let mut scenario = Scenario {
        view: View::Training,
        model: Choice::Named(architecture.id.clone()),
        assumptions: AssumptionSet::Subramanian2024,
        ..Scenario::default()
    }
    .as_subramanian_trains();
    scenario.system.accelerator = Choice::Named(device);
    scenario.system.gpus = gpus;
    let recipe = &mut scenario.recipe;
    (recipe.batch, recipe.sequence, recipe.tokens) = (job.batch, job.sequence, job.tokens);
    if job.attention == Attention::Recomputed {
        recipe.attention = AttentionKernel::Unfused;
    }
    Some(scenario)
}
