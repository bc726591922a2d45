//! Software and devices that nobody measured: what a question has of them, and how much wider its ranges are for it.

use super::Quantity;
use crate::catalog::{self, Accelerator};
use crate::inference::Engine;
use crate::scenario::Scenario;
use crate::system::calibration::calibration_for;
use crate::training::Framework;

/// What a question has that nobody measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unmeasured {
    /// Neither software nor device.
    #[default]
    Nothing,
    /// Its software: no constant was fitted to it.
    Software,
    /// Its device: constants of 16-bit multiplies come from another architecture.
    Device,
    /// Both its software and its device.
    Both,
}

impl Unmeasured {
    /// Every variant, with its name in the table.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Nothing, "nothing"),
        (Self::Software, "software"),
        (Self::Device, "device"),
        (Self::Both, "both"),
    ];

    /// What nobody measured of a question about this quantity, on a device that was measured or not.
    pub(super) fn of(scenario: &Scenario, quantity: Quantity, is_device_measured: bool) -> Self {
        let engine = scenario.inference.engine;
        // An engine's own kernels have constants by interface and instructions, which every device has.
        let own_kernels = engine.overheads().multiplies.dequantising.is_some();
        let (software, kernels) = match quantity {
            Quantity::IterTime => (Framework::MEASURED.contains(&scenario.recipe.framework), false),
            // Memory constants belong to the software, not to the device.
            Quantity::PeakMemory => (Framework::MEASURED.contains(&scenario.recipe.framework), true),
            // No published run serves a stream of requests with pipeline parallelism.
            _ => {
                let pipelined = scenario.inference.pipeline > 1 && scenario.inference.is_stream();
                (!matches!(engine, Engine::None | Engine::Typical) && !pipelined, own_kernels)
            }
        };
        match (software, kernels || is_device_measured) {
            (true, true) => Self::Nothing,
            (false, true) => Self::Software,
            (true, false) => Self::Device,
            (false, false) => Self::Both,
        }
    }

    /// Factor on the logarithms of a range's ends: 1 if software and device were measured. Otherwise, ranges that are
    /// widened by it hold 80 % of rows that were predicted without the constants of their software, architecture or both.
    pub fn widening(self, quantity: Quantity) -> f64 {
        let key = Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name);
        let line = TABLE.lines().find_map(|line| {
            line.strip_prefix(quantity.name())?.strip_prefix(',')?.strip_prefix(key)?.strip_prefix(',')
        });
        line.and_then(|number| number.parse().ok()).unwrap_or(1.0)
    }

    /// Why the range of a quantity is wider: the end of a sentence, empty where it is not.
    pub fn reason(self, quantity: Quantity, device: &str) -> String {
        if self.widening(quantity) <= 1.0 {
            return String::new();
        }
        // With pipeline stages, a measured engine counts as unmeasured.
        let trained = matches!(quantity, Quantity::IterTime | Quantity::PeakMemory);
        let deployed = if trained { "" } else { " in such a deployment" };
        match self {
            Self::Nothing => String::new(),
            Self::Software => {
                format!("; it is wider because no constants were fitted to the software{deployed}")
            }
            Self::Device => {
                format!("; it is wider because its constants for {device} come from another architecture")
            }
            Self::Both => format!(
                "; it is wider because its constants for {device} come from another architecture and none were fitted to the software{deployed}"
            ),
        }
    }
}

/// Returns true if a device of this architecture gives the constants of 16-bit multiplies.
pub(super) fn is_measured(device: &Accelerator) -> bool {
    let nearest = calibration_for(device).and_then(|calibration| catalog::accelerator(&calibration.device));
    nearest.is_some_and(|nearest| nearest.architecture == device.architecture)
}

/// Written by `make validate`: quantity, what is unmeasured, factor.
const TABLE: &str = include_str!("unmeasured.csv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_never_narrower_for_what_is_unmeasured() {
        for quantity in [
            Quantity::IterTime,
            Quantity::PeakMemory,
            Quantity::Ttft,
            Quantity::Tpot,
            Quantity::RequestLatency,
        ] {
            let [nothing, software, device, both] = Unmeasured::ALL.map(|(kind, _)| kind.widening(quantity));
            assert!((nothing - 1.0).abs() < 1e-12 && software >= 1.0 && device >= 1.0, "{quantity:?}");
            assert!(both >= software.max(device) && both < 5.0, "{quantity:?}");
        }
    }

    #[test]
    fn a_device_is_measured_by_its_architecture() {
        let of = |id: &str| is_measured(catalog::accelerator(id).expect(id));
        assert!(of("h100-sxm") && of("h100-pcie") && of("b300"));
        assert!(of("l4") && of("rtx-4070") && !of("gaudi-3") && !of("rx-7900-xtx"));
    }
}
