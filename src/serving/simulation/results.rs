//! What a simulation found.

use serde::Serialize;

use super::histogram::Histogram;
use crate::units::Seconds;

/// Which of a distribution's numbers is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The mean.
    #[default]
    Mean,
    /// The median.
    P50,
    /// What 90 of 100 do not exceed.
    P90,
    /// What 95 of 100 do not exceed.
    P95,
    /// What 99 of 100 do not exceed.
    P99,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Mean, Self::P50, Self::P90, Self::P95, Self::P99];

    /// As it is shown.
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

/// Mean and percentiles of a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// The mean.
    pub mean: Seconds,
    /// The median.
    pub p50: Seconds,
    /// What 90 of 100 do not exceed.
    pub p90: Seconds,
    /// What 95 of 100 do not exceed.
    pub p95: Seconds,
    /// What 99 of 100 do not exceed.
    pub p99: Seconds,
}

impl Quantiles {
    /// The number that is meant.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Simulated {
    /// Time to first token.
    pub ttft: Quantiles,
    /// Time per output token after the first, of each request on average.
    pub tpot: Quantiles,
    /// The whole request.
    pub latency: Quantiles,
    /// Requests that were measured.
    pub requests: u64,
    /// How often a request gave its place back because the KV cache was full, over the requests.
    pub preempted: f64,
    /// Requests in the system on average over time.
    pub in_system: f64,
    /// Requests that ended, per second.
    pub rate: f64,
}
