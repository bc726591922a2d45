//! Accelerators: peak rates, memory, links, as their vendors publish them.

use serde::{Deserialize, Serialize};

/// One accelerator package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accelerator {
    /// Unique, lower case, stable: links name it.
    pub id: String,
    /// As it is shown.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// Its generation, e.g. `Hopper`.
    pub architecture: String,
    /// Year in which it was announced or first shipped.
    pub year: u16,
    /// Dense peak matrix rates; rates with structured sparsity are twice these and never used.
    pub matrix_tflops: MatrixRates,
    /// Peak FP32 rate of the vector units, TFLOP/s.
    pub vector_tflops: f64,
    /// Main memory.
    pub dram: Dram,
    /// Last cache before DRAM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2: Option<L2>,
    /// SMs or compute units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiprocessors: Option<u32>,
    /// Clock at which the peak rates hold, MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost_mhz: Option<f64>,
    /// Thermal design power of the package, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tdp_w: Option<f64>,
    /// Manufacturing process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Die area, mm².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub die_mm2: Option<f64>,
    /// Links to the other accelerators of its domain.
    pub scale_up: ScaleUp,
    /// Links to other domains.
    pub scale_out: ScaleOut,
    /// Where the figures were read.
    #[serde(default)]
    pub source: String,
    /// Figures that were recalled rather than read in a source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<String>,
    /// What else a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// Dense peak rates by operand format, TFLOP/s (TOP/s for integers); absent where there is no such unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatrixRates {
    /// TF32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tf32: Option<f64>,
    /// BF16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bf16: Option<f64>,
    /// FP16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp16: Option<f64>,
    /// FP8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp8: Option<f64>,
    /// FP6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp6: Option<f64>,
    /// FP4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp4: Option<f64>,
    /// INT8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub int8: Option<f64>,
}

/// Main memory of an accelerator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// E.g. `HBM3E`.
    pub technology: String,
    /// What software can allocate, GiB.
    pub capacity_gib: f64,
    /// Peak bandwidth, GB/s.
    pub bandwidth_gb_s: f64,
    /// Stacks in the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<u32>,
}

/// Last cache before DRAM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2 {
    /// Capacity, MB.
    pub capacity_mb: f64,
    /// Measured read bandwidth, GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_gb_s: Option<f64>,
}

/// Links inside a scale-up domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleUp {
    /// E.g. `NVLink4`.
    pub technology: String,
    /// Bandwidth per accelerator, one direction, GB/s.
    pub gb_s: f64,
    /// Accelerators that the links connect.
    pub domain: u32,
}

/// Links between domains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleOut {
    /// E.g. `400 Gb/s per device`.
    pub technology: String,
    /// Bandwidth per accelerator, one direction, GB/s.
    pub gb_s: f64,
}

#[cfg(test)]
mod tests {
    use crate::catalog::catalog;

    #[test]
    fn rates_are_dense() {
        for accelerator in &catalog().accelerators {
            let rates = &accelerator.matrix_tflops;
            if let (Some(sixteen), Some(eight)) = (rates.bf16, rates.fp8) {
                // Twice for half the bits; TPU v5p multiplies 8 bits no faster. From 2025 on some vendors favour
                // 8 bits further; before, four times would be a sparse rate.
                let ratio = eight / sixteen;
                let most = if accelerator.year >= 2025 { 4.5 } else { 2.3 };
                let id = &accelerator.id;
                assert!((0.9..=most).contains(&ratio), "{id} multiplies FP8 {ratio} times as fast as BF16");
            }
            assert!(rates.bf16.or(rates.fp16).is_some(), "{}", accelerator.id);
        }
    }

    #[test]
    fn every_entry_is_complete() {
        for accelerator in &catalog().accelerators {
            assert!(!accelerator.source.is_empty(), "{}", accelerator.id);
            assert!(accelerator.scale_up.domain >= 1 && accelerator.scale_up.gb_s > 0.0, "{}", accelerator.id);
            assert!(accelerator.scale_out.gb_s > 0.0, "{}", accelerator.id);
            assert!(accelerator.dram.bandwidth_gb_s > 100.0 && accelerator.vector_tflops > 1.0, "{}", accelerator.id);
        }
    }
}
