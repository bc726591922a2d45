//! Fleets, which are replicas of one deployment, and the shortfall of devices that have none.

use serde::{Deserialize, Serialize};

use super::Candidate;
use crate::catalog::Accelerator;
use crate::economics::{Economics, ServedUse};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::serving::simulation::{Level, Simulated};
use crate::serving::{LoadPoint, Service};
use crate::units::{Bytes, Seconds};

/// Replicas of one deployment that carry the load under the service levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// Index of its device among the search's candidates.
    pub device: usize,
    /// Index of the prefill workers' device; `None` without prefill workers, or if they have the same device.
    pub prefill_device: Option<usize>,
    /// The deployment under the whole load; its workers are the replicas, not counting spare ones. Prefill workers are
    /// those of the whole fleet.
    pub load: InferenceLoad,
    /// Replicas beyond those that carry the load; of a disaggregated fleet, workers of both kinds.
    pub spare: u32,
    /// The largest load that one replica carries under the service levels; of a disaggregated fleet, the largest load of the
    /// whole over the workers that decode.
    pub largest: LoadPoint,
    /// Largest request rate that one replica sustains, whatever the service levels; of a disaggregated fleet, that of the whole over
    /// the workers that decode. 1/s.
    pub capacity: f64,
    /// TTFT and TPOT under the whole load, and throughput of all replicas together.
    pub service: Service,
    /// Utilisation of the GPUs under the whole load, which determines their power.
    pub used: ServedUse,
    /// Simulated percentiles under the whole load.
    pub simulated: Option<Simulated>,
}

/// Maximum number of replicas of a fleet, and of workers of a question. It is larger than any operator's number of GPUs, because
/// replicas of one GPU often cost least for large loads.
pub(crate) const MOST_REPLICAS: f64 = 1_048_576.0;

/// Simulated mean TTFT and TPOT over those of the mean-field model up to which both methods count as equal; below
/// saturation they differ less (`tests/it/simulation.rs`).
const AGREED: [f64; 2] = [1.25, 1.1];

impl Fleet {
    /// Number of replicas, spare ones included; of a disaggregated fleet, of workers that decode.
    pub const fn replicas(&self) -> u32 {
        self.load.workers.saturating_add(self.spare)
    }

    /// Number of workers that only prefill, spare ones included; 0 if every worker does both.
    pub const fn prefill_workers(&self) -> u32 {
        match self.load.prefill_workers {
            0 => 0,
            workers => workers.saturating_add(self.spare),
        }
    }

    /// Mean TTFT of the mean-field model, or of the simulation if its value is more than 25 % longer. Near saturation the
    /// mean-field value is too short, because the model leaves out preemption.
    pub fn ttft(&self) -> Seconds {
        agreed(self.service.ttft, self.simulated.map(|simulated| simulated.ttft.mean), AGREED[0])
    }

    /// Mean TPOT of the mean-field model, or of the simulation if its value is more than 10 % longer.
    pub fn tpot(&self) -> Seconds {
        agreed(self.service.tpot, self.simulated.map(|simulated| simulated.tpot.mean), AGREED[1])
    }

    /// TTFT, TPOT and request latency at a level. Percentiles are known once they were simulated; the means stand for them
    /// before.
    pub fn times(&self, level: Level) -> [Seconds; 3] {
        match self.simulated {
            Some(Simulated { ttft, tpot, latency, .. }) if level != Level::Mean => {
                [ttft.at(level), tpot.at(level), latency.at(level)]
            }
            _ => Service { ttft: self.ttft(), tpot: self.tpot(), ..self.service }.times(&self.load),
        }
    }

    /// Returns true if a simulated fleet keeps up and its times keep their limits at this level, or if it was not simulated.
    pub fn holds(&self, level: Level) -> bool {
        let Some(simulated) = self.simulated else { return true };
        let mut times = self.load.limits().into_iter().zip(self.times(level));
        simulated.keeps_up() && times.all(|(limit, time)| limit.is_none_or(|limit| time <= limit))
    }

    /// Returns true if a time of a simulated fleet is more than `factor` times its limit at this level.
    pub(super) fn exceeds(&self, level: Level, factor: f64) -> bool {
        let mut times = self.load.limits().into_iter().zip(self.times(level));
        self.simulated.is_some()
            && times.any(|(limit, time)| limit.is_some_and(|limit| time > limit * factor))
    }

    /// Number of GPUs, those of spare replicas included.
    pub const fn gpus(&self) -> u32 {
        let prefill = self.load.prefill_worker_gpus().saturating_mul(self.prefill_workers());
        self.load.worker_gpus().saturating_mul(self.replicas()).saturating_add(prefill)
    }

    /// Output tokens per second of one request: 1 / TPOT.
    pub fn per_user(&self) -> f64 {
        1.0 / self.tpot().get()
    }

    /// Requests per second that all replicas finish.
    pub fn requests_per_second(&self) -> f64 {
        self.service.tokens_per_second / f64::from(self.load.output.max(1))
    }

    /// Requests in flight on all replicas, by Little's law.
    pub fn in_flight(&self) -> f64 {
        self.requests_per_second() * self.load.request_latency(self.ttft(), self.tpot()).get()
    }

    /// Utilisation: load / largest load of all replicas, not counting spare ones.
    pub fn utilisation(&self) -> f64 {
        let load = if self.load.rate > 0.0 { self.load.rate } else { f64::from(self.load.concurrency) };
        load / (self.largest.load * f64::from(self.load.workers))
    }

    /// Request rate of a service of `workers` replicas over the largest that they sustain.
    pub fn saturation(&self, service: &Service, workers: u32) -> f64 {
        let rate = service.tokens_per_second / f64::from(self.load.output.max(1));
        rate / (self.capacity * f64::from(workers))
    }

    /// Calls `answer` with the job of a load on the fleet's devices; `None` if it has none among the candidates.
    pub fn with_job<T>(
        &self,
        candidates: &[Candidate],
        load: &InferenceLoad,
        answer: impl FnOnce(&InferenceJob<'_>) -> T,
    ) -> Option<T> {
        let candidate = candidates.get(self.device)?;
        let system = candidate.system(self.prefill_device.and_then(|place| candidates.get(place)));
        Some(answer(&InferenceJob { system: &system, ..candidate.problem.job(load) }))
    }

    /// Sum over all GPUs of a mean quantity per GPU of the served load (a price, a power). Spare replicas count like those that
    /// carry the load.
    pub fn total(
        &self,
        economics: &Economics,
        per_gpu: fn(&Economics, &Accelerator, Option<&Accelerator>, &ServedUse) -> Option<f64>,
        device: &Accelerator,
        prefill: Option<&Accelerator>,
    ) -> Option<f64> {
        Some(per_gpu(economics, device, prefill, &self.used_with_spare())? * f64::from(self.gpus()))
    }

    /// Utilisation with spare replicas, which change the fraction of prefill GPUs.
    pub fn used_with_spare(&self) -> ServedUse {
        let prefill = self.load.prefill_worker_gpus().saturating_mul(self.prefill_workers());
        match prefill {
            0 => self.used,
            prefill => ServedUse { prompt_share: f64::from(prefill) / f64::from(self.gpus()), ..self.used },
        }
    }

    /// US dollars per million output tokens, prompts included, at a cost of all GPUs in US dollars per hour.
    pub fn usd_per_million(&self, usd_per_hour: f64) -> f64 {
        usd_per_hour / 3600.0 / self.service.tokens_per_second * 1e6
    }
}

/// The mean-field value, or a simulated one that exceeds it by more than this factor.
fn agreed(mean: Seconds, simulated: Option<Seconds>, factor: f64) -> Seconds {
    simulated.filter(|simulated| *simulated > mean * factor).unwrap_or(mean)
}

/// A device on which no deployment meets the service levels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Miss {
    /// Index of the device among the search's candidates.
    pub device: usize,
    /// Reason why the device has no fleet.
    pub shortfall: Shortfall,
}

/// Reasons why a device has no fleet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shortfall {
    /// No deployment has room for the weights and one request.
    Memory {
        /// Memory per GPU, without a request, of the deployment with the smallest need.
        needs: Bytes,
        /// Memory of a GPU.
        has: Bytes,
    },
    /// Some deployments fit into memory, but none meets the service levels, even with one request at a time.
    Levels {
        /// The shortest time to the first token of a lone request.
        ttft: Seconds,
        /// The shortest time per output token of a lone request.
        tpot: Seconds,
    },
    /// The traffic needs more replicas than the maximum.
    Replicas,
    /// The engine has no kernels for the weights' formats.
    Format,
}
