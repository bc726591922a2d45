//! Numbers of GPUs on which the machines of the headline train the job: the first one and the B200. They are offered where no
//! plan fits on one of these.

use crate::generations::Generation;
use crate::scenario::{Choice, Scenario, SystemChoice, View};
use crate::search::{Found, Search};
use crate::units::{Amount, Unit};
use crate::view::{Link, Notice};

/// The device whose speed-up always has a card.
pub(super) const SUBJECT: &str = "b200";

/// Plans that are tried in one step: some milliseconds.
const SLICE: u32 = 10_000;

/// The search for those numbers on the machine on which no plan fits.
#[derive(Debug)]
pub(super) struct Fitting {
    machine: String,
    search: Search,
}

/// The first machine, or else the subject, if no plan fits on it.
pub(super) fn unfit(generations: &[Generation]) -> Option<&Generation> {
    let subject = generations.iter().find(|generation| generation.accelerator == SUBJECT);
    generations.first().into_iter().chain(subject).find(|generation| generation.best.is_none())
}

impl Fitting {
    /// `None` if both machines train the job, or if plans of it cannot be searched for.
    pub(super) fn of(question: &Scenario, generations: &[Generation]) -> Option<Self> {
        let machine = unfit(generations)?;
        let system = SystemChoice {
            accelerator: Choice::Named(machine.accelerator.clone()),
            gpus: question.system.gpus,
            ..SystemChoice::default()
        };
        let mut there = Scenario { view: View::Training, system, ..question.clone() };
        there.constants.clear();
        Some(Self { machine: machine.name.clone(), search: there.fastest().ok()? })
    }

    /// Goes on with the search. Once it is done, returns the offer, if any.
    pub(super) fn advance(&mut self, question: &Scenario) -> Option<Vec<Notice>> {
        self.search.advance(SLICE);
        if !self.search.done() {
            return None;
        }
        let near = self.search.nearest();
        let found = near.into_iter().flat_map(|near| [near.below(), near.above()]).flatten();
        let links: Vec<Link> = found.filter_map(|found| with(question, found)).collect();
        let text = format!("Numbers of GPUs for which a plan fits on {}:", self.machine);
        Some(if links.is_empty() { Vec::new() } else { vec![Notice::new("fits", text, links)] })
    }
}

/// The question with a plan that was found, if the first machine and the subject train it.
fn with(question: &Scenario, found: &Found) -> Option<Link> {
    let mut there = Scenario { parallelism: found.plan, ..question.clone() };
    there.system.gpus = found.gpus;
    let machines = there.machines().ok()?.generations();
    let text = Amount::new(f64::from(found.gpus), Unit::Gpus).to_string();
    unfit(&machines).is_none().then(|| Link::to(text, &there).hinted(found.name()))
}
