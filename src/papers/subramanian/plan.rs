//! Plans of the authors: as a text, and as a question of the Training view.

use crate::catalog;
use crate::plan::{Placement, TensorKind};
use crate::published::subramanian::{Degrees, Plan, Run, Setup, Strategy};
use crate::scenario::{Choice, Scenario, View, link};
use crate::system::AssumptionSet;
use crate::training::Gradients;
use crate::units::Bytes;
use crate::workload::ContextKind;

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

/// The plan as a question of the Training view, as a link; none where the catalogue lacks the model or the system.
pub(super) fn question(run: &Run, setup: Setup, plan: &Plan) -> Option<String> {
    scenario(run, setup, plan).as_ref().map(link::encode)
}

/// The same on devices with another bandwidth (GB/s) and capacity (GB) of DRAM.
pub(super) fn question_with(
    run: &Run,
    setup: Setup,
    plan: &Plan,
    (gb_s, capacity): (f64, f64),
) -> Option<String> {
    let mut scenario = scenario(run, setup, plan)?;
    scenario.system.dram_gb_s = Some(gb_s);
    scenario.system.dram_gib = Some(Bytes::new(capacity * 1e9).to_gib());
    Some(link::encode(&scenario))
}

fn scenario(run: &Run, setup: Setup, plan: &Plan) -> Option<Scenario> {
    let device = setup.id();
    let architecture = catalog::architecture(run.id)?;
    catalog::accelerator(&device)?;
    let mut scenario = Scenario {
        view: View::Training,
        model: Choice::Named(architecture.id.clone()),
        assumptions: AssumptionSet::Subramanian2024,
        ..Scenario::default()
    };
    let Degrees { first, second, data, pipeline } = plan.degrees;
    scenario.system.accelerator = Choice::Named(device);
    scenario.system.gpus = first * second * data * pipeline;
    let recipe = &mut scenario.recipe;
    (recipe.batch, recipe.sequence, recipe.dropout) = (Run::BATCH, run.model.sequence, true);
    recipe.gradients = Gradients::Bf16;
    recipe.tokens = run.samples * f64::from(run.model.sequence);
    let cut = &mut scenario.parallelism;
    (cut.tensor, cut.context, cut.pipeline, cut.microbatch) = (first, second, pipeline, plan.microbatch);
    (cut.tensor_kind, cut.panels) = match plan.strategy {
        Strategy::Summa { panels } => (TensorKind::Grid, Some(panels)),
        _ => (TensorKind::Line, None),
    };
    if plan.strategy != Strategy::OneD {
        cut.context_kind = ContextKind::Gather;
    }
    let Degrees { first, second, data, pipeline } = plan.inside;
    cut.placement =
        Placement { tensor: Some(first), context: Some(second), data: Some(data), pipeline: Some(pipeline) };
    Some(scenario)
}
