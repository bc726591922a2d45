//! What somebody measured of the question: numbers that stand beside the prediction.

use serde::{Deserialize, Serialize};

/// Measured numbers; none changes the prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// Where they come from: the name of a benchmark, or anything; empty where they were typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// One optimizer step, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_s: Option<f64>,
    /// Trained tokens per second and GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_gpu: Option<f64>,
    /// Model FLOPs utilisation, as a fraction of 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mfu: Option<f64>,
    /// The peak that this utilisation is of, TFLOP/s; the device's dense peak where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_tflops: Option<f64>,
    /// Time to the first token, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<f64>,
    /// Time per output token after the first, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<f64>,
    /// A request from its sending to its last token, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Generated tokens per second, all GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
}

impl Measured {
    /// Returns true if nothing was measured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
