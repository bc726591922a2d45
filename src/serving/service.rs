//! Service of a load: TTFT, TPOT and throughput.

use serde::{Deserialize, Serialize};

use super::open::FULL;
use super::served::Served;
use crate::inference::{InferenceJob, InferenceLoad, Phase};
use crate::units::Seconds;

/// Service of a load: TTFT, TPOT and throughput, without terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// Time to first token.
    pub ttft: Seconds,
    /// Time per output token after the first.
    pub tpot: Seconds,
    /// Output tokens per second of all requests on all GPUs.
    pub tokens_per_second: f64,
    /// Requests that one attention replica decodes together.
    pub running: f64,
}

impl Service {
    /// TTFT, TPOT and request latency under a load, in the order of [`InferenceLoad::limits`].
    pub fn times(&self, load: &InferenceLoad) -> [Seconds; 3] {
        [self.ttft, self.tpot, load.request_latency(self.ttft, self.tpot)]
    }
}

impl InferenceJob<'_> {
    /// The numbers of [`Self::estimate`] without its terms and operators.
    pub fn service(&self) -> Service {
        if let Some(service) = self.session_service() {
            return service;
        }
        let load = self.load;
        if !load.is_stream() {
            let (ttft, tpot) = (self.time(Phase::Prefill), self.time(Phase::Decode));
            let tokens = f64::from(load.batch) * f64::from(load.output);
            return Service {
                ttft,
                tpot,
                tokens_per_second: tokens / self.latency(ttft, tpot).get(),
                running: load.batched(),
            };
        }
        self.service_of(&self.served())
    }

    /// The service of a steady state, or of the mean of a run.
    pub(super) fn service_of(&self, served: &Served) -> Service {
        let load = self.load;
        let first = served.prefill_time + served.beside_prefill();
        let tpot = (served.decode_time + served.beside_decode()) / load.yielded();
        let first = first + self.reloading(served, first, tpot);
        let residence = self.latency(first, tpot);
        Service {
            ttft: first + served.queue(residence),
            tpot,
            tokens_per_second: f64::from(load.output) * served.rate(residence),
            running: served.running,
        }
    }

    /// Time in which a prompt's keys and values in host memory and on SSDs are loaded, with the wait for other prompts: a queue
    /// with constant service (Pollaczek and Khinchine). `first` is TTFT without loading.
    pub(super) fn reloading(&self, served: &Served, first: Seconds, tpot: Seconds) -> Seconds {
        let each = self.prompt_reload_time();
        if each <= Seconds::ZERO {
            return Seconds::ZERO;
        }
        let rate = served.rate(self.latency(first + each, tpot)) / self.readers();
        let busy = (rate * each.get()).min(FULL);
        each + each * (0.5 * busy / (1.0 - busy))
    }
}
