//! The steady state of a stream of requests, or the mean of a finite run.

use crate::estimate::Term;
use crate::inference::step::Step;
use crate::units::Seconds;

/// A steady state, or the mean of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    /// The step that prefills a prompt; the terms of TTFT are those of this step.
    pub(super) prefill: Step,
    /// Time of that step.
    pub(super) prefill_time: Seconds,
    /// A step without prompts.
    pub(super) decode: Step,
    /// Time of that step.
    pub(super) decode_time: Seconds,
    /// Concurrent requests on all GPUs that are not queued, or how many end per second.
    pub(super) flow: Flow,
    /// Requests that one group decodes together: those of an attention replica, or of one of its pipeline stages.
    pub(super) running: f64,
    /// Queueing time of a request.
    pub(super) queue: Queue,
    /// Further steps of a prompt that is longer than a step's budget.
    pub(super) further: Seconds,
    /// Time before the prompt's first step: for the step under way and for other prompts.
    pub(super) wait: Seconds,
    /// Wait in the initial burst, when all clients send their first request at once, averaged over a client's requests.
    pub(super) burst: Seconds,
    /// Time from a request's arrival to the scheduler and of the response: tokenisation, transport.
    pub(super) arrival: Seconds,
    /// KV transfer to a decode worker.
    pub(super) transfer: Seconds,
    /// Mean time that other requests' prompts add to a decode step.
    pub(super) interference: Seconds,
}

/// Flow of requests: concurrency (closed loop) or rate (open loop).
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    /// Concurrent requests on all GPUs.
    InFlight(f64),
    /// Completed requests per second.
    PerSecond(f64),
}

/// Queue for a free slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Queue {
    /// Waiting requests per running request.
    Excess(f64),
    /// Mean wait of a request.
    For(Seconds),
}

impl Served {
    /// TTFT beyond the prefill step, without the queue for a free slot.
    pub(super) fn beside_prefill(&self) -> Seconds {
        self.further + self.wait + self.burst + self.arrival + self.transfer
    }

    /// TPOT beyond a decode-only step.
    pub(super) const fn beside_decode(&self) -> Seconds {
        self.interference
    }

    /// Queueing time, given how long a request occupies a slot.
    pub(super) fn queue(&self, residence: Seconds) -> Seconds {
        match self.queue {
            Queue::Excess(excess) => residence * excess,
            Queue::For(time) => time,
        }
    }

    /// Requests on a replica whose pipeline has `stages` groups. In an open loop, `running` includes the request that arrives,
    /// which joins one of the groups.
    pub(super) fn on_replica(&self, stages: f64) -> f64 {
        match self.flow {
            Flow::PerSecond(_) => (self.running - 1.0).max(0.0) * stages + self.running.min(1.0),
            Flow::InFlight(_) => self.running * stages,
        }
    }

    /// Completed requests per second, given how long a request occupies a slot (Little's law).
    pub(super) fn rate(&self, residence: Seconds) -> f64 {
        match self.flow {
            Flow::InFlight(requests) => requests / residence.get(),
            Flow::PerSecond(rate) => rate,
        }
    }

    /// Adds the terms that neither the prefill step nor a decode-only step contains.
    pub(super) fn explain(&self, prefill: &mut Vec<Term>, decode: &mut Vec<Term>) {
        let term = |id, label, time, why| Term { id, label, time, why };
        prefill.extend([
            term("chunks", "Further chunks", self.further, "A long prompt is prefilled in several steps"),
            term("wait", "Waiting", self.wait, "For the current step, and for prompts ahead in the queue"),
            term("burst", "First burst", self.burst, "All clients send their first request at once"),
            term("arrival", "Arrival", self.arrival, "Tokenisation and transport, both ways"),
            term(
                "transfer",
                "KV transfer",
                self.transfer,
                "Transfer of keys and values to the decode worker",
            ),
        ]);
        decode.push(term(
            "prompts",
            "Prompts of other requests",
            self.interference,
            "Steps that also prefill take longer",
        ));
    }
}

/// A step without prompts.
pub(super) fn plain_step(running: f64) -> Step {
    Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: running.max(1.0), passes: 1.0 }
}
