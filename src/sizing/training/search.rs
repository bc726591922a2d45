//! The search over devices and numbers of GPUs.

use super::walk::{Tried, Walk};
use super::{Candidate, Miss, Run};
use crate::search::{self, Found};
use crate::units::Seconds;

/// A search for the number of GPUs of each device that meets the deadline of a training run, in steps of bounded work.
#[derive(Clone, Debug)]
pub struct Search {
    candidates: Vec<Candidate>,
    deadline: Seconds,
    /// Index of the candidate in progress.
    at: usize,
    /// Numbers of GPUs tried on the candidate in progress.
    walk: Walk,
    /// Search for the fastest plan on the number of GPUs in progress: over the degrees first, then around the fastest.
    plans: Option<search::Search>,
    /// The plan around which the search goes on.
    around: Option<Found>,
    /// Numbers of GPUs tried on all devices.
    tried: u32,
    runs: Vec<Run>,
    misses: Vec<Miss>,
}

impl Search {
    /// A search that has not begun.
    pub fn new(candidates: Vec<Candidate>, deadline: Seconds) -> Self {
        let (runs, misses) = (Vec::new(), Vec::new());
        let walk = Walk::default();
        Self { candidates, deadline, at: 0, walk, plans: None, around: None, tried: 0, runs, misses }
    }

    /// The devices, in the order of the search.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Runs, device by device, in ascending order of GPUs. Each run is faster than those of its device on fewer GPUs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Devices without a run, with the reasons.
    pub fn misses(&self) -> &[Miss] {
        &self.misses
    }

    /// Numbers of GPUs tried on all devices.
    pub const fn tried(&self) -> u32 {
        self.tried
    }

    /// Number of devices that are done.
    pub const fn done(&self) -> usize {
        self.at
    }

    /// Returns true if every device is done.
    pub const fn is_done(&self) -> bool {
        self.at >= self.candidates.len()
    }

    /// Tries up to `plans` further plans. A group of plans that is skipped as a whole counts as one, and so does the
    /// completion of a device.
    pub fn advance(&mut self, plans: u32) {
        let mut left = plans;
        while left > 0
            && let Some(candidate) = self.candidates.get(self.at)
        {
            if let Some(plans) = &mut self.plans {
                left = plans.advance_asked(left);
                if !plans.is_asked_done() {
                    continue;
                }
                let outcome = plans.asked();
                let best = outcome.best().copied();
                let around = best.filter(|_| self.around.is_none()).and_then(|best| candidate.around(&best));
                if let Some(around) = around {
                    self.around = best;
                    self.plans = Some(search::Search::fastest(around, outcome.gpus));
                    continue;
                }
                let found = best.or(self.around.take());
                let tried = match found {
                    Some(found) => Tried::Run(Box::new(candidate.run(self.at, found))),
                    None => Tried::without_plan(outcome),
                };
                self.walk.record(outcome.gpus, tried);
                self.tried += 1;
                (self.plans, self.around) = (None, None);
            } else if let Some(gpus) = self.walk.next(candidate, self.deadline) {
                self.plans = Some(search::Search::fastest(candidate.problem.clone(), gpus));
            } else {
                let mut runs = self.walk.runs(self.deadline);
                if runs.is_empty() {
                    self.misses.push(self.walk.miss(self.at, candidate));
                }
                self.runs.append(&mut runs);
                self.walk = Walk::default();
                self.at += 1;
                left -= 1;
            }
        }
    }

    /// Runs the search to its end.
    pub fn run(&mut self) {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
    }
}
