//! How a stream of requests is served: what a steady state, or the mean of a run, is described by.

use crate::estimate::Term;
use crate::inference::step::Step;
use crate::units::Seconds;

/// A steady state, or the mean of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    /// The step in which a prompt is read, of which its terms tell.
    pub(super) prefill: Step,
    /// A step without prompts.
    pub(super) decode: Step,
    /// Requests in flight on all GPUs that are not queued, or how many end per second.
    pub(super) flow: Flow,
    /// Requests that one attention replica decodes together.
    pub(super) running: f64,
    /// How long a request waits for a place.
    pub(super) queue: Queue,
    /// Further steps of a prompt that is longer than a step's budget.
    pub(super) further: Seconds,
    /// Time before the prompt's first step: for the step under way and for other prompts.
    pub(super) wait: Seconds,
    /// The same at the beginning, when all come at once, spread over all requests of a client.
    pub(super) burst: Seconds,
    /// On the way to the engine and back.
    pub(super) arrival: Seconds,
    /// Keys and values on their way to another worker.
    pub(super) transfer: Seconds,
    /// What others' prompts add to a decode step on average.
    pub(super) interference: Seconds,
}

/// What is known of the flow of requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    /// So many are in flight.
    InFlight(f64),
    /// So many end per second.
    PerSecond(f64),
}

/// What is known of the wait for a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Queue {
    /// So many wait, for each that has a place.
    Excess(f64),
    /// Each waits so long.
    For(Seconds),
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
pub(super) fn plain_step(running: f64) -> Step {
    Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: running.max(1.0), passes: 1.0 }
}
