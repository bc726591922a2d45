//! The event loop of a simulation: requests arrive, replicas take steps in order of time, finished requests are measured.

use super::pace::Pace;
use super::pool::{Handover, Pool};
use super::random::Random;
use super::replicas::{Replicas, Stepped};
use super::request::{Ended, Waiting};
use super::results::Simulated;
use super::scheduler::{Arrivals, Extent, Scheduler};
use super::source::{Coming, Source};
use super::state::Simulation;
use super::sums::Sums;

impl Simulation {
    /// A simulation of one replica, whose requests arrive like this. They are a trace's, or their lengths are drawn around mean
    /// prompt and output lengths, tokens.
    pub fn new(
        pace: Pace,
        rules: Scheduler,
        arrivals: Arrivals,
        requests: impl Into<Source>,
        extent: (Extent, u64),
    ) -> Self {
        let requests = requests.into();
        Self::of(None, Pool { replicas: 1, stages: 1, pace, rules }, arrivals, requests, extent)
    }

    /// A simulation of disaggregated serving: replicas that only prefill, and replicas that decode.
    pub fn disaggregated(
        (prefill, decode, handover): (Pool, Pool, Handover),
        arrivals: Arrivals,
        requests: impl Into<Source>,
        extent: (Extent, u64),
    ) -> Self {
        Self { handover, ..Self::of(Some(prefill), decode, arrivals, requests.into(), extent) }
    }

    /// A simulation of the replicas of one pool, or of two.
    pub(super) fn of(
        prefill: Option<Pool>,
        decode: Pool,
        arrivals: Arrivals,
        source: Source,
        (extent, seed): (Extent, u64),
    ) -> Self {
        let mut simulation = Self {
            replicas: Replicas::new(prefill, decode),
            handover: Handover { transfer: 0.0, simulated: 1.0 },
            arrivals,
            source,
            random: Random::new(seed),
            now: 0.0,
            next: f64::INFINITY,
            over: false,
            ended: Vec::new(),
            sums: Sums::default(),
            extent,
        };
        match arrivals {
            Arrivals::Poisson(_) | Arrivals::Timed => simulation.schedule(0.0),
            Arrivals::Closed(clients) => (0..clients).for_each(|_| simulation.arrive(0.0)),
        }
        simulation
    }

    /// Simulates up to `steps` steps of the engine.
    pub fn advance(&mut self, steps: u32) {
        for _ in 0..steps {
            if self.is_done() {
                return;
            }
            self.over = !self.step();
        }
    }

    /// Simulates to the end.
    pub fn run(&mut self) -> Simulated {
        while !self.is_done() {
            self.over = !self.step();
        }
        self.simulated()
    }

    /// Sets the next arrival after time `from`, s.
    fn schedule(&mut self, from: f64) {
        self.next = match self.arrivals {
            _ if self.sums.arrived >= self.extent.arriving() => f64::INFINITY,
            Arrivals::Timed => self.source.next_time(),
            Arrivals::Poisson(rate) => from + self.random.exponential(1.0 / rate),
            Arrivals::Closed(_) => f64::INFINITY,
        };
    }

    /// Takes a request that arrives at time `arrived`, s, and sends it to a replica, unless all have arrived.
    fn arrive(&mut self, arrived: f64) {
        if self.sums.arrived >= self.extent.arriving() {
            return;
        }
        let share = self.replicas.entry().rules.cached;
        let coming = self.source.next(&mut self.random);
        self.sums.arrived += 1;
        let closed = self.is_closed();
        let replica = coming.replica.unwrap_or_else(|| self.replicas.at_entry(closed, &mut self.random));
        let cached = self.source.cached(&coming, replica, share);
        let Coming { prompt, output, .. } = coming;
        self.sums.prompts += f64::from(prompt);
        for (sum, tokens) in self.sums.cached.iter_mut().zip(cached) {
            *sum += tokens;
        }
        let read = cached.iter().sum::<f64>() as u32;
        let loading = self.source.load_time([cached[1], cached[2]]);
        let ready = self.replicas.loaded(replica, arrived, loading);
        if let Some(group) = self.replicas.taker(replica, prompt.saturating_sub(read)) {
            let request = Waiting { arrived, first: None, prompt, read, output, generated: 0.0 };
            if ready > arrived {
                self.sums.present += ready - arrived;
                group.expect(ready, request);
            } else {
                group.receive(arrived, request);
            }
        }
    }

    /// Sends a request that was prefilled to a replica that decodes.
    fn hand_over(&mut self, request: &Waiting, prefilled: f64) {
        let Handover { transfer, simulated } = self.handover;
        if simulated < 1.0 && self.random.share() >= simulated {
            self.sums.arrived -= 1;
            self.sums.present -= prefilled - request.arrived;
            return;
        }
        let closed = self.is_closed();
        let transfer = transfer * f64::from(request.prompt);
        self.sums.present += transfer;
        if let Some(group) = self.replicas.decoder(closed, &mut self.random) {
            group.expect(prefilled + transfer, Waiting { read: request.prompt, first: None, ..*request });
        }
    }

    /// One step of the group whose step begins first, after the requests that arrive until then. Returns false if
    /// there is no request any more.
    fn step(&mut self) -> bool {
        let (mut place, mut begins) = self.replicas.first();
        while self.next <= begins && self.next.is_finite() {
            let arrived = self.next;
            self.arrive(arrived);
            self.schedule(arrived);
            (place, begins) = self.replicas.first();
        }
        if !begins.is_finite() {
            return false;
        }
        let mut ended = std::mem::take(&mut self.ended);
        let Some(Stepped { now, present, prefills }) = self.replicas.step(place, &mut ended) else {
            return false;
        };
        self.sums.present += present;
        self.now = self.now.max(now);
        for Ended { request, first } in ended.drain(..) {
            if prefills { self.hand_over(&request, now) } else { self.measure(&request, first, now) }
        }
        self.ended = ended;
        self.replicas.preempt(place);
        true
    }

    /// Counts a request that finished at time `now`, s, and whose first output token came at time `first`, s.
    fn measure(&mut self, request: &Waiting, first: f64, now: f64) {
        let warm_up = self.extent.warm_up();
        if self.sums.ended >= warm_up {
            self.sums.measure(request, first, now, self.replicas.decode().rules.arrival);
        }
        self.sums.ended += 1;
        self.sums.tokens += f64::from(request.output);
        if self.sums.ended == warm_up {
            self.sums.end_warm_up(self.now, self.replicas.preempted());
        }
        if self.is_closed() {
            self.arrive(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::PromptSteps;
    use crate::serving::simulation::{Histogram, Lengths, Reach};

    /// Elements of the histograms, and requests and other elements, for which a simulation keeps memory.
    fn kept(simulation: &Simulation) -> (usize, usize) {
        let Sums { ttft, tpot, latency, .. } = &simulation.sums;
        let histograms = [ttft, tpot, latency].map(Histogram::capacity);
        let lists = simulation.replicas.capacity() + simulation.ended.capacity();
        (histograms.iter().sum(), lists)
    }

    /// What a simulation of 100,000 requests keeps is its histograms of fixed size, and the requests that are in the system at the same
    /// time: as much as one of 10,000.
    #[test]
    fn memory_does_not_grow_with_the_number_of_requests() {
        let reach = Reach { running: 64.0, context: 4096.0, tokens: 1024.0 };
        let pace = Pace::new(|running, _| 0.01 + 1e-5 * running, |tokens, _| 1e-4 * tokens, reach);
        let rules = Scheduler {
            admission: 1,
            holds: false,
            slots: 32,
            budget: 512,
            prompt_steps: PromptSteps::Chunked,
            reserves: false,
            checked: 1,
            yielded: 1.0,
            room: 20_000.0,
            fixed: 0.0,
            per_token: 1.0,
            cached: 0.0,
            arrival: 0.0,
        };
        let empty = 3 * Histogram::default().capacity();
        for (arrivals, most) in [(Arrivals::Closed(48), 1024), (Arrivals::Poisson(20.0), 4096)] {
            let lengths = (Lengths::Uniform, (100.0, 40.0));
            let extent = (Extent::Stream(100_000), 3);
            let mut simulation = Simulation::new(pace.clone(), rules, arrivals, lengths, extent);
            while simulation.counts().1 < 10_000 {
                simulation.advance(100);
            }
            let (_, early) = kept(&simulation);
            while !simulation.is_done() {
                simulation.advance(10_000);
            }
            assert!(simulation.measured() >= 100_000 && simulation.keeps_up());
            let (histograms, late) = kept(&simulation);
            assert_eq!(histograms, empty);
            assert!(late <= most && late <= 4 * early, "{arrivals:?}: {early}, then {late}");
        }
    }
}
