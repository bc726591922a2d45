//! An open loop: requests arrive as a Poisson process of a given mean rate, whether or not others have ended.
//!
//! The queueing results are those of Little, of Pollaczek and Khinchine, and of Sakasegawa (1977);
//! docs/method/inference.md has the equations.

use super::crossing::Bracket;
use super::saturated::Saturated;
use super::served::{Flow, Queue, Served, plain_step};
use crate::inference::InferenceJob;
use crate::inference::step::Step;
use crate::units::Seconds;

/// Rounds of the search by which a rate becomes a number of running requests.
const ROUNDS: u32 = 60;

/// Rounds in which the number of prompts per step converges.
const READINGS: u32 = 6;

/// Iterations between the request rate and the delays by prompts of other groups of a pipeline.
const DELAYS: u32 = 6;

/// Utilisation above which a steady state takes too long to develop to be observed.
pub(super) const FULL: f64 = 0.999;

/// A step that prefills prompts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedStep {
    pub(super) step: Step,
    /// Steps per prompt.
    pub(super) parts: f64,
    /// Time of the step.
    pub(super) time: Seconds,
}

/// Prompts at one prefill replica.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving {
    /// The step in which a prompt is read.
    pub(super) step: Step,
    /// Steps per prompt.
    pub(super) parts: f64,
    /// Time of that step.
    pub(super) own: Seconds,
    /// Wait for other prompts beyond the current step, s.
    pub(super) before: f64,
    /// Share of the time in which prompts are prefilled.
    pub(super) reading: f64,
}

/// Steady state of one replica.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplicaState {
    /// Running requests on average.
    running: f64,
    /// Running requests that a request finds, itself included.
    seen: f64,
    /// A step without prompts among these.
    plain: Seconds,
    /// Time from a request's first token to its last.
    decoding: Seconds,
    /// Request rate of this replica, 1/s.
    rate: f64,
}

impl InferenceJob<'_> {
    /// Largest sustained request rate of all GPUs, requests per second.
    pub fn largest_rate(&self) -> f64 {
        match self.session() {
            Some(session) => self.largest_session_rate(&session),
            None => self.rate_of(&self.full_state()),
        }
    }

    /// The state of a replica at capacity.
    pub(super) fn full_state(&self) -> ReplicaState {
        let most = self.most_running();
        self.state(most, most)
    }

    /// [`Self::largest_rate`] from the state of a replica at capacity.
    pub(super) fn rate_of(&self, full: &ReplicaState) -> f64 {
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let readers = self.reading_groups();
        // Prefill alone, with as many prompts per step as fit.
        let (step, parts) = reader.reading(f64::INFINITY, 0.0);
        let alone = step.prompts * readers / (reader.time_of(step).get() * parts);
        let decoding = if self.load.output > 1 { full.rate * self.groups() } else { f64::INFINITY };
        let decoding = decoding.min(readers / self.prompt_reload_time().get());
        if self.load.prefill_workers == 0 && self.load.output > 1 { decoding } else { decoding.min(alone) }
    }

    /// Largest request rate of all GPUs, requests per second, that is sustained with the share of prompts that the load's sessions
    /// have in the cache.
    pub fn sustained_rate(&self) -> f64 {
        match self.settled() {
            Some(load) => InferenceJob { load: &load, ..*self }.largest_rate(),
            None => self.largest_rate(),
        }
    }

    /// Checks that the machine sustains a request rate; the error has the largest sustained rate.
    pub fn keeps_up(&self, rate: f64) -> Result<(), Saturated> {
        if rate <= self.sustained_rate() * FULL {
            Ok(())
        } else {
            // What is refused exceeds what is said to be served.
            Err(Saturated { largest: (self.largest_rate() * FULL).min(rate * FULL) })
        }
    }

    /// Number of decoding requests of a group at capacity, which slots, KV-cache memory and the tokens of a step limit.
    pub(super) fn most_running(&self) -> f64 {
        self.group_places().min(self.token_places()).max(1.0)
    }

    /// The replica's state for a number of running requests: n of them take D = (O - 1) s(n) + (n - 1) x to decode, since
    /// each of the others is replaced once, by a request that adds its prompt; the rate follows from Little's law, n = λ D.
    /// `most`: [`Self::most_running`].
    fn state(&self, running: f64, most: f64) -> ReplicaState {
        // An arriving request sees the mean number of running requests (PASTA), plus itself.
        let seen = (running + 1.0).min(most).max(1.0);
        let plain = self.time_of(plain_step(seen));
        let steps = self.load.passes();
        if self.load.prefill_workers > 0 {
            let decoding = plain * steps;
            let rate = if steps > 0.0 { running / decoding.get() } else { f64::INFINITY };
            return ReplicaState { running, seen, plain, decoding, rate };
        }
        // The prompts of a step are those that arrive during a step, so their number grows with the load.
        let state = |(step, parts): (Step, f64)| {
            let own = self.time_of(step);
            let each = self.added(own, plain) * (parts / step.prompts);
            let between = if steps > 0.0 { self.between_admissions(own, plain) } else { own };
            let mut decoding = plain * steps + each * running;
            let rate = |decoding: Seconds| {
                if steps > 0.0 { running / decoding.get() } else { running / (running * each.get()) }
            };
            if self.load.pipeline > 1 {
                let rounds = self.rounds(plain, (own, step.prompts), seen);
                for _ in 0..DELAYS {
                    let reads = rate(decoding) * parts * f64::from(self.load.context);
                    decoding = plain * steps + each * (running * rounds.delays(reads));
                }
            }
            if self.overheads.prompt_steps.mix() {
                // No step is longer than one that reads prompts.
                decoding = decoding.min(own.max(plain) * steps);
            }
            let rate = rate(decoding);
            (
                ReplicaState { running, seen, plain, decoding, rate },
                rate * f64::from(self.load.context) * between.get(),
            )
        };
        let mut reading = self.reading(1.0, seen);
        let (mut found, mut come) = state(reading);
        for _ in 0..READINGS {
            let next = if come > 1.0 { self.reading(come, seen) } else { reading };
            if next == reading {
                break;
            }
            reading = next;
            (found, come) = state(reading);
        }
        found
    }

    /// The state in which this many requests per second arrive at a replica.
    fn state_at(&self, rate: f64, full: ReplicaState) -> ReplicaState {
        if self.load.passes() <= 0.0 {
            return self.state(0.0, full.running);
        }
        let end = (full.running, full.rate - rate);
        let mut bracket = Bracket::new((0.0, -rate), end);
        // The upper end was evaluated last: if it moves next, the lower end stays twice.
        bracket.move_high(end);
        let mut state = full;
        for _ in 0..ROUNDS {
            let running = bracket.root();
            if !(bracket.low.0..=bracket.high.0).contains(&running) {
                break;
            }
            let previous = state.running;
            state = self.state(running, full.running);
            if (state.rate - rate).abs() <= 1e-9 * rate || (running - previous).abs() <= 1e-12 * running {
                break;
            }
            if state.rate < rate {
                bracket.move_low((running, state.rate - rate));
            } else {
                bracket.move_high((running, state.rate - rate));
            }
        }
        state
    }

    /// The steady state of a load without sessions at this request rate of all GPUs, 1/s. A rate that the machine cannot sustain is replaced by
    /// the largest sustained one.
    pub(super) fn open(&self, rate: f64) -> Served {
        let full = self.full_state();
        let rate = rate.min(self.rate_of(&full) * FULL);
        self.steady(&self.state_at(rate / self.groups(), full), rate)
    }

    /// The steady state in which this many requests run on each replica, and the requests per second of all GPUs that
    /// it takes. `most`: [`Self::most_running`].
    pub(super) fn open_with(&self, running: f64, most: f64) -> (Served, f64) {
        self.open_in(&self.state(running, most))
    }

    /// The steady state of replicas that are each in this state, and the requests per second of all GPUs that it takes.
    pub(super) fn open_in(&self, state: &ReplicaState) -> (Served, f64) {
        let rate = state.rate * self.groups();
        (self.steady(state, rate), rate)
    }

    /// Prompts that arrive at one replica at a rate of `rate` per second, beside `beside` requests that decode there.
    pub(super) fn arriving(&self, rate: f64, beside: f64) -> Arriving {
        self.arriving_in(&self.outermost(beside), rate, beside)
    }

    /// The steps that hold one prompt, and as many as fit, beside `beside` requests that decode.
    pub(super) fn outermost(&self, beside: f64) -> [TimedStep; 2] {
        let (step, parts) = self.reading(1.0, beside);
        let alone = TimedStep { step, parts, time: self.time_of(step) };
        [alone, self.timed(f64::INFINITY, beside, &[alone])]
    }

    /// The step with this number of prompts, or with as many as fit. Its time is taken from `known` if it is among them.
    fn timed(&self, prompts: f64, beside: f64, known: &[TimedStep]) -> TimedStep {
        let (step, parts) = self.reading(prompts, beside);
        let same = known.iter().find(|other| other.step == step);
        same.copied().unwrap_or_else(|| TimedStep { step, parts, time: self.time_of(step) })
    }

    /// [`Self::arriving`] from the steps that hold the fewest and the most prompts.
    pub(super) fn arriving_in(&self, outermost: &[TimedStep; 2], rate: f64, beside: f64) -> Arriving {
        let [alone, full] = outermost;
        // Prompts that come while one is read are read together.
        let prompts = (rate * alone.time.get() * alone.parts).max(1.0);
        let TimedStep { step, parts, time: own } =
            if prompts > 1.0 { self.timed(prompts, beside, outermost) } else { *alone };
        let (most, longest) = (full.step, full.time);
        // Time per prompt with the largest number of prompts per step.
        let service = longest.get() * parts / most.prompts;
        let busy = (rate * service).min(FULL);
        let reading = (rate * own.get() * parts / step.prompts).min(1.0);
        // Beyond the step under way, the wait of a queue with constant service (Pollaczek and Khinchine).
        let before = 0.5 * service * busy * busy / (1.0 - busy);
        Arriving { step, parts, own, before, reading }
    }

    fn steady(&self, state: &ReplicaState, rate: f64) -> Served {
        let load = self.load;
        let prefilling = load.prefilling();
        let reader = self.reader(&prefilling);
        let apart = load.prefill_workers > 0;
        let beside = if apart { 0.0 } else { state.seen - 1.0 };
        let Arriving { step, parts, own, before, reading } =
            reader.arriving(rate / self.reading_groups(), beside);
        // Workers that only decode finish their step before a request joins.
        let plain = if apart { 1.0 } else { 1.0 - reading };
        let decodes = plain * (1.0 - libm::exp(-state.running));
        let admission = if apart { 0.0 } else { self.admission_wait(state.plain, state.rate).get() };
        let under_way = 0.5 * (reading * own.get() + decodes * state.plain.get()) + decodes * admission;
        let steps = load.passes().max(1.0);
        Served {
            prefill: step,
            prefill_time: own,
            decode: plain_step(state.seen),
            decode_time: state.plain,
            flow: Flow::PerSecond(rate),
            running: state.seen,
            queue: Queue::For(self.place_queue(state)),
            further: Self::span(own, state.plain, parts) - own,
            wait: Seconds::new(before + under_way),
            burst: Seconds::ZERO,
            arrival: self.arrival(),
            transfer: if apart { self.transfer() } else { Seconds::ZERO },
            interference: (state.decoding - state.plain * load.passes()) / steps,
        }
    }

    /// Mean wait for one of c places that are taken for a constant time S: S u^(√(2(c + 1)) - 1) / (2c (1 - u)) at a
    /// utilisation of u (Sakasegawa 1977).
    fn place_queue(&self, state: &ReplicaState) -> Seconds {
        let places = self.group_places().max(1.0);
        let used = (state.running / places).min(FULL);
        if used <= 0.0 {
            return Seconds::ZERO;
        }
        let waiting = libm::pow(used, libm::sqrt(2.0 * (places + 1.0)) - 1.0) / (1.0 - used);
        state.decoding * (0.5 * waiting / places)
    }
}
