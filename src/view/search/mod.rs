//! The Search view: the best plans of a job, and features of systems at their best plans.

mod entry;
mod features;
pub(super) mod links;
mod plans;
mod results;
mod strategies;
mod sweeps;
mod tables;

use super::{Answer, Link, News, Notice, Question, Work, Working};
use crate::scenario::{Problem, Scenario};
use crate::search::{PaperSearch, Search, Subject};
use crate::system::AssumptionSet;
use features::Features;
use plans::Plans;
use sweeps::Sweeps;

pub(super) use entry::ENTRY;

/// Plans that are tried in one step: some milliseconds.
const SLICE: u32 = 10_000;
/// Plans per step under the equations of arXiv 2410.00273, which take a tenth of the time per plan.
const PUBLISHED_SLICE: u64 = 100_000;
/// Steps that progress is counted in.
const STEPS: u32 = 1000;
/// Steps between two partial answers.
const SHOWN: u32 = 100;

/// State of the view: the last search, which continues when its question returns, and the features, which do not depend
/// on the question.
#[derive(Debug, Default)]
pub(crate) struct Searching {
    last: Option<(Scenario, Search)>,
    /// The last question under the equations of arXiv 2410.00273, and its search.
    published: Option<(Scenario, PaperSearch)>,
    features: Features,
    /// The features of the last question's own system.
    sweeps: Option<Sweeps>,
}

impl Working for Searching {
    fn step(&mut self, question: &Question) -> Work {
        match question.scenario.search.of {
            Subject::Features => self.features(question),
            Subject::Plans if question.scenario.assumptions == AssumptionSet::Subramanian2024 => {
                self.published(question).unwrap_or_else(|problems| outside(&question.scenario, problems))
            }
            Subject::Plans => self.plans(question).unwrap_or_else(Work::Refused),
        }
    }
}

impl Searching {
    fn plans(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let scenario = &question.scenario;
        let search = match &mut self.last {
            Some((known, search)) if known == scenario => search,
            last => &mut last.insert((scenario.clone(), scenario.search()?)).1,
        };
        search.advance(SLICE);
        let search = &*search;
        let plans = Plans {
            scenario,
            question: search.question(),
            outcomes: search.outcomes(),
            nearest: search.nearest(),
        };
        let progress = (!search.done()).then(|| search.progress());
        shown(question, progress, &plans, || {
            let tried = [tables::stopped(&plans).into(), tables::axes(&plans).into()];
            plans.answer(tried, question)
        })
    }

    /// Under the assumptions of arXiv 2410.00273 the features of the question's own system, if the paper has equations
    /// for its job; else those that the authors show.
    fn features(&mut self, question: &Question) -> Work {
        let scenario = &question.scenario;
        if scenario.assumptions != AssumptionSet::Subramanian2024 {
            return self.features.step(question);
        }
        match &mut self.sweeps {
            Some(sweeps) if sweeps.of(scenario) => sweeps.step(question),
            sweeps => match scenario.published_job() {
                Ok((base, job)) => sweeps.insert(Sweeps::new(scenario, base, &job)).step(question),
                Err(_) => self.features.step(question),
            },
        }
    }

    fn published(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let scenario = &question.scenario;
        let search = match &mut self.published {
            Some((known, search)) if known == scenario => search,
            last => &mut last.insert((scenario.clone(), scenario.published_search()?)).1,
        };
        search.advance(PUBLISHED_SLICE);
        let search = &*search;
        let plans =
            Plans { scenario, question: search.question(), outcomes: search.outcomes(), nearest: None };
        let progress = (!search.done()).then(|| search.progress());
        shown(question, progress, &plans, || {
            plans.answer([strategies::table(&plans, search.searched()).into()], question)
        })
    }
}

/// Answer for a job outside the equations of arXiv 2410.00273: the problems, and a link to the paper's recipe if that solves
/// them.
fn outside(scenario: &Scenario, problems: Vec<Problem>) -> Work {
    let paper = scenario.as_subramanian_trains();
    if paper.published_search().is_err() {
        return Work::Refused(problems);
    }
    let offer = Link::to("This model as the paper trains it", &paper);
    let offer = Notice::new("as-in-paper", "", vec![offer]);
    Work::Done(News::Whole(Answer {
        lead: "arXiv 2410.00273 has no equations for this job".to_owned(),
        problems,
        parts: vec![offer.into()],
        ..Answer::default()
    }))
}

/// News of a search step: the progress or the end, and from time to time the results so far.
fn shown(
    question: &Question,
    progress: Option<f64>,
    plans: &Plans<'_>,
    answer: impl FnOnce() -> Result<Answer, Vec<Problem>>,
) -> Result<Work, Vec<Problem>> {
    let Some(progress) = progress else { return Ok(Work::Done(News::Whole(answer()?))) };
    let done = (progress * f64::from(STEPS)) as u32;
    let due = question.shown.is_none_or(|shown| done / SHOWN > shown / SHOWN);
    if due && plans.asked().best().is_some() {
        return Ok(Work::Partial(done, STEPS, News::Whole(answer()?)));
    }
    Ok(Work::Progress(done, STEPS))
}
