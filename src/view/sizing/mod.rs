//! The Sizing view: fleets (device, deployment, number of replicas) that serve a given load, and their cost; or
//! devices, numbers of GPUs and plans that train a model before a deadline ([`training`]).

mod cards;
mod confidence;
mod lead;
mod rank;
mod rows;
mod tables;
mod training;

use std::sync::Arc;

use super::{Answer, News, Question, Work, Working};
use crate::figure::{self, Against, Size};
use crate::scenario::{Problem, Scenario};
use crate::serving::simulation::Replay;
use crate::sizing::{Search, SizingJob};
use rows::Rows;

/// Work per step of the search, in units of [`Search::advance`]; a few milliseconds.
const SLICE: u32 = 240;

/// Number of best fleets whose percentiles are simulated.
const SIMULATED: usize = 50;

/// Engine steps per step of the simulation; a few milliseconds.
const STEPS: u32 = 16_384;

/// Fleets simulated between two partial answers.
const SHOWN_SIMULATED: u32 = 10;

/// Steps of the search, one or two for each device, between two partial answers.
const SHOWN: u32 = 50;

/// A question with the trace that it replays, if it is at hand, and its search.
type Last = (Scenario, Option<Arc<Replay>>, Search);

/// State of the view: the last question and its search, which is continued when the same question is asked again.
#[derive(Debug, Default)]
pub(crate) struct Sizing {
    last: Option<Last>,
    runs: training::Runs,
}

impl Working for Sizing {
    fn step(&mut self, question: &Question) -> Work {
        match question.scenario.sizing.job {
            SizingJob::Serve => self.advance(question),
            SizingJob::Train => self.runs.advance(question),
        }
        .unwrap_or_else(Work::Refused)
    }
}

impl Sizing {
    /// Advances the search by one step or, once every device is done, the simulations.
    fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let (scenario, replay) = (&question.scenario, &question.replay);
        let search = match &mut self.last {
            Some((known, replayed, search)) if known == scenario && replayed == replay => search,
            last => &mut last.insert((scenario.clone(), replay.clone(), scenario.sizing()?)).2,
        };
        search.advance(SLICE);
        let (done, of) = search.progress();
        // The simulations that follow count from the start, so that progress never goes back.
        let (done, of) = (done as u32, (of + SIMULATED) as u32);
        if search.is_done() {
            return Ok(simulated(question, search, done));
        }
        let due = question.shown.is_none_or(|shown| done / SHOWN > shown / SHOWN);
        if due && !search.fleets().is_empty() && done > 0 {
            let answer = answer(scenario, search, question.size);
            return Ok(Work::Partial(done, of, News::Whole(answer)));
        }
        Ok(Work::Progress(done, of))
    }
}

/// Simulates percentiles of the best fleets. A partial answer is shown before the first simulation and after every
/// [`SHOWN_SIMULATED`] fleets.
fn simulated(question: &Question, search: &mut Search, searched: u32) -> Work {
    let scenario = &question.scenario;
    let whole = |search: &Search| News::Whole(answer(scenario, search, question.size));
    let choice = scenario.sizing;
    let Some((done, all)) = search.simulations() else {
        let best: Vec<usize> = Rows::of(scenario, search).best_places(SIMULATED);
        search.simulate(best.into_iter(), choice.percentile, choice.lengths, question.replay.clone());
        return Work::Partial(searched, searched + SIMULATED as u32, whole(search));
    };
    if done >= all {
        return Work::Done(whole(search));
    }
    search.advance_simulations(STEPS);
    let (now, of) = (searched + done as u32, searched + all as u32);
    let due = question.shown.is_none_or(|shown| now >= shown + SHOWN_SIMULATED);
    if due { Work::Partial(now, of, whole(search)) } else { Work::Progress(now, of) }
}

/// The answer for the devices searched so far.
fn answer(scenario: &Scenario, search: &Search, size: Size) -> Answer {
    let rows = Rows::of(scenario, search);
    let (points, measure) = rows.points();
    let parts = vec![
        tables::fleets(&rows).into(),
        figure::fleet_costs(&points, Against::Speed, measure, size).into(),
        tables::missed(&rows).into(),
    ];
    let (lead, offers) = (lead::lead(&rows), lead::offers(&rows));
    Answer { lead, offers, cards: cards::cards(&rows), parts, ..Answer::default() }
}
