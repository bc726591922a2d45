//! Cost of one execution of an operator, and the resource that limits it.

use serde::Serialize;

use crate::units::{Bytes, Flops, Seconds};

/// The resource that an operator waits for longest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Tensor or vector units.
    #[default]
    Compute,
    /// DRAM bandwidth.
    Dram,
    /// L2 bandwidth.
    L2,
    /// Links between GPUs.
    Network,
    /// Starting the kernel.
    Launch,
}

impl Bound {
    /// All resources.
    pub const ALL: [Self; 5] = [Self::Compute, Self::Dram, Self::L2, Self::Network, Self::Launch];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::Network => "network",
            Self::Launch => "launch",
        }
    }
}

/// The cost of one operator run once on one GPU.
///
/// `time` is at least each of the parts, and includes what no part covers (summing split products, reading a cache in
/// sequence).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Floating-point operations.
    pub flops: Flops,
    /// Bytes through DRAM, or over links for a collective.
    pub bytes: Bytes,
    /// Total time.
    pub time: Seconds,
    /// Time of the arithmetic alone.
    pub compute: Seconds,
    /// Time of the DRAM traffic alone.
    pub dram: Seconds,
    /// Time of the L2 traffic alone.
    pub l2: Seconds,
    /// Time of the link traffic alone, including latency.
    pub network: Seconds,
    /// Starting and draining the kernel.
    pub launch: Seconds,
    /// The largest of the parts.
    pub bound: Bound,
}

impl Cost {
    /// Names the largest part as what binds; `time` stays as it is.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let parts = [
            (Bound::Compute, self.compute),
            (Bound::Dram, self.dram),
            (Bound::L2, self.l2),
            (Bound::Network, self.network),
            (Bound::Launch, self.launch),
        ];
        let mut largest = parts[0];
        for part in parts {
            if part.1 > largest.1 {
                largest = part;
            }
        }
        self.bound = largest.0;
        self
    }

    /// The cost with the shorter time; `other` if both take equally long.
    #[must_use]
    pub(super) fn or_faster(self, other: Self) -> Self {
        if self.time < other.time { self } else { other }
    }

    /// Floating-point operations per byte of DRAM traffic.
    pub fn intensity(&self) -> f64 {
        if self.bytes > Bytes::ZERO { self.flops.get() / self.bytes.get() } else { 0.0 }
    }
}
