//! The product of all axes' candidates, and a place in it.

use super::{AXES, Scope};
use crate::plan::Plan;
use crate::training::TrainingJob;

/// Every combination of the candidates of each axis, in the order of [`AXES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    values: Vec<Vec<u32>>,
    /// Plans that share the values of the axes up to each.
    below: Vec<u64>,
}

/// A plan of a space.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    digits: [usize; AXES.len()],
    /// Plans before this one.
    pub position: u64,
    /// The plan.
    pub plan: Plan,
}

impl Space {
    /// The space of a job. Fixed axes keep the values of the job's plan.
    pub fn of(job: &TrainingJob<'_>, scope: &Scope) -> Self {
        Self::new(AXES.iter().map(|axis| axis.values(job, scope)).collect())
    }

    /// The part of the space that has the plans of least memory.
    pub(super) fn lean(job: &TrainingJob<'_>, scope: &Scope) -> Self {
        let mut values = Self::of(job, scope).values;
        for (axis, values) in AXES.iter().zip(&mut values) {
            // The smallest microbatch has the least activations, but a single one may not need memory for gradients.
            let larger = axis.id == "microbatch" && job.recipe.saves_with_one_microbatch();
            if axis.lean && !larger {
                values.truncate(1);
            }
        }
        Self::new(values)
    }

    fn new(values: Vec<Vec<u32>>) -> Self {
        let mut below: Vec<u64> = Vec::with_capacity(values.len());
        for index in 0..values.len() {
            let inner = values[index + 1..].iter().map(|values| values.len() as u64);
            below.push(inner.fold(1, u64::saturating_mul));
        }
        Self { values, below }
    }

    /// Number of plans.
    pub fn size(&self) -> u64 {
        let outer = self.values.first().map_or(0, |values| values.len() as u64);
        outer.saturating_mul(self.below.first().copied().unwrap_or(0))
    }

    /// Tried values of each axis, in the order of [`AXES`].
    pub fn values(&self) -> &[Vec<u32>] {
        &self.values
    }

    /// The first plan. Settings that are no axes keep their values.
    pub fn first(&self, plan: &Plan) -> Cursor {
        self.at(plan, 0)
    }

    /// The plan at this position, from 0 to less than the size.
    pub fn at(&self, plan: &Plan, position: u64) -> Cursor {
        let mut cursor = Cursor { digits: [0; AXES.len()], position, plan: *plan };
        for (index, (axis, values)) in AXES.iter().zip(&self.values).enumerate() {
            let digit = (position / self.below[index] % values.len() as u64) as usize;
            cursor.digits[index] = digit;
            (axis.set)(&mut cursor.plan, values[digit]);
        }
        cursor
    }

    /// Goes on to the next plan that differs in this axis or one before it; returns how many plans that passes, this
    /// one included.
    pub fn pass(&self, cursor: &mut Cursor, axis: usize) -> u64 {
        let step = self.below[axis];
        let next = (cursor.position / step + 1) * step;
        let passed = next - cursor.position;
        cursor.position = next;
        let mut digit = axis;
        // The axes behind begin anew, and so do those that run over.
        for inner in axis + 1..AXES.len() {
            cursor.put(self, inner, 0);
        }
        while cursor.digits[digit] + 1 == self.values[digit].len() {
            cursor.put(self, digit, 0);
            if digit == 0 {
                return passed;
            }
            digit -= 1;
        }
        cursor.put(self, digit, cursor.digits[digit] + 1);
        passed
    }
}

impl Cursor {
    /// The first axis that has another value than its first although that makes no difference.
    pub(super) fn moot(&self, job: &TrainingJob<'_>) -> Option<usize> {
        (0..AXES.len()).find(|axis| self.digits[*axis] > 0 && AXES[*axis].is_moot(job))
    }

    fn put(&mut self, space: &Space, axis: usize, digit: usize) {
        if self.digits[axis] != digit {
            self.digits[axis] = digit;
            (AXES[axis].set)(&mut self.plan, space.values[axis][digit]);
        }
    }
}
