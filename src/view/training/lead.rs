//! Lead sentence of a training answer, and alternative plans: better ones, or ones that fit if the asked one does not.

use super::leaner::leaner;
use super::nearest::nearest;
use super::runs::{plan_link, plan_time_and_cost, time_and_cost, with_plan};
use crate::estimate::Footprint;
use crate::figure;
use crate::scenario::{Problem, Scenario, View};
use crate::search::Search;
use crate::training::{Framework, TrainingEstimate, TrainingRecipe};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::Quantity;
use crate::view::{Answer, Link, Notice, Part, Question, cards, measured, profiled};

/// Plans whose times differ by less are shown as equal.
const EQUAL: f64 = 0.005;

/// Time and money of the whole run with the range of measured runs, and the plan.
pub(super) fn lead(question: &Scenario, estimate: &TrainingEstimate) -> String {
    let (time, usd) = time_and_cost(question, estimate.run);
    let time = cards::spoken(time, question, Quantity::IterTime);
    let budget = format::tokens(question.recipe.tokens);
    let model = question.architecture().map_or("the model", |model| &model.name);
    let what = if question.recipe.frozen { "adapters of " } else { "" };
    let memory = &estimate.memory;
    let tight = if memory.fits() {
        String::new()
    } else {
        let [typical, capacity] = [memory.total(), memory.capacity].map(Amount::memory);
        format!("; may run out of memory: runs typically peak at {typical} of {capacity} per GPU")
    };
    format!(
        "{time}{usd} to train {what}{model} on {budget} with {}: {}{tight}",
        machines(question, question.system.gpus),
        question.parallelism.named(estimate.data_parallel)
    )
}

/// `64 × H100 SXM`.
fn machines(question: &Scenario, gpus: u32) -> String {
    let device = question.system.accelerator().map_or_else(|_| "GPUs".to_owned(), |device| device.name);
    format!("{} × {device}", Amount::count(gpus))
}

/// The answer to a valid job that does not fit: the memory by class. Offers list alternatives that fit.
pub(super) fn unfit(asked: &Question, problems: Vec<Problem>) -> Result<Answer, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    let Ok(estimate) = question.trained() else { return Err(problems) };
    let memory = estimate.memory;
    if memory.fits() {
        return Err(problems);
    }
    let (card, beside) = measured::training(question, &estimate);
    let mut parts: Vec<Part> = vec![figure::memory(&memory, &[], size).into()];
    parts.extend(measured::although_too_large(question).map(Part::Notice));
    parts.extend(beside);
    parts.extend(profiled::training(question, &estimate, size));
    parts.extend(measured::stage(asked).unwrap_or_default());
    let alone = estimate.bare_memory.map_or_else(String::new, |bare| {
        format!(", of which its tensors alone take {}", Amount::memory(bare))
    });
    Ok(Answer {
        lead: cards::too_large(&memory, &machines(question, question.system.gpus)) + &alone,
        problems,
        cards: card.into_iter().chain([cards::memory(&memory)]).collect(),
        parts,
        ..Answer::default()
    })
}

/// Notice of a job whose tensors fit into memory, but not with the overheads of typical software. It links to measured software
/// with which the job fits. `None` if the job fits with typical software too.
pub(super) fn tight(question: &Scenario, estimate: &TrainingEstimate) -> Option<Notice> {
    let memory = &estimate.memory;
    let bare = estimate.bare_memory.filter(|_| !memory.fits())?;
    let [typical, bare, capacity] = [memory.total(), bare, memory.capacity].map(Amount::memory);
    let measured = Framework::MEASURED.into_iter().filter(|framework| framework.overheads().has_memory());
    let links = measured.filter_map(|framework| {
        let recipe = TrainingRecipe { framework, ..question.recipe };
        let there = Scenario { recipe, ..question.clone() };
        let memory = there.trained().ok().map(|estimate| estimate.memory).filter(Footprint::fits)?;
        let text = format!("{}: {}", framework.name(), Amount::memory(memory.total()));
        Some(Link::to(text, &there))
    });
    let links: Vec<Link> = links.collect();
    let with = if links.is_empty() { "with no software that was measured" } else { "with this software:" };
    let text = format!(
        "It may not fit: the tensors need {bare} of {capacity} per GPU, and {typical} with the copies and fragmentation of \
         typical software. It fits {with}"
    );
    Some(Notice::new("tight-memory", text, links))
}

/// Alternatives that a finished search offers; `asked` is the step time of the question's own plan if it fits.
pub(super) fn offers(question: &Scenario, asked: Option<Seconds>, search: &Search) -> Vec<Notice> {
    let outcome = search.asked();
    let Some(best) = outcome.best() else {
        let fits = if asked.is_some() { "fits with typical software" } else { "fits" };
        let near = |found| nearest(question, (outcome.gpus, fits), (search.question(), found));
        return search.nearest().map(near).into_iter().chain(leaner(question)).collect();
    };
    let plans = format!("{} plans that fit", Amount::new(outcome.feasible as f64, Unit::Count));
    let text = match asked.map(|step| step / best.step) {
        None => {
            format!("{} fits, the fastest of {plans}: {}", best.name(), plan_time_and_cost(question, best))
        }
        Some(ratio) if ratio < 1.0 + EQUAL => format!("None of {plans} is faster"),
        Some(ratio) => {
            let near = cards::reach(question, Quantity::IterTime).is_some_and(|(low, _)| ratio * low < 1.0);
            let near = if near { ", within the prediction's uncertainty" } else { "" };
            let ratio = Amount::times(ratio);
            format!(
                "The fastest of {plans} takes {}: {}, {ratio} as fast{near}",
                plan_time_and_cost(question, best),
                best.name()
            )
        }
    };
    let faster = asked.is_none_or(|step| step / best.step >= 1.0 + EQUAL);
    let there = with_plan(question, best);
    let tight = faster && there.training().is_ok_and(|estimate| cards::may_not_fit(&estimate.memory, &there));
    let tight = if tight { "; it may not fit, by its memory's range" } else { "" };
    let text = format!("{text}{tight}");
    let mut links = Vec::new();
    if faster {
        links.push(plan_link(question, best, "Use this plan".to_owned()));
    }
    let all = Scenario { view: View::Search, ..question.clone() };
    links.push(Link::to("Compare plans", &all));
    vec![Notice::new("best-plan", text, links)]
}
