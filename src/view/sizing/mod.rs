//! The Sizing view: fleets (device, deployment, number of replicas) that serve a given load, and their cost; or
//! devices, numbers of GPUs and plans that train a model before a deadline ([`training`]).

mod cards;
mod confidence;
mod entry;
mod lead;
mod offers;
mod rank;
mod rows;
mod tables;
mod training;

use super::{Answer, News, Question, Work, Working};
use crate::figure::{self, Against};
use crate::scenario::{Problem, Scenario};
use crate::sizing::{Search, Share, SizingJob};
use rows::{Rows, SIMULATED};

pub(super) use entry::ENTRY;

/// Work per step of the search, in units of [`Search::advance`]; a few milliseconds.
const SLICE: u32 = 240;

/// Engine steps per step of the simulation; a few milliseconds.
const STEPS: u32 = 16_384;

/// Fleets simulated between two partial answers.
const SHOWN_SIMULATED: u32 = 10;

/// Steps of the search, one or two for each device, between two partial answers.
const SHOWN: u32 = 50;

/// A question, whether the trace that it names is at hand, and its search.
type Last = (Scenario, bool, Search);

/// State of the view: the last question and its search, which is continued when the same question is asked again.
#[derive(Debug, Default)]
pub(crate) struct Sizing {
    last: Option<Last>,
    /// Results of the last step.
    shares: Vec<Share>,
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

    fn help(&mut self, question: &Question) -> bool {
        question.scenario.is_shared()
            && self
                .advance_search(question)
                .is_ok_and(|search| search.simulations().is_none_or(|(done, all)| done < all))
    }

    fn shares(&mut self) -> Vec<Share> {
        std::mem::take(&mut self.shares)
    }

    fn take(&mut self, question: &Question, share: Share) {
        if let Ok(search) = search_of(&mut self.last, question) {
            search.take(share);
        }
    }
}

impl Sizing {
    /// Advances the search by one step or, once every device is done, the simulations.
    fn advance_search(&mut self, question: &Question) -> Result<&Search, Vec<Problem>> {
        let choice = question.scenario.sizing;
        let search = search_of(&mut self.last, question)?;
        let found = if !search.is_done() {
            search.advance(SLICE)
        } else if search.simulations().is_some() {
            search.advance_simulations(STEPS).into_iter().collect()
        } else {
            let best = Rows::of(&question.scenario, search).best_places(SIMULATED);
            search.simulate(best.into_iter(), choice.percentile, choice.lengths, question.replay.clone());
            Vec::new()
        };
        self.shares.extend(found);
        Ok(search)
    }

    /// One step towards the answer. A partial answer is shown once there is a fleet, after every [`SHOWN`] devices, before the
    /// first simulation, and after every [`SHOWN_SIMULATED`] fleets.
    fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let search = self.advance_search(question)?;
        let whole = |search: &Search| News::Whole(answer(question, search));
        let (searched, devices) = search.progress();
        // The simulations count from the start, so that progress never goes back.
        let (done, all) = search.simulations().unwrap_or((0, SIMULATED));
        if search.is_done() && done >= all {
            return Ok(Work::Done(whole(search)));
        }
        let (now, of) = ((searched + done) as u32, (devices + all) as u32);
        let every = if search.simulations().is_some() { SHOWN_SIMULATED } else { SHOWN };
        let due = match question.shown {
            None => now > 0 && !search.fleets().is_empty(),
            Some(shown) => now >= shown + every || (search.simulations() == Some((0, all)) && now > shown),
        };
        Ok(if due { Work::Partial(now, of, whole(search)) } else { Work::Progress(now, of) })
    }
}

/// The search of a question: the last one if its question is the same, otherwise a new one.
fn search_of<'a>(last: &'a mut Option<Last>, question: &Question) -> Result<&'a mut Search, Vec<Problem>> {
    // A question has the checksum of its trace.
    let (scenario, replays) = (&question.scenario, question.replay.is_some());
    let known = last.take_if(|(known, replayed, _)| known == scenario && *replayed == replays);
    let continued = match known {
        Some(known) => known,
        None => (scenario.clone(), replays, scenario.sizing()?.shared(question.searcher)),
    };
    Ok(&mut last.insert(continued).2)
}

/// The answer for the devices searched so far.
fn answer(question: &Question, search: &Search) -> Answer {
    let rows = Rows::of(&question.scenario, search);
    let (points, measure) = rows.points();
    let beside = question.searched(Against::Speed.id());
    let parts = vec![
        tables::fleets(&rows).into(),
        figure::fleet_costs(&points, beside, (Against::Speed, measure), question.size).into(),
        tables::missed(&rows).into(),
    ];
    let (lead, offers) = (lead::lead(&rows), offers::offers(&rows));
    Answer { lead, offers, cards: cards::cards(&rows), parts, ..Answer::default() }
}
