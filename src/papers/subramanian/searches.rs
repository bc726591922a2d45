//! A list of the authors' searches, one after the other.

use crate::published::subramanian::{Best, Explorer, Method, Plan, Run, Setup, Space};

/// One search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) run: Run,
    pub(super) method: Method,
    pub(super) setup: Setup,
    pub(super) gpus: u32,
}

/// Searches at work. Neighbours of one model and one device share layers.
#[derive(Debug)]
pub(super) struct Searches {
    asked: Vec<Asked>,
    found: Vec<Best>,
    explorer: Option<(Run, Setup, Explorer)>,
}

impl Searches {
    /// Nothing is searched yet.
    pub(super) const fn new(asked: Vec<Asked>) -> Self {
        Self { asked, found: Vec::new(), explorer: None }
    }

    /// Searches that are done, and searches in all.
    pub(super) fn progress(&self) -> (u32, u32) {
        (self.found.len() as u32, self.asked.len() as u32)
    }

    /// Does the next search.
    pub(super) fn advance(&mut self) {
        let Some(asked) = self.asked.get(self.found.len()) else { return };
        let Asked { run, method, setup, gpus } = *asked;
        let fits = |(known, on, _): &(Run, Setup, Explorer)| *known == run && on.device == setup.device;
        if !self.explorer.as_ref().is_some_and(fits) {
            self.explorer = Some((run, setup, Explorer::new(setup.machine(), run.model)));
        }
        if let Some((_, _, explorer)) = &mut self.explorer {
            explorer.set_domain(setup.domain);
            self.found.push(explorer.best(&Space::of(method, gpus, Run::BATCH)));
        }
    }

    /// The best plan of a search, with its step, if one fits.
    pub(super) fn best(&self, asked: &Asked) -> Option<(Plan, crate::published::subramanian::Step)> {
        let place = self.asked.iter().position(|known| known == asked)?;
        self.found.get(place)?.fastest
    }

    /// Days on the best plan.
    pub(super) fn days(&self, asked: &Asked) -> Option<f64> {
        self.best(asked).map(|(_, step)| asked.run.days(step.time))
    }
}
