//! A second GPU of another kind in the same machine, over which llama.cpp divides a model by layers (`-sm layer`).
//!
//! llama.cpp counts each layer and the output head as a slot. The first GPU gets the first slots, in proportion to its share of
//! the free memory, and the second GPU the others; `-ts` sets both numbers (`get_layer_buft_list` in llama.cpp's
//! `src/llama-model.cpp`). The GPUs work one after the other.

use super::engine::Engine;
use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use super::offloaded::{OffloadedLayers, Place};
use crate::catalog::architecture::Architecture;
use crate::system::System;

impl InferenceLoad {
    /// The second GPU has at most the layers of the model.
    pub(super) fn check_second_layers(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        let layers = architecture.layers;
        match self.second_layers {
            Some(there) if there > layers => {
                let message = format!("{there} layers on the second GPU are more than the model's {layers}");
                Err(LoadFault::new("inference.", "second_layers", message))
            }
            _ => Ok(()),
        }
    }

    /// The engine, the parallelism and the placement with which a second GPU is modelled.
    pub fn check_second(&self, system: &System) -> Result<(), LoadFault> {
        if system.second.is_none() {
            let message = "there is no second GPU: choose one, or leave this out";
            let fault = || LoadFault::new("inference.", "second_layers", message.to_owned());
            return self.second_layers.map_or(Ok(()), |_| Err(fault()));
        }
        let fault = |message| Err(LoadFault::new("system.", "second", message));
        if self.engine.product() != Engine::Llamacpp {
            let message = "a second GPU of another kind is modelled for llama.cpp: choose it as the engine, or no second GPU";
            return fault(message.to_owned());
        }
        if self.gpus() > 1 {
            let gpus = self.gpus();
            return fault(format!(
                "a second GPU is modelled beside one GPU, and the deployment has {gpus}: set its parallelism to 1"
            ));
        }
        if self.gpu_layers.is_some() || self.cpu_experts > 0 {
            let message = "layers on the CPU are modelled beside one GPU: keep all layers on the two GPUs, or choose no second GPU";
            return fault(message.to_owned());
        }
        if self.draft > 0 {
            let message = "a draft is modelled beside one GPU: propose no tokens, or choose no second GPU";
            return fault(message.to_owned());
        }
        Ok(())
    }
}

impl InferenceJob<'_> {
    /// The second GPU; `None` without one, and for deployments on several GPUs of one kind, which do not use it.
    pub(super) fn second(&self) -> Option<&System> {
        self.system.second.as_deref().filter(|_| self.load.gpus() == 1)
    }

    /// Layers on the second GPU; `None` without one.
    pub(super) fn on_second(&self) -> Option<OffloadedLayers> {
        let layers = self.architecture.layers;
        let all = layers.saturating_add(1);
        let memory = [&self.system.device, &self.second()?.device].map(|device| device.capacity);
        let first = memory[0] / (memory[0] + memory[1]) * f64::from(all);
        let there = all.saturating_sub(libm::ceil(first) as u32);
        let slots = self.load.second_layers.map_or(there, |layers| layers.saturating_add(1));
        let (whole, head) = (slots.saturating_sub(1).min(layers), slots > 0);
        Some(OffloadedLayers { place: Place::SecondGpu, whole, experts: 0, head })
    }
}
