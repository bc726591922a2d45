//! The deployment of a serving load: its workers, their GPUs, and the requests that each gets.

use super::load::InferenceLoad;

impl InferenceLoad {
    /// GPUs of one worker.
    pub const fn worker_gpus(&self) -> u32 {
        let attention = self.tensor.saturating_mul(self.data).saturating_mul(self.context);
        attention.saturating_mul(self.pipeline).saturating_add(self.expert_gpus)
    }

    /// GPUs of all workers.
    pub const fn gpus(&self) -> u32 {
        let decode = self.worker_gpus().saturating_mul(self.workers);
        decode.saturating_add(self.prefill_gpus())
    }

    /// GPUs of all workers that only prefill.
    pub const fn prefill_gpus(&self) -> u32 {
        self.prefill_worker_gpus().saturating_mul(self.prefill_workers)
    }

    /// GPUs of one worker that only prefills.
    pub const fn prefill_worker_gpus(&self) -> u32 {
        self.prefill_tensor.saturating_mul(self.prefill_data)
    }

    /// This load on `workers` workers, with prefill workers in the same ratio, rounded up.
    #[must_use]
    pub const fn on_workers(&self, workers: u32) -> Self {
        let ours = if self.workers > 0 { self.workers as u64 } else { 1 };
        let prefill = (self.prefill_workers as u64 * workers as u64).div_ceil(ours);
        let prefill_workers = if prefill > u32::MAX as u64 { u32::MAX } else { prefill as u32 };
        Self { workers, prefill_workers, ..*self }
    }

    /// Replicas of the attention blocks on all workers that decode: each has requests of its own.
    pub fn replicas(&self) -> f64 {
        f64::from(self.workers) * f64::from(self.data) * f64::from(self.context)
    }

    /// Requests of one batch on the fullest attention replica, or group of replicas that share prompts.
    pub fn dealt(&self, batch: u32) -> f64 {
        libm::ceil(f64::from(batch) / (f64::from(self.workers) * f64::from(self.data)))
    }

    /// Requests of one batch that an attention replica decodes together.
    pub fn batched(&self) -> f64 {
        (self.dealt(self.batch) / f64::from(self.context)).max(1.0)
    }

    /// The deployment in a line, without what it does not use.
    pub fn deployment(&self) -> String {
        let worker = |tensor: u32, pipeline: u32, data: u32, expert: u32| {
            let mut parts = vec![format!("TP {tensor}")];
            let mut add = |when: bool, part: String| parts.extend(when.then_some(part));
            add(pipeline > 1, format!("PP {pipeline}"));
            add(data > 1, format!("attention DP {data}"));
            add(expert > 1, format!("EP {expert}"));
            parts.join(", ")
        };
        let mut decode = worker(self.tensor, self.pipeline, self.data, self.expert);
        decode.extend((self.expert_gpus > 0).then(|| format!(" + {} expert GPUs", self.expert_gpus)));
        decode.extend(self.gpu_layers.map(|slots| format!(", -ngl {slots}")));
        decode.extend((self.cpu_experts > 0).then(|| format!(", --n-cpu-moe {}", self.cpu_experts)));
        if self.prefill_workers == 0 {
            return decode;
        }
        let prefill = worker(self.prefill_tensor, 1, self.prefill_data, self.prefill_expert);
        format!("{} × ({prefill}) prefill, {} × ({decode}) decode", self.prefill_workers, self.workers)
    }

    /// The load of a worker that only prefills.
    #[must_use]
    pub const fn prefilling(&self) -> Self {
        Self {
            tensor: self.prefill_tensor,
            data: self.prefill_data,
            expert: self.prefill_expert,
            workers: self.prefill_workers,
            pipeline: 1,
            expert_gpus: 0,
            prefill_workers: 0,
            ..*self
        }
    }
}
