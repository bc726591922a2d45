//! A die's budgets of area, power and edge by part.

use serde::Serialize;

use crate::units::{Area, Length, Power};

/// A part of a die that takes area, power or edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiePart {
    /// Multiprocessors' logic, tensor cores foremost. Their power includes that of registers and shared memory.
    Cores,
    /// Registers and shared memory.
    Sram,
    /// The L2 cache.
    L2,
    /// DRAM and its interfaces.
    Dram,
    /// Links to other GPUs and to the network card.
    Network,
    /// Crossbar, front end, host link.
    Uncore,
    /// Unused budget.
    Unused,
}

impl DiePart {
    /// All parts, in the order in which they are stacked.
    pub const ALL: [Self; 7] =
        [Self::Cores, Self::Sram, Self::L2, Self::Dram, Self::Network, Self::Uncore, Self::Unused];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cores => "Tensor cores and multiprocessors",
            Self::Sram => "Registers and shared memory",
            Self::L2 => "L2",
            Self::Dram => "DRAM interfaces",
            Self::Network => "Links",
            Self::Uncore => "Crossbar, front end, host link",
            Self::Unused => "Unused",
        }
    }
}

/// One budget divided among the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Split<Q>([Q; DiePart::ALL.len()]);

impl<Q: Copy> Split<Q> {
    /// Amount that a part takes.
    pub fn get(&self, part: DiePart) -> Q {
        self.0[part as usize]
    }

    /// Each part with the amount that it takes.
    pub fn parts(&self) -> impl Iterator<Item = (DiePart, Q)> {
        DiePart::ALL.into_iter().zip(self.0)
    }
}

impl<Q: Copy + Default + std::iter::Sum + std::ops::Sub<Output = Q>> Split<Q> {
    /// A budget spent on parts; the rest is unused.
    pub(super) fn of(budget: Q, spent: &[(DiePart, Q)]) -> Self {
        let mut split = Self([Q::default(); DiePart::ALL.len()]);
        for (part, amount) in spent {
            split.0[*part as usize] = *amount;
        }
        split.0[DiePart::Unused as usize] = budget - split.total();
        split
    }

    /// All parts together: the budget.
    pub fn total(&self) -> Q {
        self.0.iter().copied().sum()
    }
}

/// All budgets of a die, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BudgetSplit {
    /// Area.
    pub area: Split<Area>,
    /// Power when every multiprocessor multiplies at its clock and DRAM and links are busy.
    pub power: Split<Power>,
    /// Edge.
    pub edge: Split<Length>,
}
