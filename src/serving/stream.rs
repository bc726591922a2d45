//! Streams of requests that arrive and finish individually (continuous batching).
//!
//! In a closed loop (`closed`) the number of concurrent requests is fixed; in an open loop (`open`) requests arrive at a
//! given rate; a finite number of them (`run`) may exceed the machine's throughput.
//!
//! Prompts are prefilled between decode steps, or in the same steps (chunked prefill). A step that prefills takes longer
//! for every running request: TPOT is the time of a step without prompts, plus the mean time that prompts of other requests
//! add. A new request waits for the step under way and for the prompts queued before it. With prefill workers, decode
//! steps contain no prompts.

use super::served::{Flow, Queue, Served};
use crate::inference::InferenceJob;

impl InferenceJob<'_> {
    /// The steady state of a closed or open loop, or the mean over a finite run.
    pub(super) fn served(&self) -> Served {
        let load = self.load;
        let groups = self.groups();
        if load.rate > 0.0 && load.requests > 0 {
            return match load.prefill_workers {
                0 => self.run_of(load.requests, load.rate),
                _ => self.run_apart(load.requests, load.rate),
            };
        }
        if load.rate > 0.0 {
            return self.open(load.rate);
        }
        let asked = f64::from(load.concurrency) / groups;
        let places = self.group_places().max(1.0);
        let running = asked.min(places).max(1.0 / groups.max(1.0));
        let served = if load.prefill_workers > 0 { self.separate(running) } else { self.together(running) };
        Served {
            flow: Flow::InFlight(running * groups),
            queue: Queue::Excess((asked / places - 1.0).max(0.0)),
            ..served
        }
    }
}
