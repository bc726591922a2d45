//! Allocation of a die's budgets to L2, DRAM stacks and links.

use serde::Serialize;

use super::budget::Budget;
use super::components::Components;
use crate::units::{Bandwidth, Length};

/// Decisions about a die. The remaining area and power go to multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Allocation {
    /// Share of the area that L2 takes.
    pub l2: f64,
    /// DRAM stacks.
    pub stacks: u32,
    /// Bandwidth to the other accelerators of the domain, per direction.
    pub scale_up: Bandwidth,
}

impl Components<'_> {
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
}
