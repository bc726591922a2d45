//! Constants fitted to measured kernels, per device generation, with their sources and errors.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::precision::Precision;
use crate::catalog::Accelerator;
use crate::units::Seconds;

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

/// Matrix-multiply constants by operand format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatmulTable {
    /// 16-bit operands, and every format that has no entry.
    pub bf16: MatmulConstants,
    /// 8-bit operands.
    #[serde(default)]
    pub fp8: Option<MatmulConstants>,
    /// 4-bit operands.
    #[serde(default)]
    pub fp4: Option<MatmulConstants>,
}

impl MatmulTable {
    /// The constants for operands of this format.
    pub fn of(&self, precision: Precision) -> &MatmulConstants {
        match precision {
            Precision::Fp8 | Precision::Int8 => self.fp8.as_ref(),
            Precision::Fp4 => self.fp4.as_ref(),
            _ => None,
        }
        .unwrap_or(&self.bf16)
    }
}

/// How close matrix multiplies come to the peak rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatmulConstants {
    /// Fraction of the peak matrix rate inside a full tile.
    pub compute_efficiency: f64,
    /// Fraction of DRAM bandwidth that operands stream at.
    pub dram_efficiency: f64,
    /// How slowly DRAM streams start: a transfer of time t takes t + √(ramp × t).
    #[serde(rename = "dram_ramp_s")]
    pub dram_ramp: Seconds,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
    /// How tiles fill the device; absent in the ideal set, where work divides without remainder.
    pub tiling: Option<Tiling>,
    /// Mean error on shapes that were not fitted, as a fraction.
    #[serde(default)]
    pub error: Option<f64>,
}

/// How output tiles map to multiprocessors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiling {
    /// Bytes that L2 feeds into the multiprocessors per operation of the 16-bit peak rate.
    pub l2_fill: f64,
    /// How much of the rounding to whole waves is felt: 1 all, 0 none.
    pub wave_rounding: f64,
    /// Exponent that joins multiprocessor and DRAM time: 1 adds, infinity takes the larger.
    pub overlap: f64,
    /// Time that summing the parts of a split product takes beyond its traffic.
    #[serde(rename = "split_overhead_s")]
    pub split_overhead: Seconds,
    /// Depth of the summed dimension that filling and draining a tile costs, in elements.
    pub k_ramp: f64,
    /// Slow-down of long kernels, which the power limit throttles.
    pub throttle: f64,
    /// Duration at which half of that slow-down is reached.
    #[serde(rename = "throttle_time_s")]
    pub throttle_time: Seconds,
}

/// How close fused attention comes to the peak rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionConstants {
    /// Fraction of the peak matrix rate, forward.
    pub forward_efficiency: f64,
    /// Fraction of the peak matrix rate, backward.
    pub backward_efficiency: f64,
    /// Fraction of DRAM bandwidth at which decode reads the cache.
    pub decode_dram_efficiency: f64,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
}

/// How close elementwise kernels come to the peak rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamConstants {
    /// Fraction of DRAM bandwidth.
    pub dram_efficiency: f64,
    /// Fraction of the vector rate.
    pub vector_efficiency: f64,
    /// Fraction of L2 below which a tensor is still there from the kernel that wrote it.
    pub l2_residency: f64,
    /// Time that every kernel takes.
    #[serde(rename = "launch_s")]
    pub launch: Seconds,
}

/// How close collectives come to the link rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConstants {
    /// Fraction of the scale-up bandwidth that large collectives reach.
    pub scale_up_efficiency: f64,
    /// Time per step inside a domain.
    #[serde(rename = "scale_up_latency_s")]
    pub scale_up_latency: Seconds,
    /// Fraction of the scale-out bandwidth that large collectives reach.
    pub scale_out_efficiency: f64,
    /// Time per step between domains.
    #[serde(rename = "scale_out_latency_s")]
    pub scale_out_latency: Seconds,
    /// Time that starting any collective takes.
    #[serde(rename = "start_s")]
    pub start: Seconds,
}

/// All calibrations.
#[expect(clippy::expect_used, reason = "the data is compiled in, and a test parses it")]
pub fn calibrations() -> &'static [Calibration] {
    static PARSED: OnceLock<Vec<Calibration>> = OnceLock::new();
    PARSED.get_or_init(|| {
        serde_json::from_str(include_str!("calibration.json")).expect("calibration.json is well-formed")
    })
}

/// The calibration that applies to a device: its own, or its generation's, or else the H100's.
///
/// The second value says whether it was carried over from another device.
pub fn calibration_for(accelerator: &Accelerator) -> (&'static Calibration, bool) {
    let all = calibrations();
    if let Some(own) = all.iter().find(|calibration| calibration.device == accelerator.id) {
        return (own, false);
    }
    let kin = all.iter().find(|calibration| calibration.architecture == accelerator.architecture);
    let fallback = || all.iter().find(|calibration| calibration.device == "h100-sxm").unwrap_or(&all[0]);
    (kin.unwrap_or_else(fallback), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_in_its_range() {
        for calibration in calibrations() {
            let table = &calibration.matmul;
            for constants in [Some(&table.bf16), table.fp8.as_ref(), table.fp4.as_ref()].into_iter().flatten() {
                assert!((0.1..=1.0).contains(&constants.compute_efficiency), "{}", calibration.device);
                assert!((0.1..=1.0).contains(&constants.dram_efficiency), "{}", calibration.device);
                assert!(constants.launch > Seconds::ZERO);
                assert!(constants.error.is_some_and(|error| error < 0.2), "{}", calibration.device);
            }
            assert!(!calibration.source.is_empty());
        }
    }
}
