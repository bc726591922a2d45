//! A bounded number of all plans, evenly taken.

use super::Found;

/// Every n-th plan, with n doubled whenever the sample exceeds its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    most: usize,
    seen: u64,
    stride: u64,
    found: Vec<Found>,
}

impl Sample {
    /// An empty sample of at most the given number of plans.
    pub(super) fn new(most: usize) -> Self {
        Self { most, seen: 0, stride: 1, found: Vec::with_capacity(most) }
    }

    /// Plans of the sample, in the order of the space.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Number of plans that each plan of the sample represents.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Counts a plan. Returns true if the plan belongs to the sample.
    pub(super) fn takes(&mut self) -> bool {
        let taken = self.most > 0 && self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        taken
    }

    /// Takes a plan.
    pub(super) fn take(&mut self, found: &Found) {
        if self.found.len() == self.most {
            // Keep every second plan.
            let mut place = 0;
            self.found.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
            // The plan at hand may fall between two that stay.
            if !(self.seen - 1).is_multiple_of(self.stride) {
                return;
            }
        }
        self.found.push(*found);
    }
}
