//! A group of requests that decode together, simulated step by step. An attention replica has one group per pipeline stage.

use std::collections::VecDeque;

use super::admission::AdmissionInterval;
use super::pace::Reading;
use super::pool::{Pipeline, Pool};
use super::request::{Ended, Running, Waiting};

/// Requests of a group, and its clock.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The replica to which it belongs.
    replica: usize,
    /// True if prompts that are prefilled go to another replica, which decodes.
    prefills_only: bool,
    /// End of the last step, s.
    now: f64,
    /// Decode steps so far.
    pass: u64,
    /// The decode step after which the next request ends.
    next_end: u64,
    interval: AdmissionInterval,
    /// Prompts whose keys and values arrive from another replica, with the time of arrival, s, earliest first.
    coming: VecDeque<(f64, Waiting)>,
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
    /// Time that requests spent here, summed over the requests, s.
    present: f64,
    /// Preemptions so far.
    preempted: u64,
}

impl Group {
    /// Number of requests for which it keeps memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        let queues = [&self.waiting, &self.reading].map(VecDeque::capacity);
        self.coming.capacity() + queues.iter().sum::<usize>() + self.running.capacity()
    }

    /// A group without requests; `prefills_only` if prompts that are prefilled go to another replica.
    pub(super) const fn new(replica: usize, prefills_only: bool) -> Self {
        Self {
            replica,
            prefills_only,
            now: 0.0,
            pass: 0,
            next_end: u64::MAX,
            interval: AdmissionInterval::new(),
            coming: VecDeque::new(),
            waiting: VecDeque::new(),
            reading: VecDeque::new(),
            running: Vec::new(),
            seen: 0.0,
            prompts: 0.0,
            present: 0.0,
            preempted: 0,
        }
    }

    /// The replica to which this group belongs.
    pub(super) const fn replica(&self) -> usize {
        self.replica
    }

    /// End of the last step, s.
    pub(super) const fn now(&self) -> f64 {
        self.now
    }

    /// Time at which the next step can begin, s; infinite without requests.
    pub(super) fn begins(&self) -> f64 {
        if self.present_requests() > 0 {
            return self.now;
        }
        self.coming.front().map_or(f64::INFINITY, |(time, _)| time.max(self.now))
    }

    /// Requests that wait for admission.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Requests that wait, are in prefill, decode, or whose keys and values are being transferred here.
    pub(super) fn requests(&self) -> usize {
        self.present_requests() + self.coming.len()
    }

    fn present_requests(&self) -> usize {
        self.waiting.len() + self.reading.len() + self.running.len()
    }

    /// Preemptions so far.
    pub(super) const fn preempted(&self) -> u64 {
        self.preempted
    }

    /// Returns the time that requests spent here since the last call, summed over the requests, s.
    pub(super) const fn take_present(&mut self) -> f64 {
        std::mem::replace(&mut self.present, 0.0)
    }

    /// Appends a request that arrives at time `time`, s, to the waiting queue.
    pub(super) fn receive(&mut self, time: f64, request: Waiting) {
        if self.present_requests() == 0 {
            self.now = self.now.max(time);
        }
        // A request that arrives during a step is here for the rest of it.
        self.present += self.now - time;
        self.waiting.push_back(request);
    }

    /// Notes a request whose keys and values will be here at time `time`, s.
    pub(super) fn expect(&mut self, time: f64, request: Waiting) {
        let place = self.coming.partition_point(|(other, _)| *other <= time);
        self.coming.insert(place, (time, request));
    }

    /// One step of the engine, which begins at [`Self::begins`] or when the pipeline's first stage is free. Appends the requests
    /// that end with it.
    pub(super) fn step(&mut self, pool: &Pool, pipeline: &mut Pipeline, ended: &mut Vec<Ended>) {
        let begins = self.begins().max(pipeline.free);
        while let Some((time, request)) = self.coming.front().copied().filter(|(time, _)| *time <= begins) {
            self.coming.pop_front();
            self.receive(time, request);
        }
        if begins > self.now {
            self.present += self.present_requests() as f64 * (begins - self.now);
            self.now = begins;
        }
        self.join(pool, ended);
        let reading = self.read(pool);
        let tokens = reading.tokens;
        let running = self.running.len();
        let decoded = if tokens == 0 || pool.rules.prompt_steps.mix() { running } else { 0 };
        if tokens == 0 && running == 0 {
            return;
        }
        let context = self.seen / (running as f64).max(1.0);
        let time = if tokens > 0 {
            pool.pace.mixed(reading, decoded as f64, context)
        } else {
            pool.pace.decode(running as f64, context)
        };
        let time = time + pipeline.enter(self.now, time, pool.stages);
        self.interval.pass(&pool.rules, tokens > 0, self.waiting.is_empty());
        self.present += self.present_requests() as f64 * time;
        self.now += time;
        if decoded > 0 {
            self.pass += 1;
            self.seen += decoded as f64 * pool.rules.yielded;
            if self.pass >= self.next_end {
                self.end(pool, ended);
            }
        }
        while let Some(request) = self.reading.front().copied().filter(Waiting::is_read) {
            self.reading.pop_front();
            self.begin(pool, request, ended);
        }
    }

    /// Admits requests whose prompts another replica has prefilled. They decode in the step that begins.
    fn join(&mut self, pool: &Pool, ended: &mut Vec<Ended>) {
        while self.waiting.front().is_some_and(Waiting::is_read) && self.admit(pool) {
            if let Some(request) = self.reading.pop_back() {
                self.begin(pool, request, ended);
            }
        }
    }

    /// Admits requests and prefills their prompts within the token budget.
    fn read(&mut self, pool: &Pool) -> Reading {
        let rules = &pool.rules;
        let busy = if rules.prompt_steps.mix() { self.running.len() as u32 * rules.checked } else { 0 };
        let mut left = rules.budget.saturating_sub(busy).max(1);
        let mut reading = Reading::default();
        let mut place = 0;
        let admits = self.running.is_empty() || self.interval.admits(rules);
        while left > 0 {
            if place >= self.reading.len() && !(admits && self.admit(pool)) {
                break;
            }
            let Some(request) = self.reading.get_mut(place) else { break };
            let rest = request.prompt - request.read;
            let part = if rules.prompt_steps.split() { rest.min(left) } else { rest };
            // A step holds at least one prompt.
            if part > left && place > 0 {
                break;
            }
            reading.seen += f64::from(part) * (f64::from(request.read) + 0.5 * f64::from(part));
            request.read += part;
            reading.tokens += part;
            left = left.saturating_sub(part);
            place += 1;
        }
        Reading { prompts: place as u32, ..reading }
    }

    /// Admits the first waiting request if a slot and KV cache are free. Returns true if a request was admitted.
    fn admit(&mut self, pool: &Pool) -> bool {
        let rules = &pool.rules;
        let there = self.reading.len() + self.running.len();
        let Some(first) = self.waiting.front().copied() else { return false };
        let length =
            if rules.reserves { first.prompt.saturating_add(first.output) } else { first.prompt + 1 };
        let needs = rules.fixed + rules.per_token * f64::from(length);
        if there > 0 && (there >= rules.slots as usize || self.used(pool) + needs > rules.room) {
            return false;
        }
        self.waiting.pop_front();
        self.reading.push_back(first);
        self.prompts += first.kept(rules.reserves);
        true
    }

    /// Bytes of KV cache in use.
    fn used(&self, pool: &Pool) -> f64 {
        let rules = &pool.rules;
        let there = (self.reading.len() + self.running.len()) as f64;
        let tokens = if rules.reserves { self.prompts } else { self.prompts + self.seen };
        rules.fixed * there + rules.per_token * tokens
    }

    /// Moves a request whose prompt is prefilled to decoding; it gets its first token. On a replica that only prefills,
    /// it ends here.
    fn begin(&mut self, pool: &Pool, request: Waiting, ended: &mut Vec<Ended>) {
        let first = request.first.unwrap_or(self.now);
        let generated = request.generated + 1.0;
        let left = f64::from(request.output) - generated;
        if left <= 0.0 || self.prefills_only {
            self.prompts -= request.kept(pool.rules.reserves);
            ended.push(Ended { request, first });
            return;
        }
        if !pool.rules.reserves {
            self.prompts -= request.kept(false);
        }
        let passes = libm::ceil(left / pool.rules.yielded - 1e-9).max(1.0) as u64;
        let running = Running { request, first, begins: self.pass, ends: self.pass + passes };
        self.seen += self.context(pool, &running);
        self.next_end = self.next_end.min(running.ends);
        self.running.push(running);
    }

    /// Context of a decoding request, tokens.
    fn context(&self, pool: &Pool, running: &Running) -> f64 {
        f64::from(running.request.prompt) + 1.0 + (self.pass - running.begins) as f64 * pool.rules.yielded
    }

    /// Removes the decoding requests that have all their output tokens.
    fn end(&mut self, pool: &Pool, ended: &mut Vec<Ended>) {
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
            self.seen -= self.context(pool, &running);
            if pool.rules.reserves {
                self.prompts -= running.request.kept(true);
            }
            ended.push(Ended { request: running.request, first: running.first });
        }
    }

    /// Preempts decoding requests, the newest first, until the KV cache holds the others; their tokens are recomputed.
    pub(super) fn preempt(&mut self, pool: &Pool) {
        while self.used(pool) > pool.rules.room && self.running.len() > 1 && !pool.rules.reserves {
            let Some(running) = self.running.pop() else { return };
            self.seen -= self.context(pool, &running);
            let generated = 1.0 + (self.pass - running.begins) as f64 * pool.rules.yielded;
            let request = running.request;
            self.waiting.push_front(Waiting {
                first: Some(running.first),
                prompt: request.prompt.saturating_add(libm::floor(generated) as u32),
                read: 0,
                generated: request.generated + generated,
                ..request
            });
            self.preempted += 1;
            self.next_end = self.running.iter().map(|left| left.ends).min().unwrap_or(u64::MAX);
        }
    }
}
