//! Disaggregated serving: workers that only prefill, and the KV transfer to workers that decode. Both kinds of workers have a
//! device of their own where [`System::prefill`](crate::system::System::prefill) says so.

use super::job::InferenceJob;
use super::load::InferenceLoad;
use crate::catalog::layers::Layer;
use crate::units::Seconds;

impl InferenceJob<'_> {
    /// The job of the worker that prefills: this one, or with disaggregated serving one whose load is `prefilling`, on the prefill
    /// workers' device.
    pub(crate) fn reader<'a>(&'a self, prefilling: &'a InferenceLoad) -> InferenceJob<'a> {
        if self.load.prefill_workers == 0 {
            return *self;
        }
        let system = self.system.prefill.as_deref().unwrap_or(self.system);
        InferenceJob { load: prefilling, system, ..*self }
    }

    /// Attention replicas that prefill.
    pub(crate) fn readers(&self) -> f64 {
        let load = self.load;
        match load.prefill_workers {
            0 => f64::from(load.workers) * f64::from(load.data),
            workers => f64::from(workers) * f64::from(load.prefill_data),
        }
    }

    /// Time of one batch's KV transfer to the decode workers; 0 without disaggregation.
    pub(crate) fn transfers(&self) -> Seconds {
        match self.load.prefill_workers {
            0 => Seconds::ZERO,
            _ => self.transfer() * self.load.prefilling().dealt(self.load.batch),
        }
    }

    /// Time of one prompt's KV transfer from a prefill worker to a decode worker, over the scale-out links of the GPUs that
    /// share the prompt: those of one tensor group that sends, or of the tensor groups of all stages that receive, whichever
    /// are slower together. Beyond one pod the links are divided by the fabric's oversubscription.
    pub(crate) fn transfer(&self) -> Seconds {
        let (load, network) = (self.load, &self.system.network);
        let beyond = if load.gpus() > network.pod { network.oversubscription } else { 1.0 };
        let sender = self.system.prefill.as_deref().map_or(network, |prefill| &prefill.network);
        let sent_over = sender.scale_out * f64::from(load.prefill_tensor);
        let received_over = network.scale_out * f64::from(load.tensor.saturating_mul(load.pipeline));
        let links = sent_over.min(received_over) * self.system.assumptions.corrections.links / beyond;
        let prompt = self.prompt();
        let sent = |job: &InferenceJob<'_>| (job.kv_bytes_per_token() * prompt + job.state_bytes()) / links;
        let of_modules = |layer: Layer| {
            let layers = || std::iter::once(layer);
            (self.bytes_per_token(layers()) * prompt + self.states_of(layers())) / links
        };
        let draft = self.of_draft(sent).or_else(|| self.modules().map(of_modules));
        sent(self) + draft.unwrap_or_default()
    }
}
