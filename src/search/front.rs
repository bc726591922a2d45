//! The Pareto front of plans: none is both faster and smaller than another.

use super::Found;
use crate::units::{Bytes, Seconds};

/// The Pareto front of time against memory: fastest first, each with less memory than all before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front(Vec<Found>);

impl Front {
    /// Plans of the front.
    pub fn found(&self) -> &[Found] {
        &self.0
    }

    /// Returns true if none of its plans is at least as fast and at least as small.
    pub(super) fn admits(&self, step: Seconds, memory: Bytes) -> bool {
        // Among plans that are as fast, the last one has the least memory.
        let faster = self.0.partition_point(|found| found.step <= step);
        faster == 0 || self.0[faster - 1].memory > memory
    }

    /// Takes a plan in, and drops those that it beats.
    pub(super) fn offer(&mut self, found: &Found) {
        if !self.admits(found.step, found.memory) {
            return;
        }
        let first = self.0.partition_point(|other| other.step < found.step);
        let beaten = self.0[first..].iter().take_while(|other| other.memory >= found.memory).count();
        self.0.splice(first..first + beaten, [*found]);
    }
}
