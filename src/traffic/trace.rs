//! A request trace, and the load parameters that the Sizing view takes from it.

use super::reuse::Reuse;
use crate::order;
use crate::scenario::{Facts, Scenario, View};
use crate::units::{Amount, format};

/// Tokens per prefix-cache block in Mooncake's traces.
const BLOCK: f64 = 512.0;

/// Length of the windows in which the peak request rate is counted, s.
const WINDOW: f64 = 60.0;

/// Coefficient of variation of inter-arrival times above which a Poisson process clearly understates queueing. It is 1
/// for a Poisson process and 13 for Azure's trace of code completions.
const BURSTY: f64 = 1.5;

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Mooncake's JSON lines.
    Mooncake,
    /// Azure's CSV.
    Azure,
    /// `BurstGPT`'s CSV.
    BurstGpt,
}

impl Format {
    /// Name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "Mooncake",
            Self::Azure => "Azure's public dataset",
            Self::BurstGpt => "BurstGPT",
        }
    }
}

/// One request of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Arrival time, s, from an arbitrary origin.
    pub arrival: f64,
    /// Prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Hash of each prompt block together with all blocks before it: equal hashes mean equal prefixes. Empty if
    /// unknown.
    pub blocks: Vec<u64>,
}

/// A trace of at least one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Format of the trace.
    pub format: Format,
    /// Requests with both a prompt and an answer, in order of arrival.
    pub requests: Vec<Request>,
    /// Number of requests left out because they have no prompt or no answer.
    pub failed: u32,
}

impl Trace {
    /// Time from the first arrival to the last, s.
    pub fn span(&self) -> f64 {
        match (self.requests.first(), self.requests.last()) {
            (Some(first), Some(last)) => last.arrival - first.arrival,
            _ => 0.0,
        }
    }

    /// Mean request rate, 1/s; `None` if all requests arrive at once.
    pub fn rate(&self) -> Option<f64> {
        let span = self.span();
        (span > 0.0).then(|| self.requests.len() as f64 / span)
    }

    /// Peak-to-mean ratio of the request rate, at least 1. The peak is the rate of the busiest minute. `None` for
    /// traces of less than two minutes.
    pub fn peak(&self) -> Option<f64> {
        let (rate, first) = (self.rate()?, self.requests.first()?.arrival);
        let whole = libm::floor(self.span() / WINDOW);
        if whole < 2.0 {
            return None;
        }
        let mut counts = vec![0.0_f64; whole as usize + 1];
        for request in &self.requests {
            if let Some(count) = counts.get_mut(((request.arrival - first) / WINDOW) as usize) {
                *count += 1.0;
            }
        }
        // The last window is incomplete.
        counts.pop();
        let most = counts.into_iter().fold(0.0, f64::max) / WINDOW;
        Some((most / rate).max(1.0))
    }

    /// Coefficient of variation of inter-arrival times.
    pub fn variation(&self) -> Option<f64> {
        let gaps: Vec<f64> = self.requests.windows(2).map(|pair| pair[1].arrival - pair[0].arrival).collect();
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / count;
        (mean > 0.0).then(|| libm::sqrt(variance) / mean)
    }

    /// Mean of a length over the requests, tokens.
    pub fn mean(&self, length: fn(&Request) -> f64) -> f64 {
        self.requests.iter().map(length).sum::<f64>() / (self.requests.len() as f64).max(1.0)
    }

    /// Quantile of a length over the requests, tokens; `share` is between 0 and 1.
    pub fn quantile(&self, length: fn(&Request) -> f64, share: f64) -> f64 {
        let mut lengths: Vec<f64> = self.requests.iter().map(length).collect();
        lengths.sort_by(f64::total_cmp);
        order::quantile(&lengths, share)
    }

    /// Share of prompt tokens found in an LRU prefix cache of `tokens` tokens. `None` if the trace has no prefix
    /// hashes.
    pub fn reuse(&self, tokens: f64) -> Option<f64> {
        let blocks = libm::floor(tokens / BLOCK).min(1e9) as usize;
        let mut cache = Reuse::new(blocks);
        let (mut hit, mut all) = (0.0, 0.0);
        for request in self.requests.iter().filter(|request| !request.blocks.is_empty()) {
            let cached = cache.request(&request.blocks) as f64 * BLOCK;
            hit += cached.min(request.input);
            all += request.input;
        }
        (all > 0.0).then(|| hit / all)
    }

    /// The sizing fields that the trace sets. `room` is the capacity of a replica's prefix cache, tokens.
    pub fn facts(&self, room: f64) -> Facts {
        let mut facts = Facts::default();
        facts.whole("inference.input", libm::round(self.mean(|request| request.input)).max(1.0));
        facts.whole("inference.output", libm::round(self.mean(|request| request.output)).max(1.0));
        if let Some(rate) = self.rate() {
            let busiest = rate * self.peak().unwrap_or(1.0);
            facts.text("sizing.load", "rate");
            facts.number("inference.rate", busiest);
        }
        // A hit rate of 1 would leave nothing to prefill.
        facts.number("inference.cached", self.reuse(room).map(|share| share.min(0.99)));
        facts
    }

    /// Statistics of the trace that no field holds: one sentence each, without a full stop. `room` as in
    /// [`Self::facts`].
    pub fn remarks(&self, room: f64) -> Vec<String> {
        let mut remarks = Vec::new();
        let quantiles = |length: fn(&Request) -> f64| {
            [0.5, 0.95, 0.99].map(|share| Amount::count(self.quantile(length, share)).to_string())
        };
        let [median, high, highest] = quantiles(|request| request.input);
        let [short, long, longest] = quantiles(|request| request.output);
        remarks.push(format!(
            "Prompt tokens: median {median}, p95 {high}, p99 {highest}. Output tokens: median {short}, p95 {long}, p99 \
             {longest}. Fleets are sized for the mean lengths; percentiles are simulated with the distribution under Lengths"
        ));
        if let (Some(rate), Some(peak)) = (self.rate(), self.peak()) {
            remarks.push(format!(
                "The request rate is that of the busiest minute, {} times the mean of {}/s",
                format::digits(peak),
                format::digits(rate)
            ));
        }
        if let Some(variation) = self.variation().filter(|variation| *variation > BURSTY) {
            remarks.push(format!(
                "Arrivals are simulated as a Poisson process but are burstier: the coefficient of variation of their \
                 intervals is {} instead of 1",
                format::digits(variation)
            ));
        }
        if let (Some(here), Some(all)) = (self.reuse(room), self.reuse(f64::INFINITY)) {
            remarks.push(format!(
                "The prefix cache of one replica of the current question, {} tokens, would hold {} of the prompt tokens; an \
                 unlimited cache {}",
                Amount::count(room),
                Amount::percent(here),
                Amount::percent(all)
            ));
        }
        if self.failed > 0 {
            remarks.push(format!(
                "Left out: {} requests without a prompt or an answer",
                Amount::count(self.failed)
            ));
        }
        remarks
    }

    /// Capacity of the prefix cache of one attention replica, tokens: the memory per GPU that is free for the KV cache
    /// over the bytes per token and GPU.
    pub fn room(question: &Scenario) -> f64 {
        let question = Scenario { view: View::Inference, ..question.clone() };
        let room = question.with_inference(|job| {
            let (free, _, per_token) = job.cache_room();
            free.max(0.0) / per_token
        });
        room.ok().filter(|tokens| tokens.is_finite()).unwrap_or(0.0)
    }
}
