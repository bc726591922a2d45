//! The Search view: the best plans of a job, and features of systems at their best plans.

mod features;
mod plans;
mod tables;

use super::{News, Question, Work, Working};
use crate::scenario::{Problem, Scenario, link};
use crate::search::{Scope, Search, Subject};
use features::Features;
use plans::Plans;

/// Plans that are tried in one step: some milliseconds.
const SLICE: u32 = 10_000;
/// Steps that progress is counted in.
const STEPS: u32 = 1000;
/// Steps between two partial answers.
const SHOWN: u32 = 100;

/// The view at work: the last search, which goes on where its question returns, and the features, which no question
/// changes.
#[derive(Debug, Default)]
pub(crate) struct Searching {
    last: Option<(Scenario, Search)>,
    features: Features,
}

impl Working for Searching {
    fn step(&mut self, question: &Question) -> Work {
        match question.scenario.search.of {
            Subject::Features => self.features.step(question),
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
        let plans = Plans { scenario, search };
        if search.done() {
            return Ok(Work::Done(News::Whole(plans.answer(question.size)?)));
        }
        let done = (search.progress() * f64::from(STEPS)) as u32;
        let due = question.shown.is_none_or(|shown| done / SHOWN > shown / SHOWN);
        if due && search.asked().best().is_some() {
            return Ok(Work::Partial(done, STEPS, News::Whole(plans.answer(question.size)?)));
        }
        Ok(Work::Progress(done, STEPS))
    }
}

/// A link to the same search with another scope.
fn elsewhere(scenario: &Scenario, search: Scope) -> String {
    link::encode(&Scenario { search, ..scenario.clone() })
}
