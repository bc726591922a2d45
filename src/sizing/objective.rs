//! What the best fleet or training run minimises.

use super::Fleet;
use crate::catalog::Accelerator;
use crate::economics::Economics;

/// The quantity that the best fleet or run minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SizingObjective {
    /// Cost: US dollars per hour of a fleet, or US dollars of a whole training run.
    #[default]
    Cost,
    /// Number of GPUs.
    Gpus,
    /// Power of a fleet, or energy of a training run.
    Energy,
}

impl SizingObjective {
    /// Every variant, in the order of the form.
    pub const ALL: [Self; 3] = [Self::Cost, Self::Gpus, Self::Energy];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cost => "Cost",
            Self::Gpus => "GPUs",
            Self::Energy => "Energy",
        }
    }

    /// The quantity within a sentence.
    pub const fn spoken(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Gpus => "number of GPUs",
            Self::Energy => "energy",
        }
    }

    /// The quantity that a fleet's objective minimises, per GPU that prefills: US dollars per hour, 1, or W; `None` if
    /// unknown.
    pub fn per_prefill_gpu(self, economics: &Economics, device: &Accelerator) -> Option<f64> {
        match self {
            Self::Cost => economics.hourly_usd(device),
            Self::Gpus => Some(1.0),
            Self::Energy => economics.watts(device),
        }
    }

    /// The quantity that a fleet's objective minimises, of all its GPUs: US dollars per hour, GPUs, or W; `None` if unknown.
    pub fn of_fleet(
        self,
        fleet: &Fleet,
        economics: &Economics,
        device: &Accelerator,
        prefill: Option<&Accelerator>,
    ) -> Option<f64> {
        match self {
            Self::Cost => fleet.total(economics, Economics::served_hourly_usd, device, prefill),
            Self::Gpus => Some(f64::from(fleet.gpus())),
            Self::Energy => fleet.total(economics, Economics::served_watts, device, prefill),
        }
    }
}
