//! The Training view: how long a step takes and why, what a run costs, how a step unfolds.

mod bound;
mod costs;
mod degrees;
mod entry;
mod lead;
pub(super) mod leaner;
pub(super) mod nearest;
mod opened;
mod runs;

use super::work::{Stage, staged};
use super::{
    Answer, Card, News, Part, Question, Work, Working, cards, equations, launch, measured, operators,
    profiled,
};
use crate::figure::{self, Roofline};
use crate::scenario::{Problem, Scenario, Topic};
use crate::search::Search;
use crate::system::AssumptionSet;
use crate::training::{Sensitivity, TrainingEstimate, sensitivities};
use crate::units::{Amount, Unit, format};
use crate::validation::Quantity;
use measured::Published;

pub(super) use entry::ENTRY;
pub(super) use runs::{time_and_cost, with_plan};

/// Relative change of each hardware number in the sensitivity figure.
const CHANGE: f64 = 0.1;

const LATER: [Stage; 5] = [
    ("roofline", rates),
    ("timeline", timelines),
    ("sensitivity", sensitivity),
    ("costs", costs_and_bound),
    ("causes", measured::stage),
];

/// Stages before better plans are searched for.
const STAGES: u32 = 1 + LATER.len() as u32;

/// Steps that the progress of the search is counted in.
const STEPS: u32 = 1000;

/// Plans that are tried in one step: some milliseconds.
const SLICE: u32 = 10_000;

/// The view at work: published rows for measured questions, and the last question's search for the fastest plan.
#[derive(Debug, Default)]
pub(crate) struct Training {
    published: Published,
    last: Option<(Scenario, Search)>,
}

impl Working for Training {
    fn step(&mut self, question: &Question) -> Work {
        if question.shown.is_some_and(|done| done >= STAGES) {
            let beside = self.published.step(question, STAGES, STAGES + STEPS);
            return beside.unwrap_or_else(|| self.search(&question.scenario));
        }
        let (done, news) = match staged(question, first, &LATER) {
            Work::Partial(done, _, news) => (done, news),
            Work::Done(news) => (STAGES, news),
            other => return other,
        };
        // A question that does not fit has no later stages.
        let unfit = matches!(&news, News::Whole(answer) if !answer.problems.is_empty());
        Work::Partial(if unfit { STAGES } else { done }, STAGES + STEPS, news)
    }

    fn supply(&mut self, file: Result<&str, String>) {
        self.published.supply(file);
    }
}

impl Training {
    /// Goes on with the search for better plans, which other sets than this model's own do not have.
    fn search(&mut self, scenario: &Scenario) -> Work {
        let search = match &mut self.last {
            Some((known, search)) if known == scenario => search,
            last => match scenario.fastest() {
                Ok(search) => &mut last.insert((scenario.clone(), search)).1,
                Err(_) => return Work::Done(News::Offers(Vec::new())),
            },
        };
        search.advance(SLICE);
        if !search.done() {
            let done = (search.progress() * f64::from(STEPS - 1)) as u32;
            return Work::Progress(STAGES + done, STAGES + STEPS);
        }
        let asked = scenario.training().ok().map(|estimate| estimate.step);
        Work::Done(News::Offers(lead::offers(scenario, asked, search)))
    }
}

/// The sentence, cards, the breakdown of a step, and memory.
pub(super) fn first(asked: &Question) -> Result<Answer, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    let estimate = match question.training() {
        Ok(estimate) => estimate,
        Err(problems) => return lead::unfit(asked, problems),
    };
    let (card, beside) = measured::training(question, &estimate);
    let mut cards = numbers(question, &estimate);
    cards.splice(0..0, card);
    let pinned = asked.pinned(Scenario::training);
    let step = figure::step_breakdown(&estimate, &pinned, size);
    let pinned: Vec<_> = pinned.into_iter().map(|one| one.map(|estimate| estimate.memory)).collect();
    let memory = figure::memory(&estimate.memory, &pinned, size);
    let mut parts: Vec<Part> = vec![step.into(), memory.into()];
    parts.extend(lead::tight(question, &estimate).map(Part::Notice));
    parts.extend(beside);
    parts.extend(profiled::training(question, &estimate, size));
    Ok(Answer { lead: lead::lead(question, &estimate), cards, parts, ..Answer::default() })
}

/// The roofline and the operators: two thirds of the bytes of an answer's beginning, which need not wait for them.
fn rates(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let roofline = |question: &Scenario| {
        let device = question.machine()?.device;
        let peak = device.rate(question.recipe.precision);
        Ok(Roofline { rows: question.training()?.operators, peak, dram: device.dram })
    };
    let own = roofline(&asked.scenario)?;
    let figure = figure::roofline(&own, &asked.pinned(roofline), asked.size);
    let finding = "One microbatch on one GPU of one pipeline stage";
    let table = operators::part("operators", finding, &own.rows, operators::Detail::Times);
    Ok(vec![figure.into(), table.into()])
}

/// HFU, and causal MFU on sequences so long that counting the whole square of attention matters.
fn utilisation(estimate: &TrainingEstimate) -> String {
    const MATTERS: f64 = 0.9;
    let (causal, hfu) = (Amount::percent(estimate.mfu_causal), Amount::percent(estimate.hfu));
    if estimate.mfu_causal < MATTERS * estimate.mfu {
        format!("causal {causal}, HFU {hfu}")
    } else {
        format!("HFU {hfu}")
    }
}

fn numbers(question: &Scenario, estimate: &TrainingEstimate) -> Vec<Card> {
    let budget = format::tokens(question.recipe.tokens);
    // The answer's sentence and the costs have this time.
    let (whole, _) = time_and_cost(question, estimate.run);
    let failures = if whole > estimate.run {
        format!("; {} without failures", Amount::time(estimate.run))
    } else {
        String::new()
    };
    let mut all = vec![
        cards::time(
            ("step", "Step time"),
            estimate.step,
            format!(
                "{} × {}",
                estimate.data_parallel,
                format::counted(estimate.microbatches, "microbatches")
            ),
            question,
            (Quantity::IterTime, Topic::Step),
        ),
        Card::new("mfu", "MFU", Amount::percent(estimate.mfu)).noted(utilisation(estimate)),
        cards::with_inverse_range(
            Card::new("tokens", "Tokens per second", Amount::rate(estimate.tokens_per_second))
                .noted(format!("{} per GPU", Amount::new(estimate.tokens_per_second_per_gpu, Unit::Rate))),
            estimate.step,
            question,
            (Quantity::IterTime, Topic::Step),
        ),
        cards::time(
            ("days", &format!("Time to {budget}")),
            whole,
            format!(
                "{}{failures}",
                format::counted(libm::round(estimate.run / estimate.step) as u32, "steps")
            ),
            question,
            (Quantity::IterTime, Topic::Step),
        ),
        cards::trained_memory(estimate, question),
    ];
    for card in &mut all {
        card.equation = equations::training(&card.id, question, estimate);
    }
    all
}

/// Timelines of a step over the pipeline, of time and of memory; empty if the plan has no schedule to draw.
fn timelines(question: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let (question, size) = (&question.scenario, question.size);
    question.with_training(|job| {
        let Some(timeline) = job.timeline() else { return Vec::new() };
        let occupancy = job.occupancy(&timeline);
        vec![figure::timeline(&timeline, size).into(), figure::memory_timeline(&occupancy, size).into()]
    })
}

/// Sensitivities of the step time to hardware numbers and to degrees of the plan; empty under assumption sets whose equations
/// lack them.
fn sensitivity(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    if question.assumptions == AssumptionSet::Subramanian2024 {
        return Ok(Vec::new());
    }
    let varied = |question: &Scenario| {
        let found = question.with_training(|job| sensitivities(job, CHANGE))?;
        Ok((question.training()?.step, found))
    };
    let (own, pinned) = (varied(question)?, asked.pinned(varied));
    let opened = |sensitivity: &Sensitivity| opened::ends(question, sensitivity, CHANGE);
    let tornado = Part::from(figure::tornado(&own, &pinned, CHANGE, &opened, size));
    let degrees = degrees::part(question, own.0).map(Part::from);
    Ok([tornado].into_iter().chain(degrees).collect())
}

fn costs_and_bound(question: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let question = &question.scenario;
    let estimate = question.training()?;
    Ok(vec![
        costs::part(question, &estimate)?.into(),
        bound::part(question, &estimate)?.into(),
        launch::part(question).into(),
    ])
}
