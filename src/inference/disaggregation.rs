//! Disaggregated serving: workers that only prefill, and the KV transfer to workers that decode.

use super::job::InferenceJob;
use super::load::InferenceLoad;
use crate::units::Seconds;

impl InferenceJob<'_> {
    /// Who reads prompts, where `prefilling` is the load of workers that do nothing else.
    pub(crate) fn reader<'a>(&'a self, prefilling: &'a InferenceLoad) -> InferenceJob<'a> {
        if self.load.prefill_workers > 0 { InferenceJob { load: prefilling, ..*self } } else { *self }
    }

    /// How many read prompts: this worker or one that only prefills.
    pub(crate) fn readers(&self) -> f64 {
        let load = self.load;
        match load.prefill_workers {
            0 => f64::from(load.workers) * f64::from(load.data),
            workers => f64::from(workers) * f64::from(load.prefill_data),
        }
    }

    /// The keys and values of one batch on their way to workers that decode.
    pub(crate) fn transfers(&self) -> Seconds {
        match self.load.prefill_workers {
            0 => Seconds::ZERO,
            _ => self.transfer() * self.load.prefilling().dealt(self.load.batch),
        }
    }

    /// A prompt's keys and values on their way from the worker that reads it to one that decodes: over the links of all
    /// GPUs of the former between domains, of which a share is there between pods if the workers fill several.
    pub(crate) fn transfer(&self) -> Seconds {
        let (load, network) = (self.load, &self.system.network);
        let beyond = if load.gpus() > network.pod { network.oversubscription } else { 1.0 };
        let links = network.scale_out * f64::from(load.prefill_tensor) / beyond;
        let sent = |job: &InferenceJob<'_>| job.kv_bytes_per_token() * f64::from(load.input) / links;
        sent(self) + self.of_draft(sent).unwrap_or_default()
    }
}
