//! Measured quantities, their units, and the statistics that summarise them.

use crate::units::{Amount, Unit};

/// A measured quantity. Values are in the base unit of [`Kind::unit`]: seconds, bytes, per second, fractions of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Time of one optimizer step, s.
    Step,
    /// Trained tokens per second, all GPUs.
    Tokens,
    /// Trained tokens per second per GPU.
    TokensPerGpu,
    /// Trained sequences or samples per second, all GPUs.
    Samples,
    /// Model FLOP/s per GPU, as the software counts them.
    FlopsPerGpu,
    /// Model FLOPs utilisation: model FLOP/s over a peak, as a fraction of 1.
    Mfu,
    /// Peak memory of a GPU, bytes.
    Memory,
    /// Time to the first token, s.
    Ttft,
    /// (latency − TTFT) / (output tokens − 1) of a request, s.
    Tpot,
    /// Latency / output tokens of a request, the first token included, s.
    PerToken,
    /// Inter-token latency of clients: time between chunks of a stream, each of one token or more, s.
    Itl,
    /// Request latency, from sending to the last token, s.
    Latency,
    /// Generated tokens per second, all GPUs.
    Output,
    /// Generated tokens per second per GPU.
    OutputPerGpu,
    /// Prompt tokens per second, all GPUs.
    Input,
    /// Prompt and generated tokens per second, all GPUs.
    Total,
    /// Prompt and generated tokens per second per GPU.
    TotalPerGpu,
    /// Requests per second.
    Requests,
    /// Mean number of concurrent requests.
    Concurrency,
}

impl Kind {
    /// Label on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Step => "Step time",
            Self::Tokens => "Tokens per second",
            Self::TokensPerGpu => "Tokens per second per GPU",
            Self::Samples => "Samples per second",
            Self::FlopsPerGpu => "Model FLOP/s per GPU",
            Self::Mfu => "MFU",
            Self::Memory => "Peak memory per GPU",
            Self::Ttft => "Time to first token",
            Self::Tpot => "Time per output token",
            Self::PerToken => "Latency per output token",
            Self::Itl => "Time between chunks",
            Self::Latency => "Request latency",
            Self::Output => "Output tokens per second",
            Self::OutputPerGpu => "Output tokens per second per GPU",
            Self::Input => "Prompt tokens per second",
            Self::Total => "Tokens per second, in and out",
            Self::TotalPerGpu => "Tokens per second per GPU, in and out",
            Self::Requests => "Requests per second",
            Self::Concurrency => "Concurrent requests",
        }
    }

    /// The base unit of values.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Step | Self::Ttft | Self::Tpot | Self::PerToken | Self::Itl | Self::Latency => {
                Unit::Seconds
            }
            Self::Memory => Unit::Memory,
            Self::Mfu => Unit::Percent,
            Self::FlopsPerGpu => Unit::FlopRate,
            Self::Samples | Self::Requests | Self::Concurrency => Unit::None,
            _ => Unit::Rate,
        }
    }

    /// A value of this kind with its unit.
    pub const fn amount(self, value: f64) -> Amount {
        Amount::new(value, self.unit())
    }
}

/// The statistic that summarises measured values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statistic {
    /// Arithmetic mean.
    Mean,
    /// Median.
    Median,
    /// The 99th percentile.
    P99,
    /// One number for the whole run.
    Whole,
}

impl Statistic {
    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::P99 => "99th percentile",
            Self::Whole => "whole run",
        }
    }
}
