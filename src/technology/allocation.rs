//! How budgets are shared out: as usual, or as serves a workload best.

use serde::Serialize;

use super::budget::Budget;
use super::die::Die;
use super::kit::Kit;
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Length, Seconds};

/// What is decided about a die; what is left of area and power goes to multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Allocation {
    /// Share of the area that L2 takes.
    pub l2: f64,
    /// DRAM stacks.
    pub stacks: u32,
    /// Bandwidth to the other accelerators of the domain, per direction.
    pub scale_up: Bandwidth,
}

/// Shares of L2 that are tried, relative to the usual one.
const L2_STEPS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// Bandwidths that are tried: this one and √2 times the one before, GB/s.
const SLOWEST_LINK: f64 = 50.0;
const LINK_STEPS: usize = 14;

impl Kit<'_> {
    /// Edge that stacks take.
    pub(super) fn edge(&self, stacks: u32) -> Length {
        Length::new(self.stack.edge_mm.value * f64::from(stacks))
    }

    /// Stacks that the edge has room for.
    pub fn most_stacks(&self, budget: &Budget) -> u32 {
        let room = budget.edge * self.constants.dram_edge.value;
        (room / self.edge(1)).clamp(0.0, 64.0) as u32
    }

    /// The allocation of the dies that were built: stacks all along their edges, the same shares of area for
    /// L2 and of power for links.
    pub fn usual(&self, budget: &Budget) -> Allocation {
        let constants = self.constants;
        let by_power = self.links(budget.power * constants.network_power.value);
        let by_edge = self.links_along(budget.edge * constants.network_edge.value);
        let scale_up = by_power.min(by_edge) - self.scale_out(budget.dies);
        Allocation {
            l2: constants.l2_area.value,
            stacks: self.most_stacks(budget),
            scale_up: scale_up.max(Bandwidth::from_gb(1.0)),
        }
    }

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
    kit: &Kit<'_>,
    budget: &Budget,
    time: impl Fn(&Accelerator) -> Option<Seconds>,
) -> Option<(Die, Accelerator, Seconds)> {
    let mut best: Option<(Die, Accelerator, Seconds)> = None;
    for stacks in 1..=kit.most_stacks(budget) {
        for l2 in L2_STEPS.map(|step| step * kit.constants.l2_area.value) {
            for step in 0..LINK_STEPS {
                let link = SLOWEST_LINK * libm::exp2(step as f64 / 2.0);
                let allocation = Allocation { l2, stacks, scale_up: Bandwidth::from_gb(link) };
                let Some(die) = kit.die(budget, allocation) else { continue };
                let accelerator = kit.accelerator(budget, &die);
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
