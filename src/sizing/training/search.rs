//! The search over devices and numbers of GPUs.

use super::walk::{Tried, Walk};
use super::{Candidate, Miss, Run};
use crate::search;
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
    /// Search for the fastest plan on the number of GPUs in progress.
    plans: Option<search::Search>,
    /// Numbers of GPUs tried on all devices.
    tried: u32,
    runs: Vec<Run>,
    misses: Vec<Miss>,
}

impl Search {
    /// A search that has not begun.
    pub fn new(candidates: Vec<Candidate>, deadline: Seconds) -> Self {
        let (runs, misses) = (Vec::new(), Vec::new());
        Self { candidates, deadline, at: 0, walk: Walk::default(), plans: None, tried: 0, runs, misses }
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
                if plans.is_asked_done() {
                    let outcome = plans.asked();
                    self.walk.record(outcome.gpus, Tried::of(self.at, candidate, outcome));
                    self.tried += 1;
                    self.plans = None;
                }
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
