//! A trace, and what a sizing needs of it.

use super::reuse::Reuse;
use crate::order;
use crate::scenario::{Facts, Scenario, View};
use crate::units::{Amount, format};

/// Tokens of a block whose key–value pairs are cached as a whole, in Mooncake's traces.
const BLOCK: f64 = 512.0;

/// Length of the window whose busiest gives the peak factor, s.
const WINDOW: f64 = 60.0;

/// Coefficient of variation of the times between arrivals above which a Poisson process understates queues. It is 1 for
/// a Poisson process, 13 for Azure's trace of code completions.
const BURSTY: f64 = 1.5;

/// What wrote a trace.
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
    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "Mooncake",
            Self::Azure => "Azure's public dataset",
            Self::BurstGpt => "BurstGPT",
        }
    }
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Time of arrival, s, from any origin.
    pub arrival: f64,
    /// Prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Blocks of the prompt, each with everything before it; equal numbers are equal prefixes.
    pub blocks: Vec<u64>,
}

/// Requests in the order of their arrival: at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What wrote it.
    pub format: Format,
    /// The requests that have both a prompt and an answer.
    pub requests: Vec<Request>,
    /// Requests that failed, with no prompt or no answer, which are left out.
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

    /// Mean request rate, 1/s; `None` where all came at once.
    pub fn rate(&self) -> Option<f64> {
        let span = self.span();
        (span > 0.0).then(|| self.requests.len() as f64 / span)
    }

    /// Request rate of the busiest minute over the mean rate, at least 1; `None` for traces of less than two minutes.
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
        // The last window is cut short.
        counts.pop();
        let most = counts.into_iter().fold(0.0, f64::max) / WINDOW;
        Some((most / rate).max(1.0))
    }

    /// Coefficient of variation of the times between arrivals.
    pub fn variation(&self) -> Option<f64> {
        let gaps: Vec<f64> = self.requests.windows(2).map(|pair| pair[1].arrival - pair[0].arrival).collect();
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / count;
        (mean > 0.0).then(|| libm::sqrt(variance) / mean)
    }

    /// Mean of a length.
    pub fn mean(&self, length: fn(&Request) -> f64) -> f64 {
        self.requests.iter().map(length).sum::<f64>() / (self.requests.len() as f64).max(1.0)
    }

    /// The length below which a share of the requests lies.
    pub fn quantile(&self, length: fn(&Request) -> f64, share: f64) -> f64 {
        let mut lengths: Vec<f64> = self.requests.iter().map(length).collect();
        lengths.sort_by(f64::total_cmp);
        order::quantile(&lengths, share)
    }

    /// Share of prompt tokens that a prefix cache of so many tokens has, replaced by least recent use; `None` where the
    /// trace does not say which prefixes are equal.
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

    /// The fields of a sizing that the trace gives; `room` is the prefix cache that a replica would have, tokens.
    pub fn facts(&self, room: f64) -> Facts {
        let mut facts = Facts::default();
        facts.whole("inference.input", libm::round(self.mean(|request| request.input)).max(1.0));
        facts.whole("inference.output", libm::round(self.mean(|request| request.output)).max(1.0));
        if let Some(rate) = self.rate() {
            let busiest = rate * self.peak().unwrap_or(1.0);
            facts.text("sizing.load", "rate");
            facts.number("inference.rate", busiest);
        }
        // A whole share would leave nothing to prefill.
        facts.number("inference.cached", self.reuse(room).map(|share| share.min(0.99)));
        facts
    }

    /// What the trace says beside those fields, in sentences without a full stop.
    pub fn remarks(&self, room: f64) -> Vec<String> {
        let mut remarks = Vec::new();
        let quantiles = |length: fn(&Request) -> f64| {
            [0.5, 0.95, 0.99].map(|share| Amount::count(self.quantile(length, share)).to_string())
        };
        let [median, high, highest] = quantiles(|request| request.input);
        let [short, long, longest] = quantiles(|request| request.output);
        remarks.push(format!(
            "Prompts have {median} tokens at the median, {high} at p95 and {highest} at p99; answers {short}, {long} and \
             {longest}. Fleets are sized for the means, and percentiles for lengths as chosen under Lengths"
        ));
        if let (Some(rate), Some(peak)) = (self.rate(), self.peak()) {
            remarks.push(format!(
                "The rate is that of the busiest minute, {} times the mean of {}/s",
                format::digits(peak),
                format::digits(rate)
            ));
        }
        if let Some(variation) = self.variation().filter(|variation| *variation > BURSTY) {
            remarks.push(format!(
                "Arrivals are burstier than a Poisson process, as which they are simulated: the times between them vary \
                 {} times as much",
                format::digits(variation)
            ));
        }
        if let (Some(here), Some(all)) = (self.reuse(room), self.reuse(f64::INFINITY)) {
            remarks.push(format!(
                "A prefix cache of {} tokens, which one replica of the present question has, holds {} of the prompt \
                 tokens; a cache without end {}",
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

    /// The prefix cache of one attention replica of a question, tokens: each of its GPUs holds its part of every token.
    pub fn room(question: &Scenario) -> f64 {
        let question = Scenario { view: View::Inference, ..question.clone() };
        let room = question.with_inference(|job| {
            let (free, _, per_token) = job.cache_room();
            free.max(0.0) / per_token
        });
        room.ok().filter(|tokens| tokens.is_finite()).unwrap_or(0.0)
    }
}
