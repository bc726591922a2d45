//! Corrections to calibrated constants for a visitor's own system, fitted to measured rows.

use std::hash::BuildHasher as _;

use rustc_hash::FxBuildHasher;

use super::Cost;
use crate::catalog::{self, Accelerator};

/// Factors on times and bandwidths from calibrated constants; all 1 for no correction.
///
/// They describe one system and its software (clocks, drivers, cabling, hosts, versions) rather than a type of device.
/// Published constants are unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrections {
    /// On the time of every compute kernel: matrix multiplies, attention, experts, elementwise operators, recurrences.
    pub kernels: f64,
    /// On host time: per operator, per message, and per step and request of a serving engine.
    pub host: f64,
    /// On the achieved bandwidth of links between GPUs.
    pub links: f64,
    /// On the time of collectives that does not depend on message size: start, steps, hops, levels.
    pub starts: f64,
    /// On software overhead between training steps, and from a request's arrival to its first step.
    pub step: f64,
}

impl Corrections {
    /// No corrections: all factors are 1.
    pub const NONE: Self = Self::of([1.0; 5]);

    /// Corrections from factors in the order of the fields.
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

/// The devices that corrections apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredOn {
    /// All devices: the profile does not name one.
    Any,
    /// The catalogue's device with this id.
    Device(&'static str),
    /// A custom device, which is not in the catalogue, by the hash of its id.
    Unlisted(u64),
}

impl MeasuredOn {
    /// The device with this id.
    pub fn device(id: &str) -> Self {
        match catalog::accelerator(id) {
            Some(device) => Self::Device(&device.id),
            None => Self::Unlisted(FxBuildHasher.hash_one(id)),
        }
    }

    /// Returns true if corrections that were measured on these devices apply to an accelerator.
    pub fn covers(self, accelerator: &Accelerator) -> bool {
        match self {
            Self::Any => true,
            Self::Device(id) => accelerator.id == id,
            Self::Unlisted(hash) => FxBuildHasher.hash_one(accelerator.id.as_str()) == hash,
        }
    }
}

impl Cost {
    /// This cost with all times multiplied by `factor`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_devices_are_told_apart() {
        let listed = catalog::accelerator("h100-sxm").expect("a device");
        let own = |id: &str| Accelerator { id: id.to_owned(), ..listed.clone() };
        let measured = MeasuredOn::device("own-lab");
        assert!(measured.covers(&own("own-lab")));
        assert!(!measured.covers(&own("own-other")) && !measured.covers(listed));
        assert!(MeasuredOn::device("h100-sxm").covers(listed));
    }
}
