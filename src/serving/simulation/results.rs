//! Results of a simulation: mean and percentiles of TTFT, TPOT and latency.

use serde::{Deserialize, Serialize};

use super::histogram::Histogram;
use crate::units::Seconds;

/// A statistic of a distribution of times: the mean or a percentile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The mean.
    #[default]
    Mean,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

impl Level {
    /// Every statistic, in the order of the form.
    pub const ALL: [Self; 5] = [Self::Mean, Self::P50, Self::P90, Self::P95, Self::P99];

    /// Share of the requests whose times lie below the statistic; `None` for the mean.
    pub const fn share(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
        }
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "Mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
        }
    }
}

/// Mean and percentiles of a time over requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The mean.
    pub mean: Seconds,
    /// The median.
    pub p50: Seconds,
    /// The 90th percentile.
    pub p90: Seconds,
    /// The 95th percentile.
    pub p95: Seconds,
    /// The 99th percentile.
    pub p99: Seconds,
}

impl Quantiles {
    /// The time at a level.
    pub const fn at(&self, level: Level) -> Seconds {
        match level {
            Level::Mean => self.mean,
            Level::P50 => self.p50,
            Level::P90 => self.p90,
            Level::P95 => self.p95,
            Level::P99 => self.p99,
        }
    }
}

impl From<&Histogram> for Quantiles {
    fn from(histogram: &Histogram) -> Self {
        let [p50, p90, p95, p99] = [0.5, 0.9, 0.95, 0.99].map(|share| histogram.quantile(share));
        Self { mean: histogram.mean(), p50, p90, p95, p99 }
    }
}

/// Times of the simulated requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// Time to first token.
    pub ttft: Quantiles,
    /// Time per output token after the first, of each request on average.
    pub tpot: Quantiles,
    /// Request latency, from arrival to the last output token.
    pub latency: Quantiles,
    /// Requests that were measured.
    pub requests: u64,
    /// Preemptions for want of KV cache per measured request.
    pub preempted: f64,
    /// Requests in the system, waiting or in flight, averaged over time.
    pub in_system: f64,
    /// Measured requests that finished per second.
    pub rate: f64,
    /// Requests that wait for admission at the end.
    pub waiting: u64,
    /// Shares of prompt tokens that were cached on the GPUs, in host memory and on SSDs.
    pub cached: [f64; 3],
    /// Requests of an open stream: a Poisson process without an end. A closed loop or a run has none.
    pub open: bool,
}

/// Share of the measured requests that wait at the end above which the queue counts as growing. The queue of a replica
/// that keeps up does not depend on how long it is observed.
const GROWING: f64 = 0.01;

impl Simulated {
    /// Returns true unless the queue of an open stream still grows: the replica serves less than what arrives.
    pub fn keeps_up(&self) -> bool {
        !self.open || self.waiting as f64 <= GROWING * self.requests as f64
    }
}
