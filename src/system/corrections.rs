//! What a visitor's own machine does otherwise than the calibrated one: factors that were fitted to measured rows.

use super::{AssumptionSet, Cost};

/// Factors on what calibrated constants give; 1 each is the calibrated machine.
///
/// They are a machine's and its software's, not a device's: clocks, drivers, cabling, hosts, versions. Published constants
/// stay as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrections {
    /// On the time of every kernel that computes: multiplies, attention, experts, elementwise, recurrences.
    pub kernels: f64,
    /// On the host's times: per operator, per message, per step and request of a serving engine.
    pub host: f64,
    /// On the bandwidth that links between GPUs reach.
    pub links: f64,
    /// On what collectives take beyond their bytes: start, steps, hops, levels.
    pub starts: f64,
    /// On what software adds once: between training steps; from a request's arrival to its first step.
    pub step: f64,
}

impl Corrections {
    /// The calibrated machine.
    pub const NONE: Self = Self::of([1.0; 5]);

    /// These factors, in the order of the fields.
    pub const fn of([kernels, host, links, starts, step]: [f64; 5]) -> Self {
        Self { kernels, host, links, starts, step }
    }

    /// The factors in the order of the fields.
    pub const fn factors(self) -> [f64; 5] {
        [self.kernels, self.host, self.links, self.starts, self.step]
    }
}

impl Default for Corrections {
    fn default() -> Self {
        Self::NONE
    }
}

/// The constants that an estimate rests on: an assumption set, and a visitor's corrections to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumed {
    /// The set.
    pub set: AssumptionSet,
    /// Corrections to calibrated constants; those of other sets are nobody's measurement and stay.
    pub corrections: Corrections,
}

impl From<AssumptionSet> for Assumed {
    fn from(set: AssumptionSet) -> Self {
        Self { set, corrections: Corrections::NONE }
    }
}

impl Assumed {
    /// The corrections that apply: none to other sets than the calibrated one.
    pub fn applied(&self) -> Corrections {
        if self.set == AssumptionSet::Calibrated { self.corrections } else { Corrections::NONE }
    }
}

impl Cost {
    /// This cost with all of its times this many times as long.
    #[must_use]
    pub fn slowed(self, factor: f64) -> Self {
        Self {
            time: self.time * factor,
            compute: self.compute * factor,
            dram: self.dram * factor,
            l2: self.l2 * factor,
            network: self.network * factor,
            launch: self.launch * factor,
            ..self
        }
    }
}
