//! One attention replica, step by step.

use std::collections::VecDeque;

use super::histogram::Histogram;
use super::lengths::Lengths;
use super::pace::{Pace, Reach};
use super::random::Random;
use super::results::{Quantiles, Simulated};
use crate::inference::InferenceJob;

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// At random times, so many per second.
    Poisson(f64),
    /// So many circulate: each is replaced when it ends.
    Closed(u32),
}

/// The rules by which an engine fills a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheduler {
    /// Most requests at once (`max_num_seqs`).
    pub slots: u32,
    /// Most tokens in one step.
    pub budget: u32,
    /// True if a step may hold prompts and running requests together.
    pub mixes: bool,
    /// True if room for a request's last token is kept from its beginning.
    pub reserves: bool,
    /// Tokens that a pass checks for a running request.
    pub checked: u32,
    /// Tokens that a pass yields for each.
    pub yielded: f64,
    /// Bytes of the cache.
    pub room: f64,
    /// Bytes of a request, whatever its length.
    pub fixed: f64,
    /// Bytes of a token.
    pub per_token: f64,
    /// Share of each prompt that is cached already.
    pub cached: f64,
    /// Time from a request's arrival to the scheduler and of the response, s.
    pub arrival: f64,
}

/// A request that is not running.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    arrived: f64,
    /// When its first token came, if it was preempted after that.
    first: Option<f64>,
    /// Tokens to read, those that it generated before it was preempted included.
    prompt: u32,
    /// Tokens that are read already.
    read: u32,
    /// Tokens that it is to generate in all.
    output: u32,
    /// Tokens that it has generated.
    generated: f64,
}

/// A request that decodes.
#[derive(Clone, Copy, Debug)]
struct Running {
    request: Waiting,
    first: f64,
    /// Passes that were done when it began, and when it ends.
    begins: u64,
    ends: u64,
}

/// A simulation of one attention replica.
#[derive(Clone, Debug)]
pub struct Simulation {
    pace: Pace,
    rules: Scheduler,
    arrivals: Arrivals,
    lengths: Lengths,
    means: (f64, f64),
    random: Random,
    now: f64,
    next: f64,
    pass: u64,
    next_end: u64,
    waiting: VecDeque<Waiting>,
    reading: VecDeque<Waiting>,
    running: Vec<Running>,
    /// Tokens that running requests see, in all, and those of the prompts that are read.
    seen: f64,
    prompts: f64,
    sums: Sums,
    warm: u64,
    wanted: u64,
}

/// Sums over a simulation.
#[derive(Clone, Debug, Default)]
struct Sums {
    arrived: u64,
    ended: u64,
    tokens: f64,
    preempted: u64,
    ttft: Histogram,
    tpot: Histogram,
    latency: Histogram,
    /// Since the end of the warm-up: requests times seconds, and when it ended.
    present: f64,
    since: f64,
    preempted_before: u64,
}

/// More waiting requests than these mean that more come than are served.
const MOST_WAITING: usize = 100_000;

/// Requests before those that are measured, as a share of these.
const WARM: f64 = 0.2;

impl Simulation {
    /// A simulation of so many requests, after a warm-up, of these mean lengths of prompts and answers.
    pub fn new(
        pace: Pace,
        rules: Scheduler,
        arrivals: Arrivals,
        (lengths, means): (Lengths, (f64, f64)),
        (requests, seed): (u32, u64),
    ) -> Self {
        let mut simulation = Self {
            pace,
            rules,
            arrivals,
            lengths,
            means,
            random: Random::new(seed),
            now: 0.0,
            next: f64::INFINITY,
            pass: 0,
            next_end: u64::MAX,
            waiting: VecDeque::new(),
            reading: VecDeque::new(),
            running: Vec::new(),
            seen: 0.0,
            prompts: 0.0,
            sums: Sums::default(),
            warm: libm::ceil(f64::from(requests) * WARM) as u64,
            wanted: u64::from(requests),
        };
        match arrivals {
            Arrivals::Poisson(_) => simulation.schedule(0.0),
            Arrivals::Closed(clients) => (0..clients).for_each(|_| simulation.arrive(0.0)),
        }
        simulation
    }

    /// Returns true if all requests are measured, or the replica does not keep up.
    pub fn is_done(&self) -> bool {
        self.sums.ended >= self.warm + self.wanted || !self.keeps_up()
    }

    /// Returns true unless far more come than are served.
    pub fn keeps_up(&self) -> bool {
        self.waiting.len() <= MOST_WAITING
    }

    /// Requests that came, that ended, and that are there.
    pub fn counts(&self) -> (u64, u64, u64) {
        let there = self.waiting.len() + self.reading.len() + self.running.len();
        (self.sums.arrived, self.sums.ended, there as u64)
    }

    /// Tokens that requests which ended got.
    pub const fn tokens(&self) -> f64 {
        self.sums.tokens
    }

    /// Simulated time, s.
    pub const fn now(&self) -> f64 {
        self.now
    }

    /// Takes up to so many steps.
    pub fn advance(&mut self, steps: u32) {
        for _ in 0..steps {
            if self.is_done() {
                return;
            }
            self.step();
        }
    }

    /// Everything at once.
    pub fn run(&mut self) -> Simulated {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
        self.simulated()
    }

    /// Times of the requests that were measured so far.
    pub fn simulated(&self) -> Simulated {
        let Sums { ttft, tpot, latency, present, since, .. } = &self.sums;
        let span = (self.now - since).max(f64::MIN_POSITIVE);
        let requests = latency.total();
        Simulated {
            ttft: Quantiles::from(ttft),
            tpot: Quantiles::from(tpot),
            latency: Quantiles::from(latency),
            requests,
            preempted: (self.sums.preempted - self.sums.preempted_before) as f64 / requests.max(1) as f64,
            in_system: present / span,
            rate: requests as f64 / span,
        }
    }

    fn schedule(&mut self, from: f64) {
        if let Arrivals::Poisson(rate) = self.arrivals {
            self.next = from + self.random.exponential(1.0 / rate);
        }
    }

    fn arrive(&mut self, arrived: f64) {
        let (prompt, output) = self.lengths.draw(self.means, &mut self.random);
        let read = libm::floor(f64::from(prompt) * self.rules.cached).min(f64::from(prompt - 1)) as u32;
        self.sums.arrived += 1;
        self.waiting.push_back(Waiting { arrived, first: None, prompt, read, output, generated: 0.0 });
    }

    /// Lets time pass.
    fn pass_time(&mut self, time: f64) {
        let there = self.waiting.len() + self.reading.len() + self.running.len();
        self.sums.present += there as f64 * time;
        self.now += time;
    }

    /// One step, or the wait for the next request.
    fn step(&mut self) {
        while self.next <= self.now {
            let arrived = self.next;
            // What came during a step was there for the rest of it.
            self.sums.present += self.now - arrived;
            self.arrive(arrived);
            self.schedule(arrived);
        }
        let (tokens, seen) = self.read();
        let running = self.running.len();
        let decoded = if tokens == 0 || self.rules.mixes { running } else { 0 };
        if tokens == 0 && running == 0 {
            let idle = self.next - self.now;
            if idle.is_finite() {
                self.now = self.next;
            }
            return;
        }
        let context = self.seen / (running as f64).max(1.0);
        let time = if tokens > 0 {
            self.pace.mixed(f64::from(tokens), seen, decoded as f64, context)
        } else {
            self.pace.decode(running as f64, context)
        };
        self.pass_time(time);
        if decoded > 0 {
            self.pass += 1;
            self.seen += decoded as f64 * self.rules.yielded;
            if self.pass >= self.next_end {
                self.end();
            }
        }
        self.begin();
        self.preempt();
    }

    /// Admits requests and reads as much of their prompts as a step holds: tokens, and keys that they see in all.
    fn read(&mut self) -> (u32, f64) {
        let rules = self.rules;
        let busy = if rules.mixes { self.running.len() as u32 * rules.checked } else { 0 };
        let mut left = rules.budget.saturating_sub(busy).max(rules.budget / 4).max(1);
        let (mut tokens, mut seen) = (0, 0.0);
        let mut place = 0;
        while left > 0 {
            if place >= self.reading.len() && !self.admit() {
                break;
            }
            let Some(request) = self.reading.get_mut(place) else { break };
            let part = (request.prompt - request.read).min(left);
            seen += f64::from(part) * (f64::from(request.read) + 0.5 * f64::from(part));
            request.read += part;
            tokens += part;
            left -= part;
            place += 1;
        }
        (tokens, seen)
    }

    /// Takes the first waiting request in, if there is a place and room for it.
    fn admit(&mut self) -> bool {
        let rules = self.rules;
        let there = self.reading.len() + self.running.len();
        let Some(first) = self.waiting.front().copied() else { return false };
        let length =
            if rules.reserves { first.prompt.saturating_add(first.output) } else { first.prompt + 1 };
        let needs = rules.fixed + rules.per_token * f64::from(length);
        if there > 0 && (there >= rules.slots as usize || self.used() + needs > rules.room) {
            return false;
        }
        self.waiting.pop_front();
        self.reading.push_back(first);
        self.prompts += self.kept(&first);
        true
    }

    /// Tokens that room is kept for from a request's admission on.
    fn kept(&self, request: &Waiting) -> f64 {
        let rest = if self.rules.reserves { f64::from(request.output) - request.generated } else { 0.0 };
        f64::from(request.prompt) + rest
    }

    /// Bytes in use.
    fn used(&self) -> f64 {
        let there = (self.reading.len() + self.running.len()) as f64;
        let tokens = if self.rules.reserves { self.prompts } else { self.prompts + self.seen };
        self.rules.fixed * there + self.rules.per_token * tokens
    }

    /// Requests whose prompts are read get a token, and run.
    fn begin(&mut self) {
        while let Some(request) = self.reading.front().copied().filter(|first| first.read >= first.prompt) {
            self.reading.pop_front();
            let first = request.first.unwrap_or(self.now);
            let generated = request.generated + 1.0;
            let left = f64::from(request.output) - generated;
            if left <= 0.0 {
                self.prompts -= self.kept(&request);
                self.ended(&request, first);
                continue;
            }
            if !self.rules.reserves {
                self.prompts -= self.kept(&request);
            }
            let passes = libm::ceil(left / self.rules.yielded - 1e-9).max(1.0) as u64;
            let running = Running { request, first, begins: self.pass, ends: self.pass + passes };
            self.seen += self.context(&running);
            self.next_end = self.next_end.min(running.ends);
            self.running.push(running);
        }
    }

    /// Tokens that a running request sees.
    fn context(&self, running: &Running) -> f64 {
        f64::from(running.request.prompt) + 1.0 + (self.pass - running.begins) as f64 * self.rules.yielded
    }

    /// Running requests that have all their tokens leave.
    fn end(&mut self) {
        let mut place = 0;
        self.next_end = u64::MAX;
        while let Some(running) = self.running.get(place).copied() {
            if running.ends > self.pass {
                self.next_end = self.next_end.min(running.ends);
                place += 1;
                continue;
            }
            // The order is that of admission, so that the newest is preempted first.
            self.running.remove(place);
            self.seen -= self.context(&running);
            if self.rules.reserves {
                self.prompts -= self.kept(&running.request);
            }
            self.ended(&running.request, running.first);
        }
    }

    /// Requests give their places back, the newest first, until the others have room; their tokens are read again.
    fn preempt(&mut self) {
        while self.used() > self.rules.room && self.running.len() > 1 && !self.rules.reserves {
            let Some(running) = self.running.pop() else { return };
            self.seen -= self.context(&running);
            let generated = 1.0 + (self.pass - running.begins) as f64 * self.rules.yielded;
            let request = running.request;
            self.waiting.push_front(Waiting {
                first: Some(running.first),
                prompt: request.prompt.saturating_add(libm::floor(generated) as u32),
                read: 0,
                generated: request.generated + generated,
                ..request
            });
            self.sums.preempted += 1;
            self.next_end = self.running.iter().map(|left| left.ends).min().unwrap_or(u64::MAX);
        }
    }

    fn ended(&mut self, request: &Waiting, first: f64) {
        let sums = &mut self.sums;
        sums.ended += 1;
        sums.tokens += f64::from(request.output);
        if sums.ended > self.warm {
            let arrival = self.rules.arrival;
            sums.ttft.add(first - request.arrived + arrival);
            sums.latency.add(self.now - request.arrived + arrival);
            if request.output > 1 {
                sums.tpot.add((self.now - first) / f64::from(request.output - 1));
            }
        } else if sums.ended == self.warm {
            (sums.present, sums.since, sums.preempted_before) = (0.0, self.now, sums.preempted);
        }
        if matches!(self.arrivals, Arrivals::Closed(_)) {
            self.arrive(self.now);
        }
    }
}

/// The seed of the page's simulations.
const SEED: u64 = 0x5EED;

impl InferenceJob<'_> {
    /// A simulation of one attention replica of a steady stream at this load; `None` for what is not simulated: one
    /// batch, workers that only read prompts, and prompts that several groups share.
    pub fn simulation(&self, lengths: Lengths, requests: u32) -> Option<Simulation> {
        let load = self.load;
        if !load.is_stream() || load.prefill_workers > 0 || load.context > 1 || !self.has_room() {
            return None;
        }
        let replicas = load.replicas();
        let arrivals = if load.rate > 0.0 {
            Arrivals::Poisson(load.rate / replicas)
        } else {
            Arrivals::Closed(libm::ceil(f64::from(load.concurrency) / replicas) as u32)
        };
        let (room, fixed, per_token) = self.cache_room();
        let overheads = &self.overheads;
        let rules = Scheduler {
            slots: overheads.slots as u32,
            budget: overheads.budget as u32,
            mixes: overheads.mixes,
            reserves: overheads.reserves,
            checked: 1 + load.draft,
            yielded: load.yielded(),
            room,
            fixed,
            per_token,
            cached: load.cached,
            arrival: overheads.arrival.get(),
        };
        let means = (f64::from(load.input), f64::from(load.output));
        let running = (2.0 * self.places()).min(overheads.slots).clamp(2.0, 4096.0);
        let reach = Reach { running, context: means.0 + means.1, tokens: overheads.budget + running };
        Some(Simulation::new(self.pace(reach), rules, arrivals, (lengths, means), (requests, SEED)))
    }
}
