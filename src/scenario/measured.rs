//! Measured values of a scenario, shown beside the prediction.

use serde::{Deserialize, Serialize};

/// Measured values. They do not affect the prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// The source, e.g. the name of a benchmark; empty for values that were typed in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// Time of one optimizer step, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_s: Option<f64>,
    /// Training throughput, tokens per second per GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_gpu: Option<f64>,
    /// Model FLOPs utilisation (MFU), as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mfu: Option<f64>,
    /// Peak rate that the MFU refers to, TFLOP/s; the device's dense peak if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_tflops: Option<f64>,
    /// Time to first token (TTFT), ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<f64>,
    /// Time per output token after the first (TPOT), ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<f64>,
    /// Request latency, from sending to the last token, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Output throughput over all GPUs, tokens/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
}

impl Measured {
    /// Returns true if there are no measured values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
