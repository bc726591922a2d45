//! The best plans so far.

use super::{Found, Objective};
use crate::units::{Bytes, Seconds};

/// The best plans so far, best first; of equal ones the first that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    by: Objective,
    most: usize,
    found: Vec<Found>,
}

impl Ranking {
    /// An empty ranking of at most the given number of plans.
    pub(super) fn new(by: Objective, most: usize) -> Self {
        Self { by, most, found: Vec::with_capacity(most + 1) }
    }

    /// The plans.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Returns true if a plan with these, or with more of them, would come in.
    pub(super) fn admits(&self, step: Seconds, memory: Bytes) -> bool {
        match self.found.last() {
            Some(last) if self.found.len() >= self.most => {
                self.key(step, memory) < self.key(last.step, last.memory)
            }
            _ => self.most > 0,
        }
    }

    /// Takes a plan in, if it is among the best.
    pub(super) fn offer(&mut self, found: &Found) {
        if !self.admits(found.step, found.memory) {
            return;
        }
        let key = self.key(found.step, found.memory);
        let place = self.found.partition_point(|other| self.key(other.step, other.memory) <= key);
        self.found.insert(place, *found);
        self.found.truncate(self.most);
    }

    /// Sort key of a plan. Cost and energy are proportional to GPUs × time.
    fn key(&self, step: Seconds, memory: Bytes) -> (f64, f64) {
        match self.by {
            Objective::Memory => (memory.get(), step.get()),
            _ => (step.get(), memory.get()),
        }
    }
}
