//! The numbers of an answer that are compared.

use std::sync::Arc;

use crate::scenario::{Problem, Scenario, View};
use crate::units::{Amount, Unit};
use crate::view::Answer;
use crate::view::inference::DECODE_COST;

/// The answer of a view that [searches], or the reasons why there is none. Until it is complete, it is empty.
pub type Searched = Result<Arc<Answer>, Vec<Problem>>;

/// Returns true if a search answers the question: that of every view but those with an estimate and those of published results.
/// The numbers to compare are then those of the cards.
pub fn searches(question: &Scenario) -> bool {
    !matches!(question.view, View::Training | View::Inference) && !question.view.is_published()
}

/// A number of an answer.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) label: String,
    pub(super) amount: Amount,
    /// Text that is shown in place of the amount; empty if the amount is shown.
    pub(super) words: String,
}

impl Stated {
    /// A number that is shown as it is.
    fn new(label: &str, amount: Amount) -> Self {
        Self { label: label.to_owned(), amount, words: String::new() }
    }
}

/// The numbers of a question's answer, or the reasons why it has none.
pub(super) fn numbers(
    question: &Scenario,
    search: &mut dyn FnMut(&Scenario) -> Searched,
) -> Result<Vec<Stated>, Vec<Problem>> {
    if searches(question) {
        let answer = search(question)?;
        let stated = answer.cards.iter().filter_map(|card| {
            Some(Stated { label: card.label.clone(), amount: card.amount?, words: card.words.clone() })
        });
        return Ok(stated.collect());
    }
    let numbers = estimated(question)?;
    Ok(numbers.into_iter().map(|(label, amount)| Stated::new(label, amount)).collect())
}

/// The numbers of an answer. A question that does not fit has the memory that it needs.
pub(super) fn known((answer, question): (&Result<Vec<Stated>, Vec<Problem>>, &Scenario)) -> Vec<Stated> {
    let memory = || match question.view {
        View::Training => question.trained().ok().map(|estimate| estimate.memory),
        View::Inference => question.served().ok().map(|estimate| estimate.memory),
        _ => None,
    };
    answer.clone().unwrap_or_else(|_| {
        let needed = memory().map(|memory| Stated::new(MEMORY, Amount::memory(memory.total())));
        needed.into_iter().collect()
    })
}

/// Label of the memory of the fullest GPU.
pub(super) const MEMORY: &str = "Memory per GPU";

/// The numbers of an estimate.
fn estimated(question: &Scenario) -> Result<Vec<(&'static str, Amount)>, Vec<Problem>> {
    let rate = |rate| Amount::new(rate, Unit::Rate);
    match question.view {
        View::Training => question.training().map(|estimate| {
            let device = question.system.accelerator().ok();
            let bill = device.map(|device| question.bill(&device, question.system.gpus, estimate.run));
            let run = bill.map_or(estimate.run, |bill| bill.time);
            let mut numbers = vec![
                ("Step time", Amount::time(estimate.step)),
                ("MFU", Amount::percent(estimate.mfu)),
                ("Tokens per second", rate(estimate.tokens_per_second)),
                ("Tokens per second per GPU", rate(estimate.tokens_per_second_per_gpu)),
                ("Time to the token budget", Amount::time(run)),
                (MEMORY, Amount::memory(estimate.memory.total())),
            ];
            let (usd, kwh) = bill.map_or((None, None), |bill| (bill.usd, bill.kwh));
            numbers.extend(usd.map(|usd| ("Cost of the run", Amount::usd(usd))));
            numbers.extend(kwh.map(|kwh| ("Energy of the run", Amount::new(kwh, Unit::KilowattHours))));
            numbers
        }),
        View::Inference => question.inference().map(|estimate| {
            // The first output token is the prefill's, and has no price of its own.
            let bill = question.token_bill(&estimate).filter(|_| question.inference.output > 1);
            let mut numbers = vec![
                ("Time to first token", Amount::time(estimate.ttft)),
                ("Time per output token", Amount::time(estimate.tpot)),
                ("Request latency", Amount::time(estimate.latency)),
                ("Output tokens per second", rate(estimate.tokens_per_second)),
                ("Largest batch", Amount::count(estimate.largest_batch)),
                (MEMORY, Amount::memory(estimate.memory.total())),
            ];
            let (usd, joules) =
                bill.map_or((None, None), |bill| (bill.usd_per_million_output, bill.joules_per_output));
            numbers.extend(usd.map(|usd| (DECODE_COST, Amount::usd(usd))));
            numbers
                .extend(joules.map(|joules| ("Energy per output token", Amount::new(joules, Unit::Joules))));
            numbers
        }),
        _ => Err(vec![Problem::new("view", "results of papers and measured rows are not compared")]),
    }
}
