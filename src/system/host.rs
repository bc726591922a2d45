//! The link between an accelerator and its host, over which what does not fit can be kept there.

use super::System;
use super::constants::Constant;
use crate::catalog::{Accelerator, Interconnect, catalog};
use crate::units::{Bandwidth, Bytes, Seconds};

/// Fraction of a host link's bandwidth that copies reach on unmeasured links. An H200 copies 55.1 of 63 GB/s over PCIe 5
/// (stas00/ml-engineering@744d01e, chapter on networks).
const UNMEASURED: f64 = 0.87;

/// Meaning of the fraction.
pub(super) const MEANINGS: &[&str] = &["Fraction of the host link's bandwidth that large copies reach."];

/// Listing of the fraction among the constants.
pub(super) const SHARE: Constant = Constant { name: "share", unit: "", low: 0.1, high: 1.0, fitted: false };

/// The catalogue's entry of a device's link.
fn link(accelerator: &Accelerator) -> Option<&'static Interconnect> {
    let id = accelerator.host.as_ref()?;
    catalog().interconnects.iter().find(|link| link.id == *id)
}

/// Bandwidth of a device's link, each way.
pub(super) fn bandwidth(accelerator: &Accelerator) -> Option<Bandwidth> {
    link(accelerator).map(|link| Bandwidth::from_gb(link.gb_s))
}

/// Fraction of the host link's bandwidth that copies reach.
pub(super) fn share(accelerator: &Accelerator) -> f64 {
    let measured = |link: &Interconnect| link.measured_gb_s.map(|gb_s| gb_s / link.gb_s);
    link(accelerator).and_then(measured).unwrap_or(UNMEASURED)
}

impl System {
    /// Time to move `out` to the host and, at the same time, `back` from it; zero without a link to the host.
    pub fn swap(&self, out: Bytes, back: Bytes) -> Seconds {
        match self.device.host {
            Some(link) => out.max(back) / (link * self.assumptions.host),
            None => Seconds::ZERO,
        }
    }
}
