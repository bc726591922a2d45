//! Distributions of prompt and output lengths.

use super::random::Random;

/// The distribution of lengths around a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lengths {
    /// Every length equals the mean.
    #[default]
    Constant,
    /// Uniform between 8/9 and 10/9 of the mean: 0.8 to 1 of a nominal length, as InferenceMAX's benchmark draws.
    Narrow,
    /// Uniform between 0 and twice the mean.
    Uniform,
    /// Distribution of Azure's 2023 trace of conversations, scaled to the mean.
    Conversation,
    /// Distribution of Azure's 2023 trace of code completions, scaled to the mean.
    Code,
    /// Distribution of Mooncake's trace of conversations, scaled to the mean.
    Long,
    /// Distribution of Mooncake's synthetic trace, scaled to the mean: long prompts get short outputs.
    Synthetic,
    /// The requests of an opened trace, with their arrivals and shared prefixes. Without it, every length equals the mean.
    Trace,
}

/// Shares of requests, 0 to 1, at which the traces' quantiles are tabulated.
const SHARES: [f64; 11] = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0];

/// Quantiles of prompt and output lengths, tokens, computed from AzureLLMInferenceTrace_conv (2023; 19,366 requests;
/// Azure/AzurePublicDataset, CC-BY-4.0).
const CONVERSATION: [[f64; 11]; 2] = [
    [1.0, 29.0, 181.0, 207.0, 396.0, 1020.0, 1189.0, 2734.5, 4083.0, 4142.0, 14050.0],
    [1.0, 16.0, 41.0, 54.0, 85.0, 129.0, 395.0, 424.0, 451.0, 601.0, 1000.0],
];
/// Quantiles of prompt and output lengths of AzureLLMInferenceTrace_code (2023; 8,819 requests;
/// Azure/AzurePublicDataset, CC-BY-4.0).
const CODE: [[f64; 11]; 2] = [
    [1.0, 17.0, 75.0, 147.0, 578.0, 1469.0, 2744.5, 5187.6, 7303.3, 7436.0, 7437.0],
    [1.0, 6.0, 6.0, 7.0, 9.0, 13.0, 24.0, 55.0, 90.0, 251.5, 1899.0],
];
/// Quantiles of prompt and output lengths of Mooncake's conversation trace (12,031 requests; kvcache-ai/Mooncake,
/// FAST'25, Apache-2.0).
const LONG: [[f64; 11]; 2] = [
    [1.0, 894.0, 901.0, 964.0, 2306.5, 6909.0, 15367.0, 27367.0, 39550.5, 85400.0, 126_195.0],
    [1.0, 3.0, 10.0, 24.0, 156.5, 350.0, 472.0, 597.0, 698.0, 1118.5, 2000.0],
];
/// Quantiles of prompt and output lengths of Mooncake's synthetic trace (3,993 requests; kvcache-ai/Mooncake@3b5a5941,
/// FAST'25, Apache-2.0). The shortest length is not published: 1.
const SYNTHETIC: [[f64; 11]; 2] = [
    [1.0, 16.0, 22.0, 30.0, 277.0, 11_587.0, 23_175.0, 38_611.0, 48_905.0, 66_456.0, 191_378.0],
    [1.0, 2.0, 2.0, 4.0, 11.0, 69.0, 250.0, 389.0, 519.0, 768.0, 893.0],
];

/// Fraction of the requests of Mooncake's synthetic trace whose output length is drawn at the quantile opposite to that of the
/// prompt length. With a fraction of 1 the correlation of both lengths is -0.576; that of the trace is -0.374.
const SYNTHETIC_OPPOSED: f64 = 0.374 / 0.576;

impl Lengths {
    /// Every distribution, in the order of the form.
    pub const ALL: [Self; 8] = [
        Self::Constant,
        Self::Narrow,
        Self::Uniform,
        Self::Conversation,
        Self::Code,
        Self::Long,
        Self::Synthetic,
        Self::Trace,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "Constant",
            Self::Narrow => "Uniform, 11 % around the mean",
            Self::Uniform => "Uniform, 0 to twice the mean",
            Self::Conversation => "Azure conversations (2023)",
            Self::Code => "Azure code completions (2023)",
            Self::Long => "Mooncake conversations",
            Self::Synthetic => "Mooncake synthetic",
            Self::Trace => "The opened trace, with its arrivals",
        }
    }

    /// Quantiles of prompt and output lengths, tokens, of a trace.
    const fn quantiles(self) -> Option<&'static [[f64; 11]; 2]> {
        match self {
            Self::Constant | Self::Narrow | Self::Uniform | Self::Trace => None,
            Self::Conversation => Some(&CONVERSATION),
            Self::Code => Some(&CODE),
            Self::Long => Some(&LONG),
            Self::Synthetic => Some(&SYNTHETIC),
        }
    }

    /// Draws a prompt and an output length, tokens, at least 1 each, with these means.
    ///
    /// Both lengths are drawn independently, since they hardly correlate in these traces (-0.11 to 0.07). Mooncake's synthetic
    /// trace is an exception (-0.37). Only its quantiles and its correlation are published, so a fraction of the requests
    /// (`SYNTHETIC_OPPOSED`) has the output length at the quantile opposite to that of the prompt length.
    pub fn draw(self, means: (f64, f64), random: &mut Random) -> (u32, u32) {
        if self != Self::Synthetic {
            let input = self.one(0, means.0, || random.share());
            return (input, self.one(1, means.1, || random.share()));
        }
        let share = random.share();
        let opposed = random.share() < SYNTHETIC_OPPOSED;
        let of_output = if opposed { 1.0 - share } else { random.share() };
        (self.one(0, means.0, || share), self.one(1, means.1, || of_output))
    }

    /// Length in tokens at a quantile: of a prompt (`which` = 0) or an output (`which` = 1).
    fn one(self, which: usize, mean: f64, share: impl FnOnce() -> f64) -> u32 {
        libm::round(mean * self.of_mean(which, share)).clamp(1.0, f64::from(u32::MAX)) as u32
    }

    /// The prompt length that this share of the requests does not exceed, as a multiple of the mean. A trace's own lengths
    /// are not known here: 1.
    pub fn prompt_quantile(self, share: f64) -> f64 {
        self.of_mean(0, || share)
    }

    /// The length at a share of the requests, as a multiple of the mean. Equal lengths need no share.
    fn of_mean(self, which: usize, share: impl FnOnce() -> f64) -> f64 {
        match (self, self.quantiles()) {
            (Self::Narrow, _) => (8.0 + 2.0 * share()) / 9.0,
            (Self::Uniform, _) => 2.0 * share(),
            (_, Some(tables)) => at(&tables[which], share()) / expected(&tables[which]),
            (_, None) => 1.0,
        }
    }
}

/// The length at a share, 0 to 1: between the tabulated quantiles its logarithm is interpolated, since lengths of most
/// requests between two of them are near the lower one.
fn at(quantiles: &[f64; 11], share: f64) -> f64 {
    let above = SHARES.iter().position(|known| *known >= share).unwrap_or(10).max(1);
    let along = (share - SHARES[above - 1]) / (SHARES[above] - SHARES[above - 1]);
    let (low, high) = (quantiles[above - 1], quantiles[above]);
    low * libm::pow(high / low, along)
}

/// Mean of lengths whose logarithms are interpolated between these quantiles: ∫ low (high / low)^x dx from 0 to 1 is
/// (high − low) / ln(high / low).
fn expected(quantiles: &[f64; 11]) -> f64 {
    let part = |at: usize| {
        let (low, high) = (quantiles[at - 1], quantiles[at]);
        let mean = if high > low { (high - low) / libm::log(high / low) } else { low };
        (SHARES[at] - SHARES[at - 1]) * mean
    };
    (1..11).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_their_mean() {
        for lengths in Lengths::ALL {
            let mut random = Random::new(11);
            let (mut prompts, mut answers) = (0.0, 0.0);
            for _ in 0..50_000 {
                let (prompt, answer) = lengths.draw((3000.0, 500.0), &mut random);
                prompts += f64::from(prompt) / 50_000.0;
                answers += f64::from(answer) / 50_000.0;
            }
            assert!((prompts / 3000.0 - 1.0).abs() < 0.02, "{lengths:?}: {prompts}");
            assert!((answers / 500.0 - 1.0).abs() < 0.03, "{lengths:?}: {answers}");
        }
    }

    /// Interpolated quantiles reproduce the means of the whole traces, but for the longest code outputs: most of the last
    /// hundredth, which has 251 to 1,899 tokens, are shorter still than interpolated.
    #[test]
    fn quantiles_have_nearly_the_means_of_their_traces() {
        for (tables, means, most) in [
            (CONVERSATION, [1154.7, 211.1], [0.031, 0.031]),
            (CODE, [2047.8, 27.9], [0.031, 0.17]),
            (LONG, [12_035.0, 342.6], [0.031, 0.031]),
            (SYNTHETIC, [15_325.0, 149.1], [0.031, 0.031]),
        ] {
            for ((table, mean), most) in tables.iter().zip(means).zip(most) {
                assert!((expected(table) / mean - 1.0).abs() < most, "{} for {mean}", expected(table));
            }
        }
    }

    /// Long prompts of Mooncake's synthetic trace get short outputs; the lengths of the other distributions do not correlate.
    #[test]
    fn lengths_correlate_as_in_their_traces() {
        for lengths in Lengths::ALL {
            let mut random = Random::new(11);
            // The traces' own means, so that rounding changes nothing.
            let drawn: Vec<(f64, f64)> = (0..50_000)
                .map(|_| lengths.draw((15_325.0, 149.1), &mut random))
                .map(|(input, output)| (f64::from(input), f64::from(output)))
                .collect();
            let mean = |of: &dyn Fn(&(f64, f64)) -> f64| drawn.iter().map(of).sum::<f64>() / 50_000.0;
            let (input, output) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
            let covariance = mean(&|pair| (pair.0 - input) * (pair.1 - output));
            let square = |of: f64| of * of;
            let variances = mean(&|pair| square(pair.0 - input)) * mean(&|pair| square(pair.1 - output));
            let expected = if lengths == Lengths::Synthetic { -0.374 } else { 0.0 };
            let found = if variances > 0.0 { covariance / variances.sqrt() } else { 0.0 };
            assert!((found - expected).abs() < 0.02, "{lengths:?}: {found}");
        }
    }
}
