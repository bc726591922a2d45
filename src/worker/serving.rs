//! The Inference view: first the answer, then what else there is: other devices and other deployments.

use super::desk::Work;
use crate::answer;
use crate::catalog;
use crate::figure::Size;
use crate::scenario::answers::GENERATIONS;
use crate::scenario::{Problem, Scenario};
use crate::search::serving::Search;
use crate::search::tradeoff::Offers;

/// Deployments that are tried in one step: some milliseconds.
const SLICE: usize = 8;

/// What has been found out about the last question.
#[derive(Debug, Default)]
pub(super) struct Servings {
    last: Option<(Scenario, Known)>,
}

#[derive(Debug)]
struct Known {
    offers: Vec<Offers>,
    search: Search,
}

impl Servings {
    /// One step towards the answer; `shown` is whether the page has it without the rest.
    pub(super) fn work(&mut self, scenario: &Scenario, size: Size, shown: Option<u32>) -> Work {
        self.step(scenario, size, shown).unwrap_or_else(Work::Refused)
    }

    fn step(&mut self, scenario: &Scenario, size: Size, shown: Option<u32>) -> Result<Work, Vec<Problem>> {
        let known = match &mut self.last {
            Some((last, known)) if last == scenario => known,
            _ => {
                let search = Search::new(scenario.deployments()?);
                let known = Known { offers: Vec::new(), search };
                &mut self.last.insert((scenario.clone(), known)).1
            }
        };
        let parts = GENERATIONS.len() + known.search.size();
        let done = known.offers.len() + known.search.tally().tried;
        if done < parts && shown.is_none() {
            let answer = answer::inference(scenario, size)?;
            return Ok(Work::Partial(done as u32, parts as u32, answer));
        }
        if let Some(device) = GENERATIONS.get(known.offers.len()).and_then(|id| catalog::accelerator(id)) {
            let offers = known.search.question().offers(device, scenario.assumptions);
            known.offers.push(offers);
        } else {
            known.search.advance(SLICE);
        }
        if known.search.done() {
            let others = Some((&known.offers[..], &known.search));
            return Ok(Work::Done(answer::inference_among(scenario, others, size)?));
        }
        Ok(Work::Progress(done as u32, parts as u32))
    }
}
