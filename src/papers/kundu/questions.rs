//! The paper's cases as questions of the Training and Inference views.

use crate::inference::{InferenceLoad, Launch};
use crate::plan::Plan;
use crate::published::runs::TrainingRun;
use crate::scenario::{Choice, Scenario, View};
use crate::search::Found;
use crate::system::{AssumptionSet, Precision};
use crate::units::{Bytes, Seconds};
use crate::validation::Score;

/// The assumption set of the paper.
pub(super) const SET: AssumptionSet = AssumptionSet::Kundu2024;

/// A measured training step as a question. `plan` may differ from the measured run's.
pub(super) fn training(run: &TrainingRun, plan: Plan) -> Scenario {
    let mut scenario = Scenario {
        view: View::Training,
        model: Choice::Named(run.model.to_owned()),
        parallelism: plan,
        recipe: run.recipe(),
        assumptions: SET,
        ..Scenario::default()
    };
    scenario.system.accelerator = Choice::Named("a100-sxm-80gb".to_owned());
    scenario.system.gpus = run.gpus;
    scenario
}

/// One request of 200 prompt and 200 output tokens on `tensor` GPUs. The host launches each kernel, as engines of 2023
/// did.
pub(super) fn request(model: &str, device: &str, tensor: u32) -> Scenario {
    let mut scenario = Scenario {
        view: View::Inference,
        model: Choice::Named(model.to_owned()),
        assumptions: SET,
        inference: InferenceLoad {
            input: 200,
            output: 200,
            batch: 1,
            tensor,
            precision: Precision::Fp16,
            kv_precision: Precision::Fp16,
            launch: Launch::Stream,
            ..InferenceLoad::default()
        },
        ..Scenario::default()
    };
    scenario.system.accelerator = Choice::Named(device.to_owned());
    scenario
}

/// The question with calibrated constants.
pub(super) fn calibrated(scenario: &Scenario) -> Scenario {
    Scenario { assumptions: AssumptionSet::Calibrated, ..scenario.clone() }
}

/// Step time of a training question, s; `None` if it has no answer.
pub(super) fn step(scenario: &Scenario) -> Option<f64> {
    scenario.with_training(|job| job.step().get()).ok()
}

/// Latency of a request, s; `None` if it has no answer.
pub(super) fn latency(scenario: &Scenario) -> Option<f64> {
    scenario.with_inference(|job| job.estimate().latency.get()).ok()
}

/// A parallelism plan as one line of text.
pub(super) fn plan_name(plan: Plan, gpus: u32) -> String {
    Found { plan, gpus, step: Seconds::ZERO, memory: Bytes::ZERO, published: None }.name()
}

/// Errors of values against the published ones.
pub(super) fn score(pairs: impl Iterator<Item = (Option<f64>, f64)>) -> Score {
    Score::of(pairs.filter_map(|(ours, published)| Some((ours?, published))))
}
