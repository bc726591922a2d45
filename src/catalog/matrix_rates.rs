//! Peak rates of matrix units.

use serde::{Deserialize, Serialize};

/// Dense peak rates by operand format, TFLOP/s (TOP/s for integers); `None` without such a unit.
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

#[cfg(test)]
mod tests {
    use crate::catalog::catalog;

    /// Devices whose 8-bit rate is not twice the 16-bit rate, and what it is instead.
    const OTHERWISE: [(&str, f64); 9] = [
        // Devices that multiply FP8 no faster than BF16.
        ("gaudi-3", 1.0),
        ("tpu-v5p", 1.0),
        ("tpu-v6e", 1.0),
        ("trainium1", 1.0),
        ("inferentia2", 1.0),
        // The published rates favour narrow formats.
        ("trainium3", 3.75),
        ("rubin-nvl72", 4.375),
        ("vr200-nvl144", 4.167),
        ("rubin-cpx", 4.375),
    ];

    /// Devices that multiply BF16 at another rate than FP16.
    const UNLIKE: [&str; 3] = ["mi100", "epyc-9965-2s", "epyc-9575f"];

    /// Generations without matrix units.
    const WITHOUT: [&str; 12] = [
        "Pascal", "Maxwell", "Apple M1", "Apple M2", "Apple M3", "Apple M4", "RDNA", "RDNA2", "GCN",
        "Turing", "x86-64", "Neoverse",
    ];

    #[test]
    fn rates_are_dense() {
        for accelerator in &catalog().accelerators {
            let rates = &accelerator.matrix_tflops;
            let id = accelerator.id.as_str();
            if let (Some(sixteen), Some(eight)) = (rates.bf16, rates.fp8) {
                // A sparse rate in either place would make it one or four.
                let usual = OTHERWISE.iter().find(|(other, _)| *other == id).map_or(2.0, |(_, ratio)| *ratio);
                let ratio = eight / sixteen;
                assert!((ratio / usual - 1.0).abs() < 0.2, "{id} multiplies FP8 {ratio} times as fast");
            }
            if let (Some(bf16), Some(fp16)) = (rates.bf16, rates.fp16) {
                let differ = (bf16 - fp16).abs() > 1e-9;
                assert_eq!(differ, UNLIKE.contains(&id), "{id}");
            }
            // Without matrix units, the rates are those of the vector units.
            let widest = rates.bf16.or(rates.fp16);
            let vector = accelerator.vector_tflops;
            let without = WITHOUT.iter().any(|part| accelerator.architecture.contains(part));
            assert!(
                widest.map_or(without, |rate| rate > vector || (without && rate >= 0.99 * vector)),
                "{id}"
            );
        }
    }
}
