//! Checks the numbers of a training log against each other and against the model of the question.

use super::{Kind, Measurement};
use crate::scenario::{Scenario, View};
use crate::units::format;

/// Ratio of FLOPs per token from which a log is of another model, or one of its numbers has another unit. Conventions of
/// counting attention and embeddings change the FLOPs per token by less.
const APART: f64 = 1.7;

/// States that a log's FLOP/s and tokens/s are not those of the question's model, in one sentence; `None` if they are, or if
/// the log does not give both. `question` is the question after the log was applied.
pub(super) fn contradiction(log: &Measurement, question: &Scenario) -> Option<String> {
    if log.view != View::Training {
        return None;
    }
    let stated = log.best(Kind::FlopsPerGpu)?.value / tokens_per_gpu(log)?;
    let model = question.architecture().ok()?;
    let recipe = &question.recipe;
    let sequence = recipe.model_flops(&recipe.forward(model)).get();
    let ratio = stated * f64::from(recipe.sequence) / sequence;
    if (1.0 / APART..=APART).contains(&ratio) {
        return None;
    }
    let [stated, needed] =
        [stated, sequence / f64::from(recipe.sequence)].map(|flops| format::short(flops * 1e-9));
    let why = if log.fact_of("model").is_some() {
        "one of its numbers has another unit"
    } else {
        "choose the model that ran"
    };
    Some(format!(
        "Its FLOP/s and its time are {stated} GFLOP per token, and {} takes {needed} GFLOP: {why}",
        model.name
    ))
}

/// Tokens per second per GPU: as logged, else from the step time and the settings that the log gives.
fn tokens_per_gpu(log: &Measurement) -> Option<f64> {
    let of_step = || {
        let [gpus, batch, sequence] =
            ["system.gpus", "recipe.batch", "recipe.sequence"].map(|path| log.number_of(path));
        Some(batch? * sequence? / gpus? / log.best(Kind::Step)?.value)
    };
    log.best(Kind::TokensPerGpu).map(|reading| reading.value).or_else(of_step)
}
