//! Modules that predict further tokens (MTP) where they are trained: operations, time and memory.

use foretoken::catalog::layers::Prediction;
use foretoken::plan::Plan;
use foretoken::scenario::{Choice, Scenario};
use foretoken::training::TrainingEstimate;

use crate::prediction::model;

fn trained(layers: u32, modules: u32, pipeline: u32) -> TrainingEstimate {
    let mut scenario =
        Scenario { model: Choice::Explicit(Box::new(model(layers, modules))), ..Scenario::default() };
    (scenario.system.gpus, scenario.recipe.batch, scenario.recipe.sequence) = (8, 32, 4096);
    (scenario.recipe.prediction, scenario.recipe.gradients) =
        (modules > 0, foretoken::training::Gradients::Fp32);
    let plan = &mut scenario.parallelism;
    *plan = Plan::default();
    (plan.tensor, plan.pipeline, plan.zero) = (8 / pipeline, pipeline, 0);
    scenario.training().unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Forward and backward: six operations for each weight of the module's matrices and of the head, 12 × 4096 × 4096 per token
/// for scores and values of 32 heads of 128.
#[test]
fn trained_modules_add_their_operations() {
    let more = (trained(36, 1, 1).model_flops - trained(36, 0, 1).model_flops).get();
    let tokens = 32.0 * 4096.0;
    let square = 4096.0 * 4096.0;
    let matrices = 2.0 * square + 2.0 * square + 2.0 * 4096.0 * 1024.0 + 3.0 * 4096.0 * 12_288.0;
    let head = 4096.0 * 151_936.0;
    let expected = tokens * (6.0 * (matrices + head) + 12.0 * square);
    assert!((more / expected - 1.0).abs() < 1e-9, "{more} for {expected}");
}

#[test]
fn trained_modules_take_time_and_memory() {
    let (with, without, longer) = (trained(36, 1, 1), trained(36, 0, 1), trained(37, 0, 1));
    let (module, layer) = (with.step - without.step, longer.step - without.step);
    assert!(module > layer * 2.0 && module < layer * 6.0, "{module:?} {layer:?}");
    // Weights of 2 bytes on 8 GPUs of a tensor group; norms are whole on each.
    let (total, _) = Prediction::of(1).parameters(&model(36, 1));
    let more = (with.memory.weights - without.memory.weights).get();
    assert!((more / (2.0 * total as f64 / 8.0) - 1.0).abs() < 1e-3, "{more} for {total}");
    assert!(with.memory.activations > longer.memory.activations);
    // Modules are on the last stage, and the other stages wait for it.
    let (with, without) = (trained(36, 1, 4), trained(36, 0, 4));
    assert!(with.step > without.step && with.memory.total() > without.memory.total());
}

#[test]
fn models_without_modules_train_none() {
    let mut training = Scenario::default();
    training.recipe.prediction = true;
    let problems = training.training().expect_err("a refusal");
    assert_eq!(problems[0].field, "recipe.prediction");
    training.recipe.frozen = true;
    assert!(training.training().is_ok(), "adapters are trained without modules");
}
