//! The simulation of one attention replica, engine step by engine step.

use std::collections::VecDeque;

use super::lengths::Lengths;
use super::pace::Pace;
use super::random::Random;
use super::request::{Running, Waiting};
use super::results::{Quantiles, Simulated};
use super::scheduler::{Arrivals, Extent, Scheduler};
use super::sums::Sums;

/// A simulation of one attention replica.
#[derive(Clone, Debug)]
pub struct Simulation {
    pace: Pace,
    rules: Scheduler,
    arrivals: Arrivals,
    lengths: Lengths,
    /// Mean prompt and output lengths, tokens.
    means: (f64, f64),
    random: Random,
    /// Simulated time, s.
    now: f64,
    /// Time of the next Poisson arrival, s; infinite if a constant number of requests is in flight.
    next: f64,
    /// Decode steps so far.
    pass: u64,
    /// The decode step after which the next request ends.
    next_end: u64,
    /// Requests that are not admitted, the next one first.
    waiting: VecDeque<Waiting>,
    /// Admitted requests in prefill.
    reading: VecDeque<Waiting>,
    /// Decoding requests, in order of admission.
    running: Vec<Running>,
    /// Cached tokens of all decoding requests.
    seen: f64,
    /// Cached or reserved tokens of all other requests that were admitted.
    prompts: f64,
    sums: Sums,
    /// Requests that arrive in all; `u64::MAX` in an endless stream.
    arriving: u64,
    /// Requests of the warm-up.
    warm: u64,
    /// Requests to measure after the warm-up.
    wanted: u64,
}

/// Length of the waiting queue at which the replica counts as overloaded.
const MOST_WAITING: usize = 100_000;

/// Requests of the warm-up over measured requests.
const WARM: f64 = 0.2;

impl Simulation {
    /// A simulation of requests that arrive like this; `means` are the mean prompt and output lengths, tokens.
    pub fn new(
        pace: Pace,
        rules: Scheduler,
        arrivals: Arrivals,
        (lengths, means): (Lengths, (f64, f64)),
        (extent, seed): (Extent, u64),
    ) -> Self {
        let (arriving, warm, wanted) = match extent {
            Extent::Stream(wanted) => (u64::MAX, libm::ceil(f64::from(wanted) * WARM) as u64, wanted),
            Extent::Run(wanted) => (u64::from(wanted), 0, wanted),
        };
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
            arriving,
            warm,
            wanted: u64::from(wanted),
        };
        match arrivals {
            Arrivals::Poisson(_) => simulation.schedule(0.0),
            Arrivals::Closed(clients) => (0..clients).for_each(|_| simulation.arrive(0.0)),
        }
        simulation
    }

    /// Returns true if all requests were measured, or the replica is overloaded.
    pub fn is_done(&self) -> bool {
        self.sums.ended >= self.warm + self.wanted || !self.keeps_up()
    }

    /// Returns true unless the waiting queue shows that the replica is overloaded.
    pub fn keeps_up(&self) -> bool {
        self.waiting.len() <= MOST_WAITING
    }

    /// Requests that arrived, that finished, and that are waiting or in flight.
    pub fn counts(&self) -> (u64, u64, u64) {
        let there = self.waiting.len() + self.reading.len() + self.running.len();
        (self.sums.arrived, self.sums.ended, there as u64)
    }

    /// Requests that were measured so far.
    pub fn measured(&self) -> u64 {
        self.sums.latency.total()
    }

    /// Output tokens of the finished requests.
    pub const fn tokens(&self) -> f64 {
        self.sums.tokens
    }

    /// Requests of a run that has an end; `None` for an endless stream.
    pub fn run_length(&self) -> Option<u64> {
        (self.arriving < u64::MAX).then_some(self.arriving)
    }

    /// Returns true if a fixed number of requests is in flight.
    pub const fn is_closed(&self) -> bool {
        matches!(self.arrivals, Arrivals::Closed(_))
    }

    /// Distribution of prompt and output lengths.
    pub const fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// Simulated time, s.
    pub const fn now(&self) -> f64 {
        self.now
    }

    /// Simulates up to `steps` steps of the engine.
    pub fn advance(&mut self, steps: u32) {
        for _ in 0..steps {
            if self.is_done() {
                return;
            }
            self.step();
        }
    }

    /// Simulates to the end.
    pub fn run(&mut self) -> Simulated {
        while !self.is_done() {
            self.advance(u32::MAX);
        }
        self.simulated()
    }

    /// Latencies of the requests measured so far.
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
            waiting: self.waiting.len() as u64,
            open: self.run_length().is_none() && !self.is_closed(),
        }
    }

    /// Draws the next Poisson arrival after time `from`, s.
    fn schedule(&mut self, from: f64) {
        self.next = match self.arrivals {
            Arrivals::Poisson(rate) if self.sums.arrived < self.arriving => {
                from + self.random.exponential(1.0 / rate)
            }
            Arrivals::Poisson(_) | Arrivals::Closed(_) => f64::INFINITY,
        };
    }

    /// Draws a request that arrives at time `arrived`, s, and appends it to the waiting queue, unless all have arrived.
    fn arrive(&mut self, arrived: f64) {
        if self.sums.arrived >= self.arriving {
            return;
        }
        let (prompt, output) = self.lengths.draw(self.means, &mut self.random);
        let read = libm::floor(f64::from(prompt) * self.rules.cached).min(f64::from(prompt - 1)) as u32;
        self.sums.arrived += 1;
        self.waiting.push_back(Waiting { arrived, first: None, prompt, read, output, generated: 0.0 });
    }

    /// Advances the clock by `time` seconds.
    fn pass_time(&mut self, time: f64) {
        let there = self.waiting.len() + self.reading.len() + self.running.len();
        self.sums.present += there as f64 * time;
        self.now += time;
    }

    /// One step of the engine, or the wait for the next arrival.
    fn step(&mut self) {
        while self.next <= self.now {
            let arrived = self.next;
            // A request that arrived during a step was in the system for the rest of it.
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

    /// Admits requests and prefills their prompts within the token budget. Returns the prefilled tokens, and the sum of
    /// the keys that each of them attends to.
    fn read(&mut self) -> (u32, f64) {
        let rules = self.rules;
        let busy = if rules.mixes { self.running.len() as u32 * rules.checked } else { 0 };
        let mut left = rules.budget.saturating_sub(busy).max(1);
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

    /// Admits the first waiting request if a slot and KV cache are free. Returns true if a request was admitted.
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

    /// Tokens that a request caches or reserves when it is admitted.
    fn kept(&self, request: &Waiting) -> f64 {
        let rest = if self.rules.reserves { f64::from(request.output) - request.generated } else { 0.0 };
        f64::from(request.prompt) + rest
    }

    /// Bytes of KV cache in use.
    fn used(&self) -> f64 {
        let there = (self.reading.len() + self.running.len()) as f64;
        let tokens = if self.rules.reserves { self.prompts } else { self.prompts + self.seen };
        self.rules.fixed * there + self.rules.per_token * tokens
    }

    /// Moves requests whose prompts are prefilled to decoding; they get their first token.
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

    /// Context of a decoding request, tokens.
    fn context(&self, running: &Running) -> f64 {
        f64::from(running.request.prompt) + 1.0 + (self.pass - running.begins) as f64 * self.rules.yielded
    }

    /// Removes the decoding requests that have all their output tokens.
    fn end(&mut self) {
        let mut place = 0;
        self.next_end = u64::MAX;
        while let Some(running) = self.running.get(place).copied() {
            if running.ends > self.pass {
                self.next_end = self.next_end.min(running.ends);
                place += 1;
                continue;
            }
            // `remove` keeps the order of admission, by which the newest request is preempted first.
            self.running.remove(place);
            self.seen -= self.context(&running);
            if self.rules.reserves {
                self.prompts -= self.kept(&running.request);
            }
            self.ended(&running.request, running.first);
        }
    }

    /// Preempts decoding requests, the newest first, until the KV cache holds the others; their tokens are recomputed.
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

    /// Counts a finished request, whose first output token came at time `first`, s.
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
