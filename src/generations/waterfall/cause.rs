//! The causes of a speed-up.

use serde::Serialize;

/// A cause of a speed-up: a property in which two sides differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Matrix rate at the first side's precision.
    Rate,
    /// A narrower number format, at its speed-up on the second device.
    Precision,
    /// DRAM bandwidth.
    DramBandwidth,
    /// DRAM capacity: larger microbatches, less recomputation, fewer cuts.
    DramCapacity,
    /// Bandwidth inside a scale-up domain.
    ScaleUp,
    /// GPUs in a scale-up domain.
    Domain,
    /// Bandwidth between domains.
    ScaleOut,
    /// Batch, sequence and number of GPUs.
    Job,
    /// Degrees, microbatch and recomputation chosen anew instead of kept.
    Plan,
    /// Vector units, L2, multiprocessors, and the fractions of the peaks that kernels and collectives reach.
    Rest,
}

impl Cause {
    /// All causes, in display order.
    pub const ALL: [Self; 10] = [
        Self::Rate,
        Self::Precision,
        Self::DramBandwidth,
        Self::DramCapacity,
        Self::ScaleUp,
        Self::Domain,
        Self::ScaleOut,
        Self::Job,
        Self::Plan,
        Self::Rest,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rate => "Matrix rate, same format",
            Self::Precision => "Narrower format",
            Self::DramBandwidth => "DRAM bandwidth",
            Self::DramCapacity => "DRAM capacity",
            Self::ScaleUp => "Scale-up bandwidth",
            Self::Domain => "Scale-up domain",
            Self::ScaleOut => "Scale-out bandwidth",
            Self::Job => "Batch and GPUs",
            Self::Plan => "Parallelism chosen anew",
            Self::Rest => "Rest of the device",
        }
    }
}
