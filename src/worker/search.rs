//! The Search view: the best plans of a job, and features of systems at their best plans.

mod answer;
mod features;
mod tables;

use super::desk::Work;
use crate::figure::Size;
use crate::scenario::{Problem, Scenario};
use crate::search::{Scope, Search, Subject};
use answer::Answer;
use features::Features;

/// Plans that are tried in one step: some milliseconds.
const SLICE: u32 = 10_000;
/// What progress is counted in.
const PARTS: u32 = 1000;
/// What is known is shown at once, and then each time that so many parts more are done.
const SHOWN: u32 = 100;

/// The last search, which goes on where its question is asked again, and what does not depend on questions.
#[derive(Debug, Default)]
pub(super) struct Searches {
    last: Option<(Scenario, Search)>,
    features: Features,
}

impl Searches {
    /// One step towards the answer, of which something was `shown` when so many parts were done.
    pub(super) fn work(&mut self, scenario: &Scenario, size: Size, shown: Option<u32>) -> Work {
        match scenario.search.of {
            Subject::Features => self.features.work(scenario, size),
            Subject::Plans => self.plans(scenario, size, shown).unwrap_or_else(Work::Refused),
        }
    }

    fn plans(&mut self, scenario: &Scenario, size: Size, shown: Option<u32>) -> Result<Work, Vec<Problem>> {
        let search = match &mut self.last {
            Some((known, search)) if known == scenario => search,
            _ => &mut self.last.insert((scenario.clone(), scenario.search()?)).1,
        };
        search.advance(SLICE);
        let search = &*search;
        let answer = Answer { scenario, search };
        if search.done() {
            return Ok(Work::Done(answer.all(size)?));
        }
        let done = (search.progress() * f64::from(PARTS)) as u32;
        let due = shown.is_none_or(|shown| done / SHOWN > shown / SHOWN);
        if due && search.asked().best().is_some() {
            return Ok(Work::Partial(done, PARTS, answer.all(size)?));
        }
        Ok(Work::Progress(done, PARTS))
    }
}

/// A link to the same search with another scope.
fn fragment(scenario: &Scenario, search: Scope) -> String {
    crate::scenario::link::encode(&Scenario { search, ..scenario.clone() })
}
