//! Requests of a trace, replayed with their own arrival times, lengths and shared prefixes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::prefix_cache::PrefixCache;
use super::random::Random;
use crate::inference::CacheTiers;
use crate::order;

/// One request of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRequest {
    /// Arrival time, s, from an arbitrary origin. A later turn without a time has that of the last turn with one.
    pub arrival: f64,
    /// Think time after `arrival`, s. It is not scaled with the load.
    pub after: f64,
    /// Index of its session.
    pub session: Option<u32>,
    /// Prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Hash of each prompt block together with all blocks before it: equal hashes mean equal prefixes. Empty if
    /// unknown.
    pub blocks: Vec<u64>,
}

impl TraceRequest {
    /// Arrival time including think time, s.
    pub fn time(&self) -> f64 {
        self.arrival + self.after
    }
}

/// A trace of requests to replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Requests in order of arrival.
    pub requests: Vec<TraceRequest>,
    /// The request rate of its busiest minute, 1/s; `None` if all requests arrive at once. Times are scaled so that it
    /// becomes the load's rate.
    pub rate: Option<f64>,
    /// Mean prompt and output lengths, tokens.
    pub means: (f64, f64),
    /// Prompt tokens of a block.
    pub block: f64,
}

/// Random distribution of a trace's requests over replicas, and the prefix cache of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dealt {
    /// Parts, each with the same number of replicas, that share the trace.
    pub(super) parts: f64,
    /// Replicas of a part that prefill.
    pub(super) replicas: usize,
    /// Capacities of the prefix cache of one prefill replica.
    pub(super) tiers: CacheTiers,
    /// Mean prompt and output lengths of the load, tokens, to which those of the trace are scaled.
    pub(super) means: (f64, f64),
}

/// A trace that is replayed.
#[derive(Clone, Debug)]
pub(super) struct Playing {
    replay: Arc<Replay>,
    /// Requests that arrive at the simulated replicas; all requests of the trace, one after another, if a constant number is in
    /// flight.
    arrivals: Vec<Arrival>,
    /// Index of the next arrival.
    at: usize,
    /// Factors on prompt and output lengths.
    scale: (f64, f64),
    /// The part that is simulated.
    part: u32,
    /// Prefix cache of an idle replica.
    empty: PrefixCache,
    /// Prefix cache of each replica that prefills.
    caches: Vec<PrefixCache>,
}

/// A request of the trace at a simulated replica.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// Time of arrival, s.
    time: f64,
    /// Index of the request.
    index: usize,
    /// Index of the part. Parts are simulated one after another, each from an idle state.
    part: u32,
}

/// Seed of the random numbers that deal requests to parts.
const SEED: u64 = 0x7ACE;

/// Pause between two parts that are simulated one after another, s, over the length of the trace.
const PAUSE: f64 = 1.0;

impl Replay {
    /// Factor on the trace's times at which its busiest minute has this request rate, 1/s.
    fn stretch(&self, rate: f64) -> f64 {
        self.rate.map_or(1.0, |own| own / rate)
    }
}

impl Playing {
    /// Requests at a rate in 1/s, of as many parts as it takes to measure about `wanted` of them.
    pub(super) fn open(replay: &Arc<Replay>, rate: f64, dealt: &Dealt, wanted: u32) -> Self {
        let stretch = replay.stretch(rate);
        let first = replay.requests.first().map_or(0.0, |request| request.arrival);
        let time = |request: &TraceRequest| (request.arrival - first) * stretch + request.after;
        let length = replay.requests.iter().map(time).fold(0.0, f64::max);
        let each = replay.requests.len() as f64 / dealt.parts;
        let simulated = libm::ceil(f64::from(wanted) / each).clamp(1.0, dealt.parts.max(1.0));
        let mut random = Random::new(SEED);
        let mut arrivals = Vec::new();
        // All turns of a session belong to the part of its first turn.
        let mut parts: BTreeMap<u32, f64> = BTreeMap::new();
        for (index, request) in replay.requests.iter().enumerate() {
            let mut drawn = || libm::floor(random.share() * dealt.parts);
            let part = match request.session {
                Some(session) => *parts.entry(session).or_insert_with(drawn),
                None => drawn(),
            };
            if part < simulated {
                let time = part * length * (1.0 + PAUSE) + time(request);
                arrivals.push(Arrival { time, index, part: part as u32 });
            }
        }
        order::sort(&mut arrivals, |one, other| {
            one.part.cmp(&other.part).then(one.time.total_cmp(&other.time))
        });
        Self::of(replay, arrivals, dealt)
    }

    /// All requests, one after another, for a constant number of concurrent requests.
    pub(super) fn closed(replay: &Arc<Replay>, dealt: &Dealt) -> Self {
        let arrivals = (0..replay.requests.len()).map(|index| Arrival { time: 0.0, index, part: 0 });
        Self::of(replay, arrivals.collect(), dealt)
    }

    fn of(replay: &Arc<Replay>, arrivals: Vec<Arrival>, dealt: &Dealt) -> Self {
        // The load's lengths are whole numbers, to which the means of the trace were rounded.
        let factor =
            |mean: f64, own: f64| if (libm::round(own) - mean).abs() < 0.5 { 1.0 } else { mean / own };
        let scale = (factor(dealt.means.0, replay.means.0), factor(dealt.means.1, replay.means.1));
        let empty = PrefixCache::new(&dealt.tiers, replay.block * scale.0);
        let caches = vec![empty.clone(); dealt.replicas.max(1)];
        Self { replay: replay.clone(), arrivals, at: 0, scale, part: 0, empty, caches }
    }

    /// Requests that arrive in all.
    pub(super) const fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Time of the next arrival, s; infinite after the last.
    pub(super) fn next_time(&self) -> f64 {
        self.arrivals.get(self.at).map_or(f64::INFINITY, |arrival| arrival.time)
    }

    /// The index of the next request; after the last one, those in a closed loop begin again.
    pub(super) fn next(&mut self) -> Option<usize> {
        let arrival = *self.arrivals.get(self.at % self.arrivals.len().max(1))?;
        self.at += 1;
        if arrival.part != self.part {
            self.part = arrival.part;
            self.caches.fill(self.empty.clone());
        }
        Some(arrival.index)
    }

    /// The replica that prefills a request of a session.
    pub(super) fn replica(&self, index: usize) -> Option<usize> {
        let session = self.replay.requests.get(index)?.session?;
        Some(session as usize % self.caches.len().max(1))
    }

    /// Prompt and output lengths of a request, tokens, at least 1 each.
    pub(super) fn lengths(&self, index: usize) -> (u32, u32) {
        let whole = |tokens: f64| libm::round(tokens).clamp(1.0, f64::from(u32::MAX)) as u32;
        self.replay.requests.get(index).map_or((1, 1), |request| {
            (whole(request.input * self.scale.0), whole(request.output * self.scale.1))
        })
    }

    /// Cached prompt tokens of a request in each tier of a replica's prefix cache; `None` without prefix hashes. The prompt is
    /// inserted into the cache.
    pub(super) fn cached(&mut self, index: usize, replica: usize) -> Option<[f64; 3]> {
        let blocks = &self.replay.requests.get(index).filter(|request| !request.blocks.is_empty())?.blocks;
        let hits = self.caches.get_mut(replica)?.request(blocks);
        Some(hits.map(|blocks| blocks as f64 * self.replay.block * self.scale.0))
    }
}
