//! The best allocation of a die's budgets for a workload.

use super::allocation::Allocation;
use super::budget::Budget;
use super::components::Components;
use super::die::Die;
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Seconds};

/// Shares of L2 that are tried, relative to the usual one.
const L2_STEPS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// Bandwidths that are tried: this one and √2 times the one before, GB/s.
const SLOWEST_LINK: f64 = 50.0;
const LINK_STEPS: usize = 14;

impl Components<'_> {
    /// The accelerator that is built as usual; `None` where the budgets do not suffice for one.
    pub fn build(&self, budget: &Budget) -> Option<(Die, Accelerator)> {
        let die = self.die(budget, self.usual(budget))?;
        Some((die, self.accelerator(budget, &die)))
    }
}

/// The allocation with the least time, and the accelerator that it makes.
///
/// Stacks are whole, and with them area, power and edge leave one share to trade: links against the clock.
/// That trade has steps (whole multiprocessors, whole tiles), so that nothing continuous finds its best surely.
/// Every number of stacks, with each of 4 shares of L2 and 14 link bandwidths, is tried: exact on that grid, and
/// therefore never worse for a better node or a larger budget. `time` is `None` where the workload does not fit.
pub fn allocate(
    components: &Components<'_>,
    budget: &Budget,
    time: impl Fn(&Accelerator) -> Option<Seconds>,
) -> Option<(Die, Accelerator, Seconds)> {
    let mut best: Option<(Die, Accelerator, Seconds)> = None;
    for stacks in 1..=components.most_stacks(budget) {
        for l2 in L2_STEPS.map(|step| step * components.constants.l2_area.value) {
            for step in 0..LINK_STEPS {
                let link = SLOWEST_LINK * libm::exp2(step as f64 / 2.0);
                let allocation = Allocation { l2, stacks, scale_up: Bandwidth::from_gb(link) };
                let Some(die) = components.die(budget, allocation) else { continue };
                let accelerator = components.accelerator(budget, &die);
                if let Some(time) = time(&accelerator)
                    && best.as_ref().is_none_or(|best| time < best.2)
                {
                    best = Some((die, accelerator, time));
                }
            }
        }
    }
    best
}
