//! The search over devices and numbers of GPUs.

use super::walk::{Tried, Walk};
use super::{Candidate, Miss, Run};
use crate::search;
use crate::units::Seconds;

/// A search for the GPUs of each device that end a training run before a deadline, in steps of bounded work.
#[derive(Clone, Debug)]
pub struct Search {
    candidates: Vec<Candidate>,
    deadline: Seconds,
    /// Index of the candidate in progress.
    at: usize,
    /// Numbers of GPUs that were tried of it.
    walk: Walk,
    /// The plans of the number of GPUs in progress.
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

    /// Runs, device by device, from the fewest GPUs to the most: each is faster than those on fewer GPUs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Devices without a run, and why.
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

    /// Tries up to `plans` further plans; plans that are skipped together count once, and so does a device.
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

    /// Searches every device at once.
    pub fn run(&mut self) {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
    }
}
