//! Requests that come and go one by one.
//!
//! In a closed loop so many requests are in flight, and each that ends is replaced by a new one; in an open one
//! (`open`) they come at a given rate, and a finite number of those (`run`) may find the machine too slow.
//!
//! Prompts are read between, or together with, decode steps. Each prompt makes the steps that read it longer, for
//! every request that runs: TPOT is the decode step and its share of others' prompts. A new request waits for the
//! step under way and for the prompts before it. With separate workers for prompts, decode steps hold no prompts.

mod open;
mod run;

use super::inference::InferenceJob;
use super::inference_step::Step;
use super::term::Term;
use crate::units::Seconds;

pub use open::Saturated;

/// A steady state, or the mean of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    /// The step in which a prompt is read, of which its terms tell.
    pub(super) prefill: Step,
    /// A step without prompts.
    pub(super) decode: Step,
    /// Requests in flight on all GPUs that are not queued, or how many end per second.
    flow: Flow,
    /// Requests that one attention replica decodes together.
    pub(super) running: f64,
    /// How long a request waits for a place.
    queue: Queue,
    /// Further steps of a prompt that is longer than a step's budget.
    further: Seconds,
    /// Time before the prompt's first step: for the step under way and for other prompts.
    wait: Seconds,
    /// The same at the beginning, when all come at once, spread over all requests of a client.
    burst: Seconds,
    /// On the way to the engine and back.
    arrival: Seconds,
    /// Keys and values on their way to another worker.
    transfer: Seconds,
    /// What others' prompts add to a decode step on average.
    interference: Seconds,
}

/// What is known of the flow of requests.
#[derive(Clone, Copy, Debug)]
enum Flow {
    /// So many are in flight.
    InFlight(f64),
    /// So many end per second.
    PerSecond(f64),
}

/// What is known of the wait for a place.
#[derive(Clone, Copy, Debug)]
enum Queue {
    /// So many wait, for each that has a place.
    Excess(f64),
    /// Each waits so long.
    For(Seconds),
}

/// Rounds of the fixed point between a request's life and the prompts that come in it.
const ROUNDS: u32 = 40;

impl InferenceJob<'_> {
    /// The steady state, or the mean of a run.
    pub(super) fn served(&self) -> Served {
        let load = self.load;
        let replicas = load.replicas();
        if load.rate > 0.0 && load.requests > 0 {
            return match load.prefill_workers {
                0 => self.run_of(load.requests, load.rate),
                _ => self.run_apart(load.requests, load.rate),
            };
        }
        if load.rate > 0.0 {
            return self.open(load.rate);
        }
        let asked = f64::from(load.concurrency) / replicas;
        let places = self.places().min(self.overheads.slots).max(1.0);
        let running = asked.min(places).max(1.0 / replicas.max(1.0));
        let served = if load.prefill_workers > 0 { self.separate(running) } else { self.together(running) };
        Served {
            flow: Flow::InFlight(running * replicas),
            queue: Queue::Excess((asked / places - 1.0).max(0.0)),
            ..served
        }
    }

    pub(super) fn time_of(&self, step: Step) -> Seconds {
        self.step(step, &mut |_, _, _| {}).total()
    }

    /// Prompt tokens that fit into a step beside running requests.
    fn budget(&self, running: f64) -> f64 {
        let running = if self.overheads.mixes { running * (1.0 + f64::from(self.load.draft)) } else { 0.0 };
        let budget = self.overheads.budget;
        (budget - running).max(budget / 4.0) * f64::from(self.load.context)
    }

    /// A step that reads `prompts` prompts, or a part of one, among running requests; and in how many such steps one
    /// is read.
    fn reading(&self, prompts: f64, running: f64) -> (Step, f64) {
        let fresh = self.load.fresh();
        let room = self.budget(running);
        let steps = libm::ceil(fresh / room);
        let chunk = fresh / steps;
        let prompts = if steps > 1.0 { 1.0 } else { prompts.min(libm::floor(room / fresh)).max(1.0) };
        // Chunk by chunk a token sees more.
        let running = if self.overheads.mixes { running } else { 0.0 };
        (Step { prompts, chunk, keys: self.seen(chunk), running, passes: 1.0 }, steps)
    }

    /// What a prompt that is read in a step adds to the work of the replicas that read it, all of which share it.
    fn added(&self, own: Seconds, plain: Seconds) -> Seconds {
        // A step that mixes advances the running requests too.
        let extra = if self.overheads.mixes { own - plain } else { own };
        extra.max(Seconds::ZERO) * f64::from(self.load.context)
    }

    /// What each prompt of such a step takes of the replicas' time, all of its steps together.
    pub(super) fn prompt_time(&self, step: Step, own: Seconds) -> Seconds {
        let plain = if step.running > 0.0 { self.time_of(plain_step(step.running)) } else { Seconds::ZERO };
        let steps = libm::ceil(self.load.fresh() / step.chunk - 1e-9);
        self.added(own, plain) * (steps / step.prompts)
    }

    /// Prompts and decode steps on the same GPUs.
    fn together(&self, running: f64) -> Served {
        let plain = self.time_of(plain_step(running));
        let (mut served, mut arrivals) = self.sharing(running, plain, 1.0);
        for _ in 0..ROUNDS {
            let prompts = 0.5 * (served.prefill.prompts + arrivals);
            if (prompts - served.prefill.prompts).abs() < 0.05 {
                break;
            }
            (served, arrivals) = self.sharing(running, plain, prompts);
            if prompts > served.prefill.prompts {
                break;
            }
        }
        served
    }

    /// The loop where each step that reads prompts reads so many, and how many arrive while it runs.
    fn sharing(&self, running: f64, plain: Seconds, prompts: f64) -> (Served, f64) {
        let overheads = &self.overheads;
        let steps = self.load.passes().max(1.0);
        let others = (running - 1.0).max(0.0);
        let (prefill, parts) = self.reading(prompts, others);
        let own = self.time_of(prefill);
        let each = self.added(own, plain) * (parts / prefill.prompts);
        // Who ends and comes again finds the next step under way, if there is anybody else.
        let under_way = if running > 1.0 { plain } else { Seconds::ZERO };
        let mut wait = under_way;
        let mut decoding = plain * steps;
        for _ in 0..ROUNDS {
            // Of the others' prompts, those that come while this request decodes.
            let share = decoding / (decoding + wait + own * parts);
            let before = (decoding, wait);
            decoding = plain * steps + each * (others * share);
            wait = if self.load.uniform {
                // In steps one after the other requests end and come again: each finds the prompt of the one before
                // it under way, the first a plain step.
                own * (1.0 - 1.0 / running) + under_way * (1.0 / running)
            } else {
                under_way + queue(running, each, decoding)
            };
            if settled(before.0, decoding) && settled(before.1, wait) {
                break;
            }
        }
        let ttft = wait + own * parts;
        if self.load.uniform && !overheads.mixes {
            // Prompts go first, so that all requests begin to decode together, and end together: each round is a
            // burst again, and no prompt comes between.
            let half = each * (0.5 * others);
            return (self.round(running, prefill, parts, half, plain), running);
        }
        let served = Served {
            prefill,
            decode: plain_step(running),
            flow: Flow::InFlight(running),
            running,
            queue: Queue::Excess(0.0),
            further: own * (parts - 1.0),
            wait,
            burst: self.burst(each * others),
            arrival: overheads.arrival,
            transfer: Seconds::ZERO,
            interference: (decoding - plain * steps) / steps,
        };
        (served, running * f64::from(self.load.context) * (own / (decoding + ttft)))
    }

    /// The loop where all requests come, decode and end together: half of the prompts come before a request's own, and
    /// half between its own and its next token.
    fn round(&self, running: f64, prefill: Step, parts: f64, half: Seconds, plain: Seconds) -> Served {
        let steps = self.load.passes().max(1.0);
        Served {
            prefill,
            decode: plain_step(running),
            flow: Flow::InFlight(running),
            running,
            queue: Queue::Excess(0.0),
            further: self.time_of(prefill) * (parts - 1.0),
            wait: plain + half,
            burst: Seconds::ZERO,
            arrival: self.overheads.arrival,
            transfer: Seconds::ZERO,
            interference: half / steps,
        }
    }

    /// Mean wait of a client's requests for the others' first prompts, which came together with its own: half of
    /// them were before it.
    fn burst(&self, prompts: Seconds) -> Seconds {
        match self.load.rounds {
            0 => Seconds::ZERO,
            rounds => prompts / (2.0 * f64::from(rounds)),
        }
    }

    /// A prompt's keys and values on their way from the worker that reads it to one that decodes: over the links of all
    /// GPUs of the former between domains, of which a share is there between pods if the workers fill several.
    pub(super) fn transfer(&self) -> Seconds {
        let (load, network) = (self.load, &self.system.network);
        let beyond = if load.gpus() > network.pod { network.oversubscription } else { 1.0 };
        let links = network.scale_out * f64::from(load.prefill_tensor) / beyond;
        let sent = |job: &InferenceJob<'_>| job.kv_bytes_per_token() * f64::from(load.input) / links;
        sent(self) + self.of_draft(sent).unwrap_or_default()
    }

    /// Workers that only read prompts before workers that only decode.
    fn separate(&self, running: f64) -> Served {
        let load = self.load;
        let prefilling = load.prefilling();
        let reader = InferenceJob { load: &prefilling, ..*self };
        let servers = f64::from(load.prefill_workers) * f64::from(load.prefill_data);
        let transfer = self.transfer();
        let all = running * load.replicas();
        let steps = load.passes().max(1.0);
        let (mut decoded, mut waiting) = (running, 0.0);
        let (mut prefill, mut parts) = reader.reading(1.0, 0.0);
        let (mut own, mut wait) = (reader.time_of(prefill) * parts, Seconds::ZERO);
        for _ in 0..ROUNDS {
            // Prompts that wait are read together, as far as a step has room.
            (prefill, parts) = reader.reading(1.0 + waiting, 0.0);
            own = reader.time_of(prefill) * parts;
            let stay = self.time_of(plain_step(decoded)) * steps;
            let each = own / (prefill.prompts * servers);
            wait = queue(all, each, stay + transfer);
            let life = wait + own + transfer + stay;
            let next = running * (stay / life);
            let found = wait / own;
            if (next - decoded).abs() < 0.01 * decoded && (found - waiting).abs() < 0.1 {
                break;
            }
            (decoded, waiting) = (0.5 * (decoded + next), 0.5 * (waiting + found * prefill.prompts));
        }
        Served {
            prefill,
            decode: plain_step(decoded),
            flow: Flow::InFlight(running),
            running: decoded,
            queue: Queue::Excess(0.0),
            further: own - own / parts,
            wait,
            burst: self.burst(own * ((all - 1.0).max(0.0) / (servers * prefill.prompts))),
            arrival: self.overheads.arrival,
            transfer,
            interference: Seconds::ZERO,
        }
    }
}

impl Served {
    /// What comes to the step in which a prompt is read, the wait for a place apart.
    pub(super) fn beside_prefill(&self) -> Seconds {
        self.further + self.wait + self.burst + self.arrival + self.transfer
    }

    /// What comes to a decode step.
    pub(super) const fn beside_decode(&self) -> Seconds {
        self.interference
    }

    /// How long a request waits for a place that others keep so long.
    pub(super) fn queue(&self, residence: Seconds) -> Seconds {
        match self.queue {
            Queue::Excess(excess) => residence * excess,
            Queue::For(time) => time,
        }
    }

    /// Requests that end per second, each of which keeps its place so long.
    pub(super) fn rate(&self, residence: Seconds) -> f64 {
        match self.flow {
            Flow::InFlight(requests) => requests / residence.get(),
            Flow::PerSecond(rate) => rate,
        }
    }

    /// What neither the prompt's step nor a plain decode step contains.
    pub(super) fn explain(&self, prefill: &mut Vec<Term>, decode: &mut Vec<Term>) {
        let term = |id, label, time, why| Term { id, label, time, why };
        prefill.extend([
            term("chunks", "Further chunks", self.further, "A long prompt is read in several steps"),
            term("wait", "Waiting", self.wait, "For the step under way and for prompts that came before"),
            term("burst", "First burst", self.burst, "All clients send their first request at once"),
            term("arrival", "Arrival", self.arrival, "Tokenisation, transport and the way back"),
            term(
                "transfer",
                "KV transfer",
                self.transfer,
                "Keys and values on their way to the worker that decodes",
            ),
        ]);
        decode.push(term(
            "prompts",
            "Prompts of other requests",
            self.interference,
            "Steps that also read a prompt take longer",
        ));
    }
}

/// A step without prompts.
fn plain_step(running: f64) -> Step {
    Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: running.max(1.0), passes: 1.0 }
}

/// Whether another round would change nothing that shows.
fn settled(before: Seconds, after: Seconds) -> bool {
    (after.get() - before.get()).abs() <= 1e-9 * after.get()
}

/// Requests after which a queue before a busy server grows by one service for each.
const SATURATED: u32 = 64;

/// Mean wait before one server of this service time where `requests` circulate between it and a stay of `think`
/// elsewhere: mean value analysis (Reiser and Lavenberg 1980), with the half of a service that a constant one saves.
fn queue(requests: f64, service: Seconds, think: Seconds) -> Seconds {
    let (service, think) = (service.get(), think.get());
    let (mut waiting, mut present, mut busy) = (0.0_f64, 0.0_f64, 0.0_f64);
    let requests = libm::round(requests) as u32;
    for number in 1..=requests {
        waiting = (present - 0.5 * busy).max(0.0) * service;
        // A server that never rests serves one more request after all others.
        if busy >= 1.0 && number > SATURATED {
            waiting += service * f64::from(requests - number);
            break;
        }
        let rate = f64::from(number) / (think + waiting + service);
        present = rate * (waiting + service);
        busy = (rate * service).min(1.0);
    }
    Seconds::new(waiting)
}
