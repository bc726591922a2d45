//! A closed loop: a fixed number of concurrent requests, each replaced by a new one when it ends.

use super::served::{Flow, Queue, Served, plain_step};
use crate::inference::InferenceJob;
use crate::inference::step::Step;
use crate::units::Seconds;

/// Most rounds of a fixed point: between a request's residence time and the prompts that arrive in it, or between waiting
/// and decoding requests.
const ROUNDS: u32 = 40;

impl InferenceJob<'_> {
    /// The steady state with prefill and decode on the same GPUs (docs/method/inference.md, a closed loop).
    pub(super) fn together(&self, running: f64) -> Served {
        if self.load.passes() <= 0.0 {
            return self.prompts_alone(running);
        }
        let decoding = running.min(self.token_places());
        let plain = self.time_of(plain_step(decoding));
        let (mut served, mut arrivals) = self.sharing((running, decoding), plain, 1.0);
        for _ in 0..ROUNDS {
            // A step with prompts reads at least one, however rarely they arrive.
            let prompts = (0.5 * (served.prefill.prompts + arrivals)).max(1.0);
            if (prompts - served.prefill.prompts).abs() < 0.05 {
                break;
            }
            (served, arrivals) = self.sharing((running, decoding), plain, prompts);
            if prompts > served.prefill.prompts {
                break;
            }
        }
        served
    }

    /// The steady state with `prompts` prompts per prefill step, and the prompts that arrive during such a step, of `running`
    /// concurrent requests, at most `most` of which decode at a time.
    fn sharing(&self, (running, most): (f64, f64), plain: Seconds, prompts: f64) -> (Served, f64) {
        let overheads = &self.overheads;
        let steps = self.load.passes().max(1.0);
        let others = (most - 1.0).max(0.0);
        let (prefill, parts) = self.reading(prompts, others);
        let own = self.time_of(prefill);
        // Decode time if every step is full of tokens, and the residence that follows from Little's law.
        let (longest, least) = if overheads.prompt_steps.mix() {
            let decoding = own.max(plain) * steps;
            (decoding, decoding * (running / self.token_places()))
        } else {
            (Seconds::new(f64::INFINITY), Seconds::ZERO)
        };
        let read = Self::span(own, plain, parts);
        let each = self.added(own, plain) * (parts / prefill.prompts);
        // Requests that arrive from one admission to the next.
        let shared = running * f64::from(self.load.context);
        let every = self.load.admission_steps();
        let between = self.between_admissions(own, plain);
        let arriving = |decoding: Seconds, before: Seconds| shared * (between / (decoding + before));
        // A replacement request arrives while the next step is under way, unless it is the only request.
        let under_way = |decoding: Seconds, before: Seconds| {
            let rate = shared / (decoding + before).get();
            if running > 1.0 { plain + self.admission_wait(plain, rate) } else { Seconds::ZERO }
        };
        // Other requests per group. Their prompts delay all groups of a pipeline.
        let disturbing = (running - self.stages().recip()).max(0.0);
        let rounds = self.rounds(plain, (own, prefill.prompts), others);
        let mut decoding = plain * steps;
        let mut wait = under_way(decoding, Seconds::ZERO);
        for _ in 0..ROUNDS {
            // Prompts of other requests that arrive while this request decodes.
            let residence = decoding + wait + read;
            let share = decoding / residence;
            let rate = shared * parts / residence.get();
            let before = (decoding, wait);
            let disturbed = each * (disturbing * rounds.delays(rate));
            decoding = (plain * steps + disturbed * share).min(longest);
            let under_way = under_way(decoding, wait + read);
            wait = if self.load.uniform {
                // If requests end and return in consecutive steps, each finds the prompt of the previous one in
                // progress; the first finds a plain step.
                let one_by_one = own * (1.0 - 1.0 / running) + under_way * (1.0 / running);
                // By Little's law, a residence covers the prompts of all requests in flight.
                one_by_one.max(each * running - decoding - read)
            } else if every > 1.0 {
                // Requests that are admitted together are read in as many steps as they need; no other comes between.
                let groups = arriving(decoding, wait) / prefill.prompts;
                under_way + read * (0.5 * (groups - 1.0).max(0.0))
            } else {
                under_way + queue(running, each, decoding)
            };
            // Load beyond the token budget lengthens decode steps first, and the wait once all of them are full.
            decoding = decoding.max(longest.min(least - wait - read));
            wait = wait.max(least - decoding - read);
            if settled(before.0, decoding) && settled(before.1, wait) {
                break;
            }
        }
        let ttft = wait + read;
        if self.load.uniform && !overheads.prompt_steps.mix() {
            // Prompts have priority, so all requests start and end decoding together: each round is a burst, without
            // prompts in between.
            // Half of the prompts precede a request's own, and half fall between its own and its next token.
            let half = each * (0.5 * others);
            let served = Served {
                wait: plain + half,
                interference: half / steps,
                ..self.undisturbed(running, (prefill, own, read), (running, plain))
            };
            return (served, running);
        }
        // Steps of the first burst are as full as the engine allows; half of the requests decode meanwhile.
        let (full, pieces) = self.reading(others, 0.5 * others);
        let packed = self.time_of(full) * (pieces * f64::from(self.load.context) / full.prompts);
        let served = Served {
            wait,
            burst: self.burst(packed * others),
            interference: (decoding - plain * steps) / steps,
            ..self.undisturbed(running, (prefill, own, read), (most, plain))
        };
        (served, arriving(decoding, ttft))
    }

    /// A closed loop of requests that end with their first token: those that wait are read together, as many as a step holds.
    fn prompts_alone(&self, running: f64) -> Served {
        let waiting = running * f64::from(self.load.context);
        let (prefill, parts) = self.reading(waiting, 0.0);
        let own = self.time_of(prefill);
        let arrival = self.arrival();
        let read = own * libm::ceil(parts);
        // Little's law.
        let residence = own * (parts * waiting / prefill.prompts);
        let plain = self.time_of(plain_step(1.0));
        Served {
            running: prefill.prompts / f64::from(self.load.context),
            wait: (residence - read - arrival).max(Seconds::ZERO),
            ..self.undisturbed(running, (prefill, own, read), (1.0, plain))
        }
    }

    /// A closed loop of `running` requests that do not delay one another. Prompts are read in time `read`, from a step of time
    /// `own` on, and `decoding` requests decode in steps of time `plain`.
    fn undisturbed(
        &self,
        running: f64,
        (prefill, own, read): (Step, Seconds, Seconds),
        (decoding, plain): (f64, Seconds),
    ) -> Served {
        Served {
            prefill,
            prefill_time: own,
            decode: plain_step(decoding),
            decode_time: plain,
            flow: Flow::InFlight(running),
            running: decoding,
            queue: Queue::Excess(0.0),
            further: read - own,
            wait: Seconds::ZERO,
            burst: Seconds::ZERO,
            arrival: self.arrival(),
            transfer: Seconds::ZERO,
            interference: Seconds::ZERO,
        }
    }

    /// Mean wait of a client's requests for the first prompts of other clients, which arrived together with its own:
    /// half of them are ahead of it.
    fn burst(&self, prompts: Seconds) -> Seconds {
        match self.load.rounds {
            0 => Seconds::ZERO,
            rounds => prompts * (self.overheads.first / (2.0 * f64::from(rounds))),
        }
    }

    /// The steady state with prefill workers and decode workers.
    pub(super) fn separate(&self, running: f64) -> Served {
        let load = self.load;
        let prefilling = load.prefilling();
        let reader = self.reader(&prefilling);
        let servers = f64::from(load.prefill_workers) * f64::from(load.prefill_data);
        let transfer = self.transfer();
        let all = running * self.groups();
        let steps = load.passes().max(1.0);
        let (mut decoded, mut waiting) = (running, 0.0);
        let (mut prefill, mut parts) = reader.reading(1.0, 0.0);
        let (mut step_time, mut wait) = (reader.time_of(prefill), Seconds::ZERO);
        let mut own = step_time * parts;
        for _ in 0..ROUNDS {
            // Prompts that wait are read together, as far as a step has room.
            (prefill, parts) = reader.reading(1.0 + waiting, 0.0);
            step_time = reader.time_of(prefill);
            own = step_time * parts;
            let stay = self.time_of(plain_step(decoded)) * steps;
            // All workers are one that is as fast as they are together; what a prompt takes longer in its own step delays
            // no other (Seidmann, Schweitzer and Shalev-Oren 1987).
            let each = own / (prefill.prompts * servers);
            wait = queue(all, each, own - each + stay + transfer);
            let life = wait + own + transfer + stay;
            let next = running * (stay / life);
            let found = all * (wait / life) / servers;
            if (next - decoded).abs() < 0.01 * decoded && (found - waiting).abs() < 0.1 {
                break;
            }
            (decoded, waiting) = (0.5 * (decoded + next), 0.5 * (waiting + found));
        }
        let decode = plain_step(decoded);
        Served {
            prefill,
            prefill_time: step_time,
            decode,
            decode_time: self.time_of(decode),
            flow: Flow::InFlight(running),
            running: decoded,
            queue: Queue::Excess(0.0),
            further: own - own / parts,
            wait,
            burst: self.burst(own * ((all - 1.0).max(0.0) / (servers * prefill.prompts))),
            arrival: self.arrival(),
            transfer,
            interference: Seconds::ZERO,
        }
    }
}

/// Returns true if another round would change nothing that shows.
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
