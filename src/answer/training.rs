//! The Training view: how long a step takes, and why.

use super::{Answer, Files, headline, html, operators};
use crate::figure::{self, Size};
use crate::scenario::{Problem, Scenario, Topic};
use crate::training::TrainingEstimate;
use crate::units::format;
use crate::validation::Quantity;

/// The training answer.
pub fn training(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    of(question, question.training()?, size)
}

/// The same by this model's own equations alone, which is all that the page's first view has to hold.
pub fn training_by_operators(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    of(question, question.training_by_operators()?, size)
}

fn of(question: &Scenario, estimate: TrainingEstimate, size: Size) -> Result<Answer, Vec<Problem>> {
    let device = question.machine()?.device;
    let (peak, dram) = (device.rate(question.recipe.precision), device.dram);
    let figures = vec![
        figure::step_breakdown(&estimate, size),
        figure::memory(&estimate.memory, size),
        figure::roofline(&estimate.operators, peak, dram, size),
    ];
    let note = "One microbatch on one GPU of one pipeline stage";
    let table = operators::markup("operators", note, &estimate.operators);
    Ok(Answer {
        headline: numbers(question, &estimate),
        figures: html::each(&figures, html::figure) + &table,
        files: Files { figures, operators: Some(("operators", estimate.operators)), ..Files::default() },
    })
}

fn numbers(question: &Scenario, estimate: &TrainingEstimate) -> String {
    let budget = format::count(question.recipe.tokens);
    [
        headline::time(
            ("step", "Step time"),
            estimate.step,
            &format!("{} × {} microbatches", estimate.data_parallel, estimate.microbatches),
            question,
            (Quantity::IterTime, Topic::Step),
        ),
        html::card(
            "mfu",
            "MFU",
            &format::percent(estimate.mfu),
            &format!("HFU {}", format::percent(estimate.hfu)),
        ),
        html::card(
            "tokens",
            "Tokens per second",
            &format::rounded(estimate.tokens_per_second),
            &format!("{} per GPU", format::rounded(estimate.tokens_per_second_per_gpu)),
        ),
        html::card(
            "days",
            &format!("Time to {budget} tokens"),
            &format::time(estimate.run),
            &format!("{} steps", format::grouped(estimate.run / estimate.step)),
        ),
        headline::memory(&estimate.memory),
    ]
    .concat()
}
