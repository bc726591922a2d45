//! A finite number of requests that come at a given rate, step by step: the engine's rules one after the other.
//!
//! It tells what a steady state cannot: a run that ends before a queue has grown, and a machine that more comes to than
//! it serves. Times between arrivals are exponential; the same run always has the same ones.

use std::collections::{BTreeMap, VecDeque};

use super::super::inference::{InferenceJob, Step};
use super::{Flow, Queue, Served, plain_step};
use crate::units::Seconds;

/// Seed of the order of the times between arrivals.
const SEED: u64 = 0x5EED;

/// Times of steps that have been asked for.
struct Clock<'a> {
    job: InferenceJob<'a>,
    plain: BTreeMap<u32, Seconds>,
    reading: BTreeMap<(u32, u32), (Seconds, f64)>,
}

impl Clock<'_> {
    fn plain(&mut self, running: u32) -> Seconds {
        let job = self.job;
        *self.plain.entry(running).or_insert_with(|| job.time_of(plain_step(f64::from(running))))
    }

    /// One step of reading so many prompts, and how many of them it takes.
    fn reading(&mut self, prompts: u32, running: u32) -> (Seconds, f64) {
        let job = self.job;
        *self.reading.entry((prompts, running)).or_insert_with(|| {
            let (step, parts) = job.reading(f64::from(prompts), f64::from(running));
            (job.time_of(step), parts)
        })
    }
}

/// A request that decodes.
struct Running {
    /// When its first token came.
    since: f64,
    /// The pass after which it ends.
    ends: u64,
}

/// Sums over a run.
#[derive(Default)]
struct Sums {
    /// Of all times to first tokens, s.
    ttft: f64,
    /// Of all times from first tokens to last ones, s.
    decoding: f64,
    /// Of prompts read, of those read together with each, and of requests that ran beside each.
    read: f64,
    together: f64,
    beside: f64,
    /// Of passes, and of requests in each, each counted as often as there are requests in it.
    passes: f64,
    running: f64,
}

/// Times at which requests come: exponential gaps, one from each of as many equally likely intervals, in an order like
/// that of chance.
fn arrivals(count: u32, rate: f64) -> Vec<f64> {
    let gap = |index: u32| -libm::log(1.0 - (f64::from(index) + 0.5) / f64::from(count)) / rate;
    let mut gaps: Vec<f64> = (0..count).map(gap).collect();
    let mut state = SEED;
    for last in (1..gaps.len()).rev() {
        // SplitMix64 (Steele et al. 2014).
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        gaps.swap(last, (bits % (last as u64 + 1)) as usize);
    }
    let mut now = 0.0;
    let mut next = |gap: &f64| {
        let here = now;
        now += gap;
        here
    };
    gaps.iter().map(&mut next).collect()
}

impl InferenceJob<'_> {
    /// The mean of a run in which so many requests come at this rate to all replicas.
    pub(super) fn run_of(&self, requests: u32, rate: f64) -> Served {
        let load = self.load;
        let replicas = load.replicas();
        let count = (requests / (replicas as u32).max(1)).max(1);
        let places = self.places().min(self.overheads.slots).clamp(1.0, 1e6) as u32;
        // A step holds so many prompts at most.
        let most = (self.budget(0.0) / load.fresh()).max(1.0) as u32;
        let passes = libm::round(load.passes()).max(if load.output > 1 { 1.0 } else { 0.0 }) as u64;
        let mut clock = Clock { job: *self, plain: BTreeMap::new(), reading: BTreeMap::new() };
        let mut coming: VecDeque<f64> = arrivals(count, rate / replicas).into();
        let mut waiting: VecDeque<f64> = VecDeque::new();
        let mut running: VecDeque<Running> = VecDeque::new();
        let mut sums = Sums::default();
        let (mut now, mut pass) = (0.0_f64, 0_u64);
        loop {
            while coming.front().is_some_and(|time| *time <= now) {
                waiting.extend(coming.pop_front());
            }
            let others = running.len() as u32;
            let free = places.saturating_sub(others);
            let prompts = (waiting.len() as u32).min(most).min(free);
            let passed = if prompts > 0 {
                let (own, parts) = clock.reading(prompts, others);
                now += own.get() * parts;
                if self.overheads.mixes { parts as u64 } else { 0 }
            } else if let Some(first) = running.front() {
                let plain = clock.plain(others).get();
                let left = first.ends - pass;
                // Nothing changes until a request ends or comes.
                let until = coming.front().map_or(f64::INFINITY, |time| libm::ceil((time - now) / plain));
                let steps = (left as f64).min(if free > 0 { until.max(1.0) } else { f64::INFINITY });
                now += plain * steps;
                steps as u64
            } else if let Some(next) = coming.front() {
                now = *next;
                continue;
            } else {
                break;
            };
            sums.passes += f64::from(others) * passed as f64;
            sums.running += f64::from(others) * f64::from(others) * passed as f64;
            pass += passed;
            while running.front().is_some_and(|first| first.ends <= pass) {
                sums.decoding += running.pop_front().map_or(0.0, |first| now - first.since);
            }
            for arrived in waiting.drain(..prompts as usize) {
                sums.ttft += now - arrived;
                sums.read += 1.0;
                sums.together += f64::from(prompts);
                sums.beside += f64::from(others);
                if passes > 0 {
                    running.push_back(Running { since: now, ends: pass + passes });
                }
            }
        }
        self.mean_of(&sums, f64::from(count) * replicas / now, passes as f64)
    }

    fn mean_of(&self, sums: &Sums, rate: f64, passes: f64) -> Served {
        let (prefill, parts) = self.reading(sums.together / sums.read, sums.beside / sums.read);
        let running = if sums.passes > 0.0 { sums.running / sums.passes } else { 1.0 };
        let decode: Step = plain_step(running);
        let own = self.time_of(prefill);
        let each = Seconds::new(sums.decoding / (sums.read * passes.max(1.0)));
        Served {
            prefill,
            decode,
            flow: Flow::PerSecond(rate),
            running,
            queue: Queue::For(Seconds::ZERO),
            further: own * (parts - 1.0),
            wait: (Seconds::new(sums.ttft / sums.read) - own * parts).max(Seconds::ZERO),
            burst: Seconds::ZERO,
            arrival: self.overheads.arrival,
            transfer: Seconds::ZERO,
            interference: (each - self.time_of(decode)).max(Seconds::ZERO),
        }
    }
}
