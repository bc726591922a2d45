//! Measured quantities, with the names and units of the collections of measurements.

use crate::units::format;

/// Measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// One optimizer step, s.
    IterTime,
    /// Trained tokens per second, all GPUs.
    TokensPerSecond,
    /// Trained tokens per second per GPU.
    TokensPerSecondPerGpu,
    /// Peak memory of the fullest GPU, GiB.
    PeakMemory,
    /// 1 if the job fits into memory, 0 if it does not.
    Fits,
    /// Time to the first token, ms.
    Ttft,
    /// Time per output token after the first, ms.
    Tpot,
    /// Time per output token where only decoding was measured, ms.
    DecodePerToken,
    /// A request from its first prompt token to its last output token, ms.
    RequestLatency,
    /// Generated tokens per second, all GPUs.
    OutputTokensPerSecond,
    /// Generated tokens per second per GPU.
    OutputTokensPerSecondPerGpu,
    /// Prompt tokens read per second.
    PrefillTokensPerSecond,
    /// One kernel or collective, µs.
    Latency,
    /// Arithmetic of one kernel, TFLOP/s.
    AchievedTflops,
    /// DRAM traffic of one kernel, GB/s.
    AchievedBandwidth,
    /// Collective: bytes that cross the busiest link per second, GB/s.
    BusBandwidth,
}

impl Quantity {
    /// All quantities.
    pub const ALL: [Self; 16] = [
        Self::IterTime,
        Self::TokensPerSecond,
        Self::TokensPerSecondPerGpu,
        Self::PeakMemory,
        Self::Fits,
        Self::Ttft,
        Self::Tpot,
        Self::DecodePerToken,
        Self::RequestLatency,
        Self::OutputTokensPerSecond,
        Self::OutputTokensPerSecondPerGpu,
        Self::PrefillTokensPerSecond,
        Self::Latency,
        Self::AchievedTflops,
        Self::AchievedBandwidth,
        Self::BusBandwidth,
    ];

    /// A value with its name and unit: `TTFT 80.1 ms`.
    pub fn stated(self, value: f64) -> String {
        let number = format::digits(value);
        match self.label().split_once(", ") {
            Some((name, unit)) => format!("{name} {number} {unit}"),
            None => format!("{number} {}", self.label()),
        }
    }

    /// The field's name in files of measurements and outcomes; its end is its unit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IterTime => "iter_time_s",
            Self::TokensPerSecond => "tokens_per_s",
            Self::TokensPerSecondPerGpu => "tokens_per_s_per_gpu",
            Self::PeakMemory => "peak_mem_gib",
            Self::Fits => "fits",
            Self::Ttft => "ttft_ms",
            Self::Tpot => "tpot_ms",
            Self::DecodePerToken => "decode_ms_per_token",
            Self::RequestLatency => "e2e_latency_ms",
            Self::OutputTokensPerSecond => "output_tokens_per_s",
            Self::OutputTokensPerSecondPerGpu => "output_tokens_per_s_per_gpu",
            Self::PrefillTokensPerSecond => "prefill_tokens_per_s",
            Self::Latency => "latency_us",
            Self::AchievedTflops => "achieved_tflops",
            Self::AchievedBandwidth => "achieved_bw_gb_s",
            Self::BusBandwidth => "busbw_gb_s",
        }
    }

    /// Label on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::IterTime => "Step time, s",
            Self::TokensPerSecond => "Tokens/s",
            Self::TokensPerSecondPerGpu => "Tokens/s per GPU",
            Self::PeakMemory => "Peak memory, GiB",
            Self::Fits => "Fits into memory",
            Self::Ttft => "TTFT, ms",
            Self::Tpot => "TPOT, ms",
            Self::DecodePerToken => "Decode, ms per token",
            Self::RequestLatency => "Request latency, ms",
            Self::OutputTokensPerSecond => "Output tokens/s",
            Self::OutputTokensPerSecondPerGpu => "Output tokens/s per GPU",
            Self::PrefillTokensPerSecond => "Prompt tokens/s",
            Self::Latency => "Kernel time, µs",
            Self::AchievedTflops => "Kernel rate, TFLOP/s",
            Self::AchievedBandwidth => "Kernel traffic, GB/s",
            Self::BusBandwidth => "Bus bandwidth, GB/s",
        }
    }

    /// The quantity of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// Returns true for rates, for which larger is faster.
    pub(super) const fn is_rate(self) -> bool {
        matches!(
            self,
            Self::TokensPerSecond
                | Self::TokensPerSecondPerGpu
                | Self::OutputTokensPerSecond
                | Self::OutputTokensPerSecondPerGpu
                | Self::PrefillTokensPerSecond
        )
    }

    /// For a rate of tokens, the equivalent time; otherwise the quantity itself.
    #[must_use]
    pub const fn as_time(self) -> Self {
        match self {
            Self::TokensPerSecond | Self::TokensPerSecondPerGpu => Self::IterTime,
            Self::OutputTokensPerSecond | Self::OutputTokensPerSecondPerGpu => Self::RequestLatency,
            Self::PrefillTokensPerSecond => Self::Ttft,
            other => other,
        }
    }
}
