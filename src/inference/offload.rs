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
use super::step::Step;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::Layer;
use crate::estimate::Footprint;
use crate::system::{Bound, Cost, HostMemory, Stream, System, Work};
use crate::units::{Bytes, Seconds};
use crate::workload::Operator;

/// Fewest tokens of a step for which weights are copied to the GPU: `op_offload_min_batch_size` in
/// `ggml/src/ggml-cuda/ggml-cuda.cu`, by which `ggml_backend_cuda_device_offload_op` decides.
const COPIED: f64 = 32.0;

/// Rounding of a step's tokens that is not taken for one more pass.
const ROUNDING: f64 = 1e-9;

/// Layers of a model that are in host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostLayers {
    /// Leading layers that are whole in host memory.
    pub(super) whole: u32,
    /// Leading layers whose routed experts are in host memory, those among them that are whole there included.
    pub(super) experts: u32,
    /// True if the output head is in host memory.
    pub(super) head: bool,
}

impl HostLayers {
    /// Returns true if anything but the input embedding is in host memory.
    pub(crate) const fn any(self) -> bool {
        self.whole > 0 || self.experts > 0 || self.head
    }
}

/// Numbers of equal layers in host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Split {
    /// Layers that are whole in host memory.
    pub(super) whole: f64,
    /// Layers of which only the routed experts are.
    pub(super) experts: f64,
}

impl Split {
    /// Number of layers for which an operator's weights are in host memory.
    fn of(self, operator: &Operator) -> f64 {
        self.whole + if matches!(operator.work, Work::Experts(_)) { self.experts } else { 0.0 }
    }
}

impl InferenceLoad {
    /// This load with the whole model on the GPUs.
    #[must_use]
    pub const fn resident(&self) -> Self {
        Self { gpu_layers: None, cpu_experts: 0, ..*self }
    }

    /// Layers in host memory.
    pub(crate) fn on_host(&self, architecture: &Architecture) -> HostLayers {
        let layers = architecture.layers;
        let whole = self.gpu_layers.map_or(0, |slots| (layers + 1).saturating_sub(slots).min(layers));
        let experts = if architecture.moe.is_some() { self.cpu_experts.min(layers) } else { 0 };
        HostLayers { whole, experts, head: self.gpu_layers == Some(0) }
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
    /// Layers in host memory.
    pub(crate) fn on_host(&self) -> HostLayers {
        self.load.on_host(self.architecture)
    }

    /// Equal layers in host memory. Leading dense layers of a mixture of experts come first; other kinds of layers take
    /// turns, so that host memory has the same share of each.
    pub(super) fn split(&self, layer: &Layer) -> Split {
        let host = self.on_host();
        if !host.any() {
            return Split::default();
        }
        let (layers, dense) = (self.architecture.layers, self.architecture.dense_layers());
        let leading = self.architecture.stack.is_empty() && self.architecture.moe.is_some();
        let (first, last) = match layer.experts() {
            _ if !leading => (0, layers),
            Some(_) => (dense, layers),
            None => (0, dense),
        };
        let share = |count: u32| {
            let size = f64::from(last.saturating_sub(first).max(1));
            (f64::from(count.saturating_sub(first)) / size).min(1.0)
        };
        let (count, whole) = (f64::from(layer.count), share(host.whole));
        let experts = if layer.experts().is_some() { (share(host.experts) - whole).max(0.0) } else { 0.0 };
        Split { whole: count * whole, experts: count * experts }
    }

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

    /// Adds the part of an operator that is in host memory to a step's times; returns the number of layers that run it on
    /// the GPU.
    pub(super) fn divide(&self, operator: &Operator, count: u32, split: Split, away: &mut Away) -> f64 {
        let (all, hosted) = (f64::from(count), split.of(operator));
        if hosted <= 0.0 {
            return all;
        }
        if away.copied {
            // Attention's keys and values are copied once for all its operators.
            if !operator.core {
                away.read(operator.work.stored() * hosted);
            }
            return all;
        }
        away.run(&self.system.cost_on_host(&operator.work), hosted);
        all - hosted
    }

    /// Counts the copies of keys, values and states of equal layers that a step's prompts see.
    pub(super) fn copy_cache(&self, layer: &Layer, split: Split, step: &Step, away: &mut Away) {
        if away.copied && split.whole > 0.0 {
            let shard = self.shard(1.0, 1.0, 1.0);
            away.read(self.layer_cache(&shard, layer, step.keys) * (step.prompts * split.whole));
        }
    }

    /// Use of weights in host memory by a pass over a step's tokens. A pass of more tokens than the engine's slice
    /// copies the weights once for each slice.
    pub(super) fn away(&self, step: &Step, tokens: f64) -> Away {
        let slices = libm::ceil(tokens / self.overheads.slice - ROUNDING).max(1.0);
        Away { copied: tokens >= COPIED, slices, passes: step.passes, ..Away::default() }
    }

    /// Memory of the host with `batch` requests of `length` tokens each; `None` if nothing is kept there.
    pub(super) fn host_memory_at(&self, batch: f64, length: f64) -> Option<Footprint> {
        let host = self.on_host();
        host.any().then(|| Footprint {
            weights: self.host_weights(),
            kv_cache: self.host_kv_cache(length) * batch,
            reserve: HostMemory::RESERVE,
            capacity: self.system.host.capacity,
            ..Footprint::default()
        })
    }

    /// Weights of the layers in host memory, and of the ends of the model.
    fn host_weights(&self) -> Bytes {
        let shard = self.shard(1.0, 1.0, 1.0);
        let layers: Bytes = self
            .architecture
            .layer_kinds()
            .map(|layer| {
                let (split, each) = (self.split(&layer), self.layer_weights(&shard, &layer));
                each.all * split.whole + each.routed * split.experts
            })
            .sum();
        let (embedding, head) = self.architecture.ends();
        layers + self.ends(embedding, if self.on_host().head { head } else { 0 })
    }

    /// Keys, values and states of one request in host memory.
    pub(super) fn host_kv_cache(&self, length: f64) -> Bytes {
        let shard = self.shard(1.0, 1.0, 1.0);
        let mut all = Bytes::ZERO;
        for layer in self.architecture.layer_kinds() {
            all += self.layer_cache(&shard, &layer, length) * self.split(&layer).whole;
        }
        all
    }
}

/// Use of weights in host memory by one pass: copies to the GPU, or work on the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Away {
    /// True if the pass has enough tokens for the weights to be copied to the GPU.
    copied: bool,
    /// Copies of the weights in one pass.
    slices: f64,
    passes: f64,
    cost: Cost,
}

impl Away {
    /// Counts bytes that are copied.
    fn read(&mut self, bytes: Bytes) {
        self.cost.bytes += bytes * self.slices;
    }

    /// Counts work of `layers` layers on the CPU.
    fn run(&mut self, cost: &Cost, layers: f64) {
        self.cost.flops += cost.flops * layers;
        self.cost.bytes += cost.bytes * layers;
        self.cost.dram += cost.dram * layers;
        self.cost.compute += cost.compute * layers;
        self.cost.time += cost.time * layers;
    }

    /// Records the copies, or the work on the CPU, as one operator; returns the time on the CPU and the time of copies.
    pub(super) fn record(
        self,
        system: &System,
        record: &mut dyn FnMut(&Operator, f64, Cost),
    ) -> (Seconds, Seconds) {
        let bytes = self.cost.bytes;
        if bytes <= Bytes::ZERO {
            return (Seconds::ZERO, Seconds::ZERO);
        }
        let work = Work::Stream(Stream { bytes, flops: self.cost.flops, backward: 0.0 });
        let (name, cost) = if self.copied {
            ("Copy of weights to the GPU", system.cost_of_copy(bytes))
        } else {
            ("Layers on the CPU", self.cost.bounded())
        };
        record(&Operator { name, work, core: false }, self.passes, cost);
        let time = cost.time * self.passes;
        if cost.bound == Bound::Network { (Seconds::ZERO, time) } else { (time, Seconds::ZERO) }
    }
}
