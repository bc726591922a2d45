//! Constants fitted to measured kernels, per device, with their sources and errors.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::attention::AttentionConstants;
use super::collective::LinkConstants;
use super::matmul::MatmulTable;
use super::stream::StreamConstants;
use crate::catalog::Accelerator;

/// What was fitted on one measured device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The catalogue id of the device that was measured.
    pub device: String,
    /// Its generation, to which the constants carry over.
    pub architecture: String,
    /// Matrix multiplies, by operand format.
    pub matmul: MatmulTable,
    /// Fused attention.
    pub attention: AttentionConstants,
    /// Elementwise kernels.
    pub stream: StreamConstants,
    /// Collectives.
    pub links: LinkConstants,
    /// Where the measurements were published.
    pub source: String,
}

/// All calibrations.
#[expect(
    clippy::missing_panics_doc,
    clippy::expect_used,
    reason = "the data is compiled in, and a test parses it"
)]
pub fn calibrations() -> &'static [Calibration] {
    static PARSED: OnceLock<Vec<Calibration>> = OnceLock::new();
    PARSED.get_or_init(|| {
        let value: serde_json::Value =
            serde_json::from_str(include_str!("calibration.json")).expect("calibration.json is JSON");
        serde_json::from_value(value).expect("calibration.json is well-formed")
    })
}

/// The calibration that applies to a device: its own, or its generation's, or else the H100's.
pub fn calibration_for(accelerator: &Accelerator) -> &'static Calibration {
    let all = calibrations();
    let of = |matches: &dyn Fn(&Calibration) -> bool| all.iter().find(|calibration| matches(calibration));
    of(&|calibration| calibration.device == accelerator.id)
        .or_else(|| of(&|calibration| calibration.architecture == accelerator.architecture))
        .or_else(|| of(&|calibration| calibration.device == "h100-sxm"))
        .unwrap_or(&all[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::units::Seconds;

    #[test]
    fn every_constant_is_in_its_range() {
        for calibration in calibrations() {
            let device = &calibration.device;
            assert!(catalog::accelerator(device).is_some(), "{device}");
            let table = &calibration.matmul;
            for constants in [Some(&table.bf16), table.fp8.as_ref(), table.fp4.as_ref()].into_iter().flatten()
            {
                // Slightly above 1 where weights of the benchmark stay in L2.
                assert!((0.1..=1.1).contains(&constants.compute_efficiency), "{device}");
                assert!((0.1..=1.1).contains(&constants.dram_efficiency), "{device}");
                assert!(constants.launch > Seconds::ZERO, "{device}");
                assert!(constants.error.is_some_and(|error| error < 0.2), "{device}");
            }
            assert!(!calibration.source.is_empty(), "{device}");
        }
    }
}
