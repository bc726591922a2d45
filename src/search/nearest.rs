//! Finds the nearest numbers of GPUs with a plan that fits, for questions without one.

use super::{Found, PlanProblem, Space};
use crate::training::Memo;

/// The nearest numbers of GPUs for which a plan fits.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    gpus: u32,
    /// The next number to be looked at below, and above.
    next: (u32, u32),
    below: Option<Found>,
    above: Option<Found>,
}

/// Numbers of GPUs tried on each side.
const REACH: u32 = 16_384;
/// Largest number of GPUs tried, as a multiple of the given number.
const FACTOR: u32 = 16;

impl Nearest {
    pub(super) fn to(gpus: u32) -> Self {
        Self { gpus, next: (gpus - 1, gpus.saturating_add(1)), below: None, above: None }
    }

    /// A plan on the next smaller number of GPUs for which one fits.
    pub fn below(&self) -> Option<&Found> {
        self.below.as_ref()
    }

    /// A plan on the next larger number of GPUs for which one fits.
    pub fn above(&self) -> Option<&Found> {
        self.above.as_ref()
    }

    /// The smallest and the largest number that was looked at.
    pub fn range(&self) -> (u32, u32) {
        (self.next.0 + 1, self.next.1 - 1)
    }

    fn least(&self) -> u32 {
        self.gpus.saturating_sub(REACH)
    }

    fn most(&self) -> u32 {
        self.gpus.saturating_mul(FACTOR).min(self.gpus.saturating_add(REACH))
    }

    /// Returns true if the search is complete on both sides.
    pub(super) fn is_known(&self) -> bool {
        let down = self.below.is_some() || self.next.0 <= self.least();
        let up = self.above.is_some() || self.next.1 > self.most();
        down && up
    }

    /// Looks at the next number on each side that is not known yet. Returns the work: 1 and the number of plans tried.
    pub(super) fn advance(&mut self, question: &PlanProblem) -> u32 {
        let mut tried = 1;
        if self.below.is_none() && self.next.0 > self.least() {
            self.below = any(question, self.next.0, &mut tried);
            self.next.0 -= 1;
        }
        if self.above.is_none() && self.next.1 <= self.most() {
            self.above = any(question, self.next.1, &mut tried);
            self.next.1 += 1;
        }
        tried
    }
}

/// A plan that fits on `gpus` GPUs; if any fits, one of the plans with least memory does.
fn any(question: &PlanProblem, gpus: u32, tried: &mut u32) -> Option<Found> {
    let space = Space::lean(&question.job(&question.plan, gpus), &question.scope);
    let (mut cursor, mut memo) = (space.first(&question.plan), Memo::default());
    while cursor.position < space.size() {
        *tried += 1;
        let axis = match question.check(&cursor, gpus, &mut memo) {
            Ok(memory) => {
                let plan = cursor.plan;
                let step = memo.step(&question.job(&plan, gpus));
                return Some(Found { plan, gpus, step, memory, published: None });
            }
            Err((_, axis)) => axis,
        };
        space.pass(&mut cursor, axis);
    }
    None
}
