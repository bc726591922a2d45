//! A request trace, and the load parameters that the Sizing view takes from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::inference::CacheTiers;
use crate::order;
use crate::scenario::{Facts, Scenario, View};
use crate::serving::simulation::{Lengths, PrefixCache, Random, Replay, TraceRequest as Request};
use crate::words::Word;

/// Length of the windows in which the peak request rate is counted, s.
const WINDOW: f64 = 60.0;

/// Gap between arrival times from which equal times are taken for coarse ones, s. Mooncake's traces have whole multiples of 3 s.
const COARSE: f64 = 1.0;

/// Start and factor of the FNV-1a hash of 64 bits (Fowler, Noll and Vo), here of numbers in place of bytes.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Mooncake's JSON lines.
    Mooncake,
    /// Azure's CSV.
    Azure,
    /// `BurstGPT`'s CSV.
    BurstGpt,
    /// AIPerf's JSON lines of single requests or of sessions.
    Aiperf,
    /// JSON lines of `vllm bench serve --dataset-name custom`.
    VllmCustom,
    /// ShareGPT's JSON of conversations.
    ShareGpt,
}

impl Format {
    /// Name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "Mooncake",
            Self::Azure => "Azure's public dataset",
            Self::BurstGpt => "BurstGPT",
            Self::Aiperf => "AIPerf",
            Self::VllmCustom => "vLLM's custom dataset",
            Self::ShareGpt => "ShareGPT",
        }
    }
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
    /// Number of conversations left out because `vllm bench serve` does not send them.
    pub skipped: u32,
    /// True if requests, and sessions as a whole, have arrival times.
    pub timed: bool,
    /// True if token counts are estimated from texts.
    pub estimated: bool,
    /// Prompt tokens of a block of its prefix hashes.
    pub block: f64,
}

/// Seed of the arrival times of traces that have none.
const SEED: u64 = 0xA221;

impl Trace {
    /// A trace of requests without arrival times.
    pub(super) const fn of(format: Format, requests: Vec<Request>, block: f64) -> Self {
        Self { format, requests, failed: 0, skipped: 0, timed: false, estimated: false, block }
    }

    /// Time from the first arrival to the last, s; 0 without arrival times.
    pub fn span(&self) -> f64 {
        match (self.requests.first(), self.requests.last()) {
            (Some(first), Some(last)) if self.timed => last.time() - first.time(),
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
        let (rate, first) = (self.rate()?, self.requests.first()?.time());
        let whole = libm::floor(self.span() / WINDOW);
        if whole < 2.0 {
            return None;
        }
        let mut counts = vec![0.0_f64; whole as usize + 1];
        for request in &self.requests {
            if let Some(count) = counts.get_mut(((request.time() - first) / WINDOW) as usize) {
                *count += 1.0;
            }
        }
        // The last window is incomplete.
        counts.pop();
        let most = counts.into_iter().fold(0.0, f64::max) / WINDOW;
        Some((most / rate).max(1.0))
    }

    /// Times between arrivals, s.
    fn gaps(&self) -> impl Iterator<Item = f64> {
        self.requests.windows(2).map(|pair| pair[1].time() - pair[0].time())
    }

    /// Coefficient of variation of inter-arrival times.
    pub fn variation(&self) -> Option<f64> {
        let gaps: Vec<f64> = self.gaps().collect();
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

    /// Shares of prompt tokens that each tier of a prefix cache has. `None` if the trace has no prefix hashes.
    pub fn reuse(&self, tiers: &CacheTiers) -> Option<[f64; 3]> {
        let mut cache = PrefixCache::new(tiers, self.block);
        let (mut hit, mut all) = ([0.0; 3], 0.0);
        for request in self.requests.iter().filter(|request| !request.blocks.is_empty()) {
            let mut left = request.input;
            for (sum, blocks) in hit.iter_mut().zip(cache.request(&request.blocks)) {
                let tokens = (blocks as f64 * self.block).min(left);
                left -= tokens;
                *sum += tokens;
            }
            all += request.input;
        }
        (all > 0.0).then(|| hit.map(|tokens| tokens / all))
    }

    /// Resolution of the arrival times, s, if they are so coarse that most requests share theirs with another: the shortest
    /// gap between two of them, at least `COARSE`.
    pub fn resolution(&self) -> Option<f64> {
        if !self.timed || self.sessions() > 0 {
            return None;
        }
        let gaps = self.gaps();
        let (mut shortest, mut stamps) = (f64::INFINITY, 1_usize);
        for gap in gaps.filter(|gap| *gap > 0.0) {
            shortest = shortest.min(gap);
            stamps += 1;
        }
        (shortest.is_finite() && shortest >= COARSE && 2 * stamps <= self.requests.len()).then_some(shortest)
    }

    /// Requests with coarse arrival times spread evenly over the resolution.
    fn spread(&self) -> Vec<Request> {
        let mut requests = self.requests.clone();
        let Some(resolution) = self.resolution() else { return requests };
        let same = |a: &Request, b: &Request| a.arrival.total_cmp(&b.arrival).is_eq();
        for group in requests.chunk_by_mut(same) {
            let each = resolution / group.len() as f64;
            for (place, request) in group.iter_mut().enumerate() {
                request.arrival += each * place as f64;
            }
        }
        requests
    }

    /// Request rate of the busiest minute, 1/s; the mean rate of traces that are too short to have one.
    fn busiest_rate(&self) -> Option<f64> {
        self.rate().map(|rate| rate * self.peak().unwrap_or(1.0))
    }

    /// Number of sessions.
    pub fn sessions(&self) -> usize {
        let sessions = self.requests.iter().filter_map(|request| request.session);
        sessions.max().map_or(0, |last| last as usize + 1)
    }

    /// Requests that arrive as a Poisson process, at one request or session per second; and the rate of requests, 1/s.
    fn poisson(&self) -> (Vec<Request>, f64) {
        let mut random = Random::new(SEED);
        let mut now = 0.0;
        let mut begins = || {
            now += random.exponential(1.0);
            now
        };
        let mut requests = self.requests.clone();
        let mut sessions: BTreeMap<u32, f64> = BTreeMap::new();
        let mut single = 0_usize;
        for request in &mut requests {
            request.arrival = if let Some(session) = request.session {
                *sessions.entry(session).or_insert_with(&mut begins)
            } else {
                single += 1;
                begins()
            };
        }
        let rate = requests.len() as f64 / ((single + sessions.len()) as f64).max(1.0);
        order::sort(&mut requests, |a, b| a.time().total_cmp(&b.time()));
        (requests, rate)
    }

    /// Requests of the trace for the simulation: arrivals, lengths and prefix hashes.
    pub fn replay(&self) -> Arc<Replay> {
        let (requests, rate) = if self.timed {
            (self.spread(), self.busiest_rate())
        } else {
            let (requests, rate) = self.poisson();
            (requests, Some(rate))
        };
        let means = (self.mean(|request| request.input), self.mean(|request| request.output));
        Arc::new(Replay { requests, rate, means, block: self.block })
    }

    /// A number above 0 by which a question names the trace: a hash of arrivals and lengths.
    pub fn checksum(&self) -> u32 {
        let numbers = self.requests.iter().flat_map(|request| {
            let thought = Some(request.after).filter(|after| *after > 0.0);
            [request.arrival, request.input, request.output].into_iter().chain(thought)
        });
        let mixed =
            numbers.fold(FNV_OFFSET, |hash, number| (hash ^ number.to_bits()).wrapping_mul(FNV_PRIME));
        ((mixed >> 32) as u32).max(1)
    }

    /// The sizing fields that the trace sets. `tiers` are the capacities of a replica's prefix cache.
    pub fn facts(&self, tiers: &CacheTiers) -> Facts {
        let mut facts = Facts::default();
        facts.whole("inference.input", libm::round(self.mean(|request| request.input)).max(1.0));
        facts.whole("inference.output", libm::round(self.mean(|request| request.output)).max(1.0));
        if let Some(busiest) = self.busiest_rate() {
            facts.text("sizing.load", "rate");
            facts.number("inference.rate", busiest);
        }
        facts.text("sizing.lengths", Lengths::Trace.word());
        facts.whole("sizing.trace", f64::from(self.checksum()));
        let shares = self.reuse(tiers).map(|shares| {
            // A hit rate of 1 would leave nothing to prefill.
            let most = 0.99 / shares.iter().sum::<f64>().max(0.99);
            shares.map(|share| share * most)
        });
        for (place, path) in
            ["inference.cached", "inference.cached_host", "inference.cached_ssd"].into_iter().enumerate()
        {
            facts.number(path, shares.map(|shares| shares[place]));
        }
        facts
    }

    /// Capacities of the prefix cache of one attention replica of a question; none if it has no answer.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over its job's lifetime"
    )]
    pub fn tiers(question: &Scenario) -> CacheTiers {
        let question = Scenario { view: View::Inference, ..question.clone() };
        question.with_inference(|job| job.cache_tiers()).unwrap_or_default()
    }
}
