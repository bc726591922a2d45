//! A finite number of requests that arrive at a given rate, simulated step by step by the engine's rules.
//!
//! Unlike a steady state, it covers runs that end before a queue has grown, and rates above what the machine serves.
//! Times between arrivals are exponential, and the same in every run of the same size.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::admission::Admission;
use super::served::{Flow, Queue, Served, plain_step};
use super::simulation::Random;
use crate::inference::InferenceJob;
use crate::inference::step::Step;
use crate::units::Seconds;

/// Seed of the order of the times between arrivals.
const SEED: u64 = 0x5EED;

/// Largest fraction of the time in which prompts of other groups hold up a group.
const MOST_HELD: f64 = 0.95;

/// Cache of step times.
struct Clock<'a> {
    job: InferenceJob<'a>,
    plain: BTreeMap<u32, Seconds>,
    reading: BTreeMap<(u32, u32), (Seconds, f64, u32)>,
}

impl<'a> Clock<'a> {
    fn of(job: &InferenceJob<'a>) -> Self {
        Self { job: *job, plain: BTreeMap::new(), reading: BTreeMap::new() }
    }

    fn plain(&mut self, running: u32) -> Seconds {
        let job = self.job;
        *self.plain.entry(running).or_insert_with(|| job.time_of(plain_step(f64::from(running))))
    }

    /// Time of one prefill step of up to `prompts` prompts among `running` requests, the steps that a prompt takes, and the
    /// prompts that the step has room for.
    fn reading(&mut self, prompts: u32, running: u32) -> (Seconds, f64, u32) {
        let job = self.job;
        *self.reading.entry((prompts, running)).or_insert_with(|| {
            let running = f64::from(running);
            // A replayed step holds whole prompts.
            let most = libm::floor(job.most_prompts(running));
            let (step, parts) = job.reading(f64::from(prompts).min(most), running);
            (job.time_of(step), parts, (step.prompts as u32).clamp(1, prompts))
        })
    }

    /// Time of a decode step, including delays by prompts of other groups of the pipeline. Each group prefills `rate` prompts
    /// per second.
    fn plain_in_turn(&mut self, running: u32, rate: f64) -> Seconds {
        let plain = self.plain(running);
        if self.job.load.pipeline <= 1 {
            return plain;
        }
        let (own, parts, read) = self.reading(1, running);
        let rounds = self.job.rounds(plain, (own, f64::from(read)), f64::from(running));
        plain * (1.0 - rounds.held_up(rate * parts).min(MOST_HELD)).recip()
    }
}

/// Prefill load of a group.
#[derive(Clone, Copy)]
struct Reads {
    /// Largest number of prompts in a step.
    most: u32,
    /// Prompts per second.
    rate: f64,
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
    /// Sum of all times to first token, s.
    ttft: f64,
    /// Sum of all times from first to last token, s.
    decoding: f64,
    /// Sums over prompts: number of prompts, prompts read together with each, and requests that ran beside each.
    read: f64,
    together: f64,
    beside: f64,
    /// Sums over passes: number of passes, and requests in each, weighted by the requests in it.
    passes: f64,
    running: f64,
}

/// Arrival times of requests: exponential gaps, one from each of `count` equally likely intervals, in a pseudo-random
/// order.
fn arrivals(count: u32, rate: f64) -> Vec<f64> {
    let gap = |index: u32| -libm::log(1.0 - (f64::from(index) + 0.5) / f64::from(count)) / rate;
    let mut gaps: Vec<f64> = (0..count).map(gap).collect();
    let mut random = Random::new(SEED);
    for last in (1..gaps.len()).rev() {
        gaps.swap(last, (random.bits() % (last as u64 + 1)) as usize);
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
    /// Mean of a run of `requests` requests that arrive at `rate` requests per second over all replicas.
    pub(super) fn run_of(&self, requests: u32, rate: f64) -> Served {
        // A run of few requests does not occupy all groups.
        let groups = self.groups().min(f64::from(requests)).max(1.0);
        let count = (requests / groups as u32).max(1);
        let most = self.most_prompts(0.0) as u32;
        let mut sums = Sums::default();
        let coming = arrivals(count, rate / groups).into();
        let reads = Reads { most, rate: rate / groups };
        let end = self.replay(coming, Some(reads), &mut Clock::of(self), &mut sums);
        self.mean_of(self, &sums, f64::from(count) * groups / end)
    }

    /// Mean of a run with disaggregated serving: a free prefill worker takes the waiting prompts, as many as one step
    /// holds, and distributes them over the decode replicas.
    pub(super) fn run_apart(&self, requests: u32, rate: f64) -> Served {
        let load = self.load;
        let prefilling = load.prefilling();
        let reader = self.reader(&prefilling);
        let transfer = self.transfer().get();
        let most = reader.most_prompts(0.0) as usize;
        let servers = (self.readers() as usize).min(requests as usize).max(1);
        let coming = arrivals(requests, rate);
        let (mut sums, mut clock) = (Sums::default(), Clock::of(&reader));
        // Times are not negative, so that their bits are in the order of the numbers.
        let mut free: BinaryHeap<Reverse<u64>> = vec![Reverse(0.0_f64.to_bits()); servers].into();
        let mut read = Vec::with_capacity(coming.len());
        while let (Some(first), Some(Reverse(idle))) = (coming.get(read.len()), free.pop()) {
            let now = first.max(f64::from_bits(idle));
            let waiting = &coming[read.len()..];
            let prompts = waiting.partition_point(|time| *time <= now).min(most);
            let (own, parts, _) = clock.reading(prompts as u32, 0);
            let done = now + own.get() * parts;
            free.push(Reverse(done.to_bits()));
            for arrived in &waiting[..prompts] {
                sums.ttft += done + transfer - arrived;
                sums.together += prompts as f64;
                read.push(done + transfer);
            }
        }
        read.sort_by(f64::total_cmp);
        let (mut clock, mut end) = (Clock::of(self), 0.0_f64);
        let groups = self.groups() as usize;
        for first in 0..groups.min(read.len()) {
            let here = read.iter().skip(first).step_by(groups).copied().collect();
            end = end.max(self.replay(here, None, &mut clock, &mut sums));
        }
        self.mean_of(&reader, &sums, f64::from(requests) / end)
    }

    /// Replays requests with given arrival times, s, in one group until all have ended. The group reads a limited number of
    /// prompts at once, unless separate workers have read them.
    fn replay(
        &self,
        mut coming: VecDeque<f64>,
        reads: Option<Reads>,
        clock: &mut Clock<'_>,
        sums: &mut Sums,
    ) -> f64 {
        let places = self.group_places().clamp(1.0, 1e6) as u32;
        let passes = self.whole_passes();
        let mut waiting: VecDeque<f64> = VecDeque::new();
        let mut running: VecDeque<Running> = VecDeque::new();
        let (mut now, mut pass) = (0.0_f64, 0_u64);
        // Prompts that separate workers have read are admitted at once.
        let mut admission = if reads.is_some() { self.admission() } else { Admission::AT_ONCE };
        loop {
            let idle = running.is_empty();
            if admission.sees(idle) {
                while coming.front().is_some_and(|time| *time <= now) {
                    waiting.extend(coming.pop_front());
                }
            }
            let others = running.len() as u32;
            let free = places.saturating_sub(others);
            let ready = if admission.is_open(idle) { waiting.len() as u32 } else { 0 };
            let most = ready.min(reads.map_or(u32::MAX, |reads| reads.most)).min(free);
            let (own, parts, prompts) = match reads {
                Some(_) if most > 0 => clock.reading(most, others),
                _ => (Seconds::ZERO, 0.0, most),
            };
            let passed = if prompts > 0 {
                now += Self::span(own, clock.plain(others), parts).get();
                admission.end();
                if self.overheads.prompt_steps.mix() { libm::ceil(parts) as u64 } else { 0 }
            } else if let Some(first) = running.front() {
                let plain = clock.plain_in_turn(others, reads.map_or(0.0, |reads| reads.rate)).get();
                let left = first.ends - pass;
                // The state is constant until a request ends or arrives.
                let until = coming.front().map_or(f64::INFINITY, |time| libm::ceil((time - now) / plain));
                let until = admission.steps_until(until, !waiting.is_empty());
                let steps = (left as f64).min(if free > 0 { until } else { f64::INFINITY });
                now += plain * steps;
                admission.pass(steps, !waiting.is_empty());
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
                if reads.is_some() {
                    sums.together += f64::from(prompts);
                    sums.beside += f64::from(others);
                }
                if passes > 0 {
                    running.push_back(Running { since: now, ends: pass + passes });
                }
            }
        }
        now
    }

    /// Passes of the model after which a request ends.
    fn whole_passes(&self) -> u64 {
        let load = self.load;
        libm::round(load.passes()).max(if load.output > 1 { 1.0 } else { 0.0 }) as u64
    }

    fn mean_of(&self, reader: &InferenceJob<'_>, sums: &Sums, rate: f64) -> Served {
        let (prefill, parts) = reader.reading(sums.together / sums.read, sums.beside / sums.read);
        let running = if sums.passes > 0.0 { sums.running / sums.passes } else { 1.0 };
        let decode: Step = plain_step(running);
        let own = reader.time_of(prefill);
        let each = Seconds::new(sums.decoding / (sums.read * (self.whole_passes() as f64).max(1.0)));
        let apart = self.load.prefill_workers > 0;
        let transfer = if apart { self.transfer() } else { Seconds::ZERO };
        // With separate prefill workers, decode steps differ only by the number of running requests.
        let decode_time = self.time_of(decode);
        let interference = if apart { Seconds::ZERO } else { each - decode_time };
        let before = Seconds::new(sums.ttft / sums.read) - transfer;
        Served {
            prefill,
            prefill_time: own,
            decode,
            decode_time,
            flow: Flow::PerSecond(rate),
            running,
            queue: Queue::For(Seconds::ZERO),
            further: own * (parts - 1.0),
            wait: (before - own * parts).max(Seconds::ZERO),
            burst: Seconds::ZERO,
            arrival: self.arrival(),
            transfer,
            interference: interference.max(Seconds::ZERO),
        }
    }
}
