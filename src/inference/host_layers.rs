//! Layers and routed experts that llama.cpp keeps in host memory where a model does not fit on the GPU.
//!
//! Decode runs them on the CPU, which reads their weights and their part of the KV cache at the bandwidth of host memory.
//! For steps of many tokens the weights are copied to the GPU, which then computes. The flags are `-ngl` and
//! `--n-cpu-moe`; placement is that of `load_tensors` in llama.cpp's `src/llama-model.cpp`: the input embedding stays in
//! host memory, and of `-ngl N` the first slot is the output head, the others the last N - 1 layers.

use super::engine::Engine;
use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use super::offloaded::{OffloadedLayers, Place};
use crate::catalog::architecture::Architecture;
use crate::system::System;

impl InferenceLoad {
    /// This load with the whole model on the GPUs.
    #[must_use]
    pub const fn resident(&self) -> Self {
        Self { gpu_layers: None, cpu_experts: 0, ..*self }
    }

    /// Layers in host memory.
    pub(super) fn on_host(&self, architecture: &Architecture) -> OffloadedLayers {
        let layers = architecture.layers;
        let whole = self.gpu_layers.map_or(0, |slots| (layers + 1).saturating_sub(slots).min(layers));
        let experts = if architecture.moe.is_some() { self.cpu_experts.min(layers) } else { 0 };
        OffloadedLayers { place: Place::Host, whole, experts, head: self.gpu_layers == Some(0) }
    }

    /// The laws of layers in host memory.
    pub(super) fn check_offload(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        let (name, what) = match (self.gpu_layers, self.cpu_experts) {
            (None, 0) => return Ok(()),
            (Some(_), _) => ("gpu_layers", "layers"),
            (None, _) => ("cpu_experts", "experts"),
        };
        let fault = |name, message| Err(LoadFault::new("inference.", name, message));
        if self.engine.product() != Engine::Llamacpp {
            let message = format!(
                "{what} on the CPU are modelled for llama.cpp: choose it as the engine, or leave all on the GPU"
            );
            return fault(name, message);
        }
        if self.gpus() > 1 {
            let message = format!(
                "{what} on the CPU are modelled beside one GPU, and the deployment has {}",
                self.gpus()
            );
            return fault(name, message);
        }
        if self.cpu_experts > 0 && architecture.moe.is_none() {
            return fault(
                "cpu_experts",
                format!("{} has no experts: use fewer layers on the GPU", architecture.name),
            );
        }
        Ok(())
    }

    /// The laws of a device beside which layers are in host memory.
    pub fn check_host(&self, architecture: &Architecture, system: &System) -> Result<(), LoadFault> {
        let host = self.on_host(architecture);
        if !host.any() || system.device.host.is_some() && !system.device.unified {
            return Ok(());
        }
        let device = &system.device.name;
        let message = if system.device.unified {
            format!("the memory of {device} is that of its host: all layers are in it")
        } else {
            format!("the link of {device} to its host is not known: keep all layers on the GPU")
        };
        let field = if host.whole > 0 || host.head { "gpu_layers" } else { "cpu_experts" };
        Err(LoadFault::new("inference.", field, message))
    }
}

impl InferenceJob<'_> {
    /// This load with the fewest layers or experts in host memory with which the GPU holds the rest: experts first, since a
    /// token reads few of them. `None` if the GPU holds the whole model, or too little beside any.
    pub(crate) fn offloaded(&self) -> Option<InferenceLoad> {
        let plain = self.load.resident();
        let layers = self.architecture.layers;
        let holds = |load: &InferenceLoad| InferenceJob { load, ..*self }.holds_all();
        if holds(&plain) {
            return None;
        }
        let most = if self.architecture.moe.is_some() { layers } else { 0 };
        let experts = (1..=most).map(|cpu_experts| InferenceLoad { cpu_experts, ..plain });
        let whole = (0..=layers).rev();
        let whole = whole.map(|slots| InferenceLoad { gpu_layers: Some(slots), cpu_experts: most, ..plain });
        experts.chain(whole).find(holds)
    }

    /// Returns true if the GPU holds its part of the model beside all requests of the load.
    fn holds_all(&self) -> bool {
        let load = self.load;
        if !load.is_stream() {
            return self.memory(load.batch).fits();
        }
        let running = if load.rate > 0.0 { 1.0 } else { f64::from(load.concurrency) };
        let empty = self.memory(0);
        empty.total() + self.kv_cache(self.counted_length()) * running <= empty.capacity
    }
}
