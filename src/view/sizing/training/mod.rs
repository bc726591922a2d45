//! The Sizing view of a training run: devices, numbers of GPUs and plans that meet the deadline, and their cost.

mod cards;
mod lead;
mod offers;
mod rows;
mod tables;

use crate::figure::{self, Against};
use crate::scenario::{Problem, Scenario};
use crate::sizing::training::Search;
use crate::view::{Answer, News, Question, Work};
use rows::Rows;

/// Number of plans tried in one step, which takes a few milliseconds.
const SLICE: u32 = 5_000;

/// Number of devices searched between two partial answers.
const SHOWN: u32 = 20;

/// The last question and its search, which is continued when the same question is asked again.
#[derive(Debug, Default)]
pub(super) struct Runs {
    last: Option<(Scenario, Search)>,
}

impl Runs {
    /// Advances the search by one step.
    pub(super) fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let scenario = &question.scenario;
        let search = match &mut self.last {
            Some((known, search)) if known == scenario => search,
            last => &mut last.insert((scenario.clone(), scenario.sized_runs()?)).1,
        };
        search.advance(SLICE);
        let (done, of) = (search.done() as u32, search.candidates().len() as u32);
        let whole = |search: &Search| News::Whole(answer(question, search));
        if search.is_done() {
            return Ok(Work::Done(whole(search)));
        }
        let due = question.shown.is_none_or(|shown| done / SHOWN > shown / SHOWN);
        let news = due && !search.runs().is_empty() && done > 0;
        Ok(if news { Work::Partial(done, of, whole(search)) } else { Work::Progress(done, of) })
    }
}

/// The answer for the devices searched so far.
fn answer(question: &Question, search: &Search) -> Answer {
    let rows = Rows::of(&question.scenario, search);
    let (points, measure) = rows.points();
    let beside = question.searched(Against::Days.id());
    let parts = vec![
        tables::runs(&rows).into(),
        figure::fleet_costs(&points, beside, (Against::Days, measure), question.size).into(),
        tables::missed(&rows).into(),
    ];
    Answer {
        lead: lead::lead(&rows),
        offers: offers::offers(&rows),
        cards: cards::cards(&rows),
        parts,
        ..Answer::default()
    }
}
